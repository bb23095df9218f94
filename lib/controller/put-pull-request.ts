import type { Lease } from '../core/lease.ts';
import type { PullRequest, WantedPullRequest } from '../core/pull-request.ts';
import { mayTellLater } from '../core/settle.ts';
import { type BoardInvocation, tell } from './invocation.ts';

/**
 * Puts the pull request of an ended turn's branch. `wait` while its code host does not answer and the turn has not ended
 * long ago; after that the turn is settled without one, which its status comment says.
 */
export async function putPullRequest(
  run: BoardInvocation,
  lease: Lease,
  wanted: WantedPullRequest | undefined,
): Promise<PullRequest | undefined | 'wait'> {
  if (wanted === undefined) return undefined;
  const { pullRequests, clock } = run.ports;
  try {
    const put = await pullRequests.put(run.board.repository, wanted);
    if (put === 'none') return undefined;
    if (put.kind === 'refused') tell(run, 'refused', lease, { reason: 'pull-request', problem: put.problem });
    return put;
  } catch (error) {
    // The message of an error that nobody foresaw may quote what was to be written.
    const problem = error instanceof Error ? error.name : 'unknown';
    tell(run, 'refused', lease, { reason: 'pull-request-unknown', problem });
    return mayTellLater(lease, clock.now())
      ? 'wait'
      : { kind: 'refused', problem: 'the code host did not answer for long' };
  }
}

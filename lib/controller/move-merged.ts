import type { Contract } from '../core/contract.ts';
import { type Issue, stateKey } from '../core/issue.ts';
import { type Lease, unclaimedLease } from '../core/lease.ts';
import type { BoardInvocation } from './invocation.ts';
import { moveIssue } from './write-back.ts';

/**
 * Moves an issue whose pull request was merged out of the hand-off state, if it still waits there. No turn makes this move,
 * and an issue of which the ledger has lost the memory is moved all the same.
 */
export async function moveMerged(
  run: BoardInvocation,
  issue: Issue,
  known: Lease | undefined,
  contract: Contract,
): Promise<void> {
  const { merged, handoff } = contract;
  if (merged === undefined || handoff === undefined) return;
  const lease: Lease = {
    ...(known ?? unclaimedLease(run.board.id, issue.id, issue.key)),
    turnId: undefined,
  };
  await moveIssue(run, lease, {
    to: merged.name,
    contract,
    as: 'merged',
    allowed: ({ closed, state, conflictingStates }) =>
      !closed && conflictingStates.length <= 1 && state !== undefined && stateKey(state) === handoff.key,
  });
}

import type { Lease } from '../core/lease.ts';
import type { LeaseWrite } from '../core/lease-write.ts';
import type { Invocation } from './invocation.ts';

/**
 * - `done`: this very write is what is stored.
 * - `refused`: its condition did not hold; somebody else was first.
 * - `unknown`: no answer, and a look did not find it. It may still land, so this run leaves the issue alone.
 */
export type WriteOutcome = 'done' | 'refused' | 'unknown';

/**
 * Makes one conditional write on a lease. A refusal and an unknown result alike are resolved by one consistent read: is
 * what is stored this very write? A lost answer is thereby a success, and nothing is ever repeated under a new identity.
 */
export async function carryOut(
  invocation: Invocation,
  lease: Pick<Lease, 'board' | 'issueId'>,
  write: LeaseWrite,
): Promise<WriteOutcome> {
  const { ledger } = invocation.ports;
  const answer = await ledger
    .changeLease(invocation.gen, lease.board, lease.issueId, write.change)
    .catch(() => 'unknown' as const);
  if (answer === 'done') return 'done';
  const look = await ledger.lease(invocation.gen, lease.board, lease.issueId).then(
    (stored) => ({ stored }),
    () => undefined,
  );
  if (look === undefined) return 'unknown';
  return write.mine(look.stored) ? 'done' : answer;
}

import { type Issue, stateKey } from './issue.ts';
import type { Lease } from './lease.ts';

/**
 * Whether a person has moved the issue since its state was last read or written: it stands elsewhere, and as far as the
 * tracker tells that was no automation's doing. To be believed of a read by id only; a list may show an earlier state.
 */
export function isMovedByPerson(lease: Lease, issue: Issue): boolean {
  if (issue.movedBy !== 'person' || issue.state === undefined || lease.seenState === undefined) return false;
  return stateKey(issue.state) !== stateKey(lease.seenState);
}

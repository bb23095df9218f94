import type { Lease } from './lease.ts';

/**
 * In how many turns in a row an issue may meet trouble of the platform after its agent had begun. One more than an agent
 * may fail by default: such trouble is somebody else's as a rule, and each of these turns has cost a whole one all the same.
 */
export const maxInterruptions = 5;

/**
 * Whether a turn that was interrupted counts for its issue: it was let in, its agent had begun, and nothing from outside
 * explains the end. The same may then happen in every turn of this issue: an agent that ends its own turn, work that no
 * code host takes. What the platform did, what we asked for, and trouble that came before the agent says nothing of the
 * issue and counts for nothing.
 */
export function isOfTheIssue(lease: Lease): boolean {
  const { evidence } = lease;
  const result = lease.result ?? evidence?.result;
  if (result === undefined || evidence?.cause === 'platform' || evidence?.cause === 'gone') return false;
  if (evidence?.asked || result.cause === 'asked') return false;
  return result.cause === 'signal' || hasWorked(lease);
}

/** What only an agent that had begun leaves behind. */
function hasWorked(lease: Lease): boolean {
  const result = lease.result ?? lease.evidence?.result;
  return (
    (lease.progress ?? 0) > 0 ||
    result?.exitCode !== undefined ||
    result?.usage !== undefined ||
    (result?.git?.commits ?? 0) > 0
  );
}

import type { Instant } from './issue.ts';
import type { Lease } from './lease.ts';

/** Longer than any platform takes to end what it was told to end, and than any write is waited for. */
const stuckAfterMs = 600_000;

/** Whether a lease is not let go although its turn was told to stop, has ended, or owes a write, and that long ago. */
export function isStuck({ phase, stop, endedAt, pending }: Lease, now: Instant): boolean {
  const since = [
    pending?.seenAt,
    phase === 'stopping' ? stop?.at : undefined,
    phase === 'ending' ? endedAt : undefined,
  ];
  return since.some((at) => at !== undefined && at + stuckAfterMs <= now);
}

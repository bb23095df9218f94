import * as z from 'zod';
import { type Lease, unclaimedLease } from '../../core/lease.ts';
import { keyOf, parseItem, type StoredItem } from './read-item.ts';
import { leaseSchema } from './stored-items.ts';
import { leaseOwner } from './table.ts';

/**
 * One lease of a listing. What cannot be understood must not hide the other leases, and must not make its slot or its
 * issue look free: it is answered as a running lease of a newer protocol, which holds a slot and is left alone, with the
 * problem in `unreadable`.
 */
export function readListedLease(stored: StoredItem): Lease {
  const read = parseItem(leaseSchema, stored);
  if (read.success) return read.item as unknown as Lease;
  const { board, issueId } = leaseOwner(keyOf(stored));
  const { key, v, attempt, turnId, capStates } = salvage.parse(stored);
  return {
    ...unclaimedLease(board, issueId, (key ?? issueId) as Lease['key']),
    ...({ v: v ?? 0, attempt: attempt ?? 0, turnId, capStates } as Partial<Lease>),
    pv: Number.MAX_SAFE_INTEGER,
    phase: 'running',
    unreadable: read.problem,
  };
}

/** What is still good of a lease that does not parse. */
const salvage = z.object({
  key: z.string().optional().catch(undefined),
  v: z.number().optional().catch(undefined),
  attempt: z.number().optional().catch(undefined),
  turnId: z.string().optional().catch(undefined),
  capStates: z.array(z.string()).optional().catch(undefined),
});

import * as z from 'zod';
import type { Lease } from '../../core/lease.ts';
import { unclaimedLease } from '../../core/lease.ts';
import { leaseSchema } from './stored-items.ts';
import { type ItemKey, leaseOwner, tableKeys } from './table.ts';

/** The item without its key, as the type the schema stands for. Throws, naming the item, when it does not parse. */
export function readItem<Item>(schema: z.ZodType, stored: StoredItem): Item {
  const read = parse(schema, stored);
  if (!read.success) throw new Error(read.problem);
  return read.item as Item;
}

export type StoredItem = Record<string, unknown>;

/**
 * One lease of a listing. What cannot be understood must not hide the other leases, and must not make its slot or its
 * issue look free: it is answered as a running lease of a newer protocol, which holds a slot and is left alone, with the
 * problem in `unreadable`.
 */
export function readListedLease(stored: StoredItem): Lease {
  const read = parse(leaseSchema, stored);
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

type Parsed =
  | { readonly success: true; readonly item: StoredItem }
  | { readonly success: false; readonly problem: string };

function parse(schema: z.ZodType, stored: StoredItem): Parsed {
  const { [tableKeys.partition]: _pk, [tableKeys.sort]: _sk, ...item } = stored;
  const parsed = schema.safeParse(item);
  if (parsed.success) return { success: true, item: parsed.data as StoredItem };
  // Strict schemas of other doors stand inside the items; a field they do not know yet is no fault of a stored item.
  const faults = parsed.error.issues.filter((issue) => issue.code !== 'unrecognized_keys');
  if (faults.length === 0) return { success: true, item };
  const { pk, sk } = keyOf(stored);
  const where = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return { success: false, problem: `the ledger's item ${pk} ${sk} cannot be understood (${where})` };
}

function keyOf(stored: StoredItem): ItemKey {
  return { pk: String(stored[tableKeys.partition]), sk: String(stored[tableKeys.sort]) };
}

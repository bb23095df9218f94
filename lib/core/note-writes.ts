import type { Alternative } from './change.ts';
import type { Lease } from './lease.ts';
import { type LeaseWrite, type LedgerUpdate, named } from './lease-write.ts';

/** Any idle item, as it was seen: resets, notes of what was read. */
export function amendIdle(seen: Lease, operation: string, ledger: LedgerUpdate): LeaseWrite {
  const when: Alternative = [
    { field: 'phase', is: 'equal', value: 'idle' },
    { field: 'v', is: 'equal', value: seen.v },
  ];
  return {
    change: { operation, when: [when], set: ledger.set, remove: ledger.remove, add: {}, append: {} },
    mine: () => false,
  };
}

/** Notes of a tick on a lease that is held: silence, absence, the status comment. Changes no phase. */
export function note(seen: Lease, ledger: LedgerUpdate): LeaseWrite {
  const when: Alternative = [
    ...(seen.turnId === undefined ? [] : [named(seen.turnId)]),
    { field: 'phase', is: 'equal', value: seen.phase },
  ];
  return {
    change: { operation: 'note', when: [when], set: ledger.set, remove: ledger.remove, add: {}, append: {} },
    mine: () => false,
  };
}

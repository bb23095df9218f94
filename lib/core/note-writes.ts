import type { Alternative } from './change.ts';
import { type Lease, protocolVersion } from './lease.ts';
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

/** Notes of a tick on a lease: silence, absence, that its issue is finished, the status comment. Changes no phase. */
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

/**
 * Takes the item of a finished issue away, as it was seen; afterwards the issue is as one that never had a turn. It names the
 * turn beside the version: the next item counts versions from 1 again, and the name of a turn never comes again, so
 * that a deletion that lands late meets no other item.
 *
 * What somebody else decided from the item as it was and sends meanwhile is refused, save a claim, which puts the item back
 * and stands only if its tick is still the newest. For another write to meet a later item at the same version, its issue would
 * have to be taken up again, and a turn of it be over, while that write is on its way, which takes 90 seconds at most.
 */
export function forget(seen: Lease): LeaseWrite {
  const when: Alternative = [
    { field: 'phase', is: 'equal', value: 'idle' },
    { field: 'v', is: 'equal', value: seen.v },
    { field: 'pv', is: 'at-most', value: protocolVersion },
    { field: 'pending', is: 'absent' },
    { field: 'parked', is: 'absent' },
    { field: 'nextAt', is: 'absent' },
    seen.turnId === undefined ? { field: 'turnId', is: 'absent' } : named(seen.turnId),
  ];
  return {
    change: { operation: 'forget', when: [when], set: {}, remove: [], add: {}, append: {}, deletes: true },
    mine: (stored) => stored === undefined,
  };
}

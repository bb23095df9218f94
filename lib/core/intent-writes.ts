import type { Alternative } from './change.ts';
import type { Instant } from './issue.ts';
import { type Lease, type Pending, protocolVersion } from './lease.ts';
import { keep, type LeaseWrite, type LedgerUpdate, named, ofTurn } from './lease-write.ts';

/**
 * Announces a tracker write before it is sent. An open one blocks every claim and release. `pending.by` has to be new for
 * every announcement: under a name used twice, a late or doubled clearing of the first one would clear the second. Before
 * its end a turn moves its issue once, so that whoever decided from an older look at the lease does not do it again.
 */
export function intend(lease: Lease, pending: Pending, ender: string): LeaseWrite {
  if (pending.turnId === undefined) return intendWithoutTurn(lease, pending);
  const who: Alternative =
    lease.phase === 'ending'
      ? [...ofTurn(lease.turnId!, 'ending'), { field: 'ender', is: 'equal', value: ender }]
      : [
          named(lease.turnId!),
          { field: 'phase', is: 'one-of', values: ['launching', 'running'] },
          { field: 'writtenState', is: 'absent' },
        ];
  return {
    change: keep('intent', [[...who, { field: 'pending', is: 'absent' }]], { pending }),
    mine: (stored) => stored?.pending?.by === pending.by && stored.pending.turnId === pending.turnId,
  };
}

/** A move that no turn makes. What it is decided from is the item as it was seen, which may not be there yet. */
function intendWithoutTurn({ v, ...seen }: Lease, pending: Pending): LeaseWrite {
  const idle: Alternative = [
    { field: 'phase', is: 'equal', value: 'idle' },
    { field: 'v', is: 'equal', value: v },
    { field: 'pv', is: 'at-most', value: protocolVersion },
    { field: 'pending', is: 'absent' },
  ];
  const change =
    v === 0
      ? keep('intent', [[{ field: 'v', is: 'absent' }]], { ...seen, pending })
      : keep('intent', [idle], { pending });
  return { change, mine: (stored) => stored?.pending?.by === pending.by };
}

/** Notes when an open write of somebody else was first seen. */
export function stampPending(pending: Pending, now: Instant): LeaseWrite {
  return {
    change: keep('stamp-intent', [[ownedBy(pending.by), { field: 'pending.seenAt', is: 'absent' }]], {
      pending: { ...pending, seenAt: now },
    }),
    mine: (stored) => stored?.pending?.seenAt !== undefined,
  };
}

/** Takes an open write over once its hold-down is past, to verify and clear it. */
export function takeOverPending(pending: Pending, by: string): LeaseWrite {
  return {
    change: keep('take-over-intent', [[ownedBy(pending.by)]], {
      pending: { turnId: pending.turnId, to: pending.to, from: pending.from, by },
    }),
    mine: (stored) => stored?.pending?.by === by,
  };
}

/** Notes that the tracker took a write which cannot be looked up yet, so that whoever takes it over knows that it was made. */
export function noteWritten(pending: Pending): LeaseWrite {
  const set = { writtenState: pending.to, seenState: pending.to };
  return {
    change: keep('note', [[ownedBy(pending.by)]], set),
    mine: (stored) => stored?.writtenState === pending.to,
  };
}

/** Clears a write that was seen through, and notes where it left the issue. */
export function clearPending(pending: Pending, ledger: LedgerUpdate): LeaseWrite {
  return {
    change: {
      operation: 'clear-intent',
      when: [[ownedBy(pending.by)]],
      set: ledger.set,
      remove: ['pending', ...ledger.remove],
      add: {},
      append: {},
    },
    mine: (stored) => stored !== undefined && stored.pending === undefined,
  };
}

function ownedBy(announcement: string): Alternative[number] {
  return { field: 'pending.by', is: 'equal', value: announcement };
}

import type { Risk } from '../fate.ts';
import { type Flavour, latestLandingMs } from '../flavours.ts';
import { killRisks } from './calls.ts';

export type TrackerCall =
  | 'states'
  | 'list'
  | 'count'
  | 'read'
  | 'read-many'
  | 'transition'
  | 'restore'
  | 'take-back'
  | 'moves'
  | 'comment';

const slow: Risk = { kind: 'slow', of: 'tracker.slow', minMs: 300, maxMs: 3_000 };
/** The caller itself stalls between its decision and the sending. */
const stall: Risk = { kind: 'slow', of: 'tracker.stall', minMs: 3_000, maxMs: 30_000 };
const fail: Risk = { kind: 'fail', of: 'tracker.fail' };

const everywhere: Readonly<Record<TrackerCall, readonly Risk[]>> = {
  states: [...killRisks, fail, slow],
  list: [...killRisks, fail, slow],
  count: [...killRisks, fail],
  read: [...killRisks, fail, slow],
  'read-many': [...killRisks, fail, { kind: 'some', of: 'tracker.partial' }],
  transition: [
    ...killRisks,
    fail,
    slow,
    { kind: 'lost', of: 'tracker.lost' },
    { kind: 'rejected', of: 'tracker.reject' },
  ],
  restore: [
    ...killRisks,
    fail,
    { kind: 'lost', of: 'tracker.lost' },
    { kind: 'rejected', of: 'tracker.reject' },
  ],
  'take-back': [...killRisks, fail, { kind: 'lost', of: 'tracker.lost' }],
  moves: [...killRisks, fail],
  comment: [...killRisks, fail, { kind: 'lost', of: 'tracker.lost' }],
};

/** The vendor's quota is used up, or only what single issues need is still left of it. */
const limits: readonly Risk[] = [
  { kind: 'limited', of: 'tracker.limited', minMs: 60_000, maxMs: 1_200_000 },
  { kind: 'reserved', of: 'tracker.reserved', minMs: 60_000, maxMs: 1_200_000 },
];

const late: Risk = { kind: 'late', of: 'tracker.late', minMs: 6_000, maxMs: latestLandingMs };

const remote: Readonly<Record<TrackerCall, readonly Risk[]>> = {
  ...everywhere,
  states: [...everywhere.states, stall, ...limits],
  list: [
    ...everywhere.list,
    stall,
    { kind: 'stale', of: 'tracker.stale', minMs: 1_000, maxMs: 600_000 },
    { kind: 'omit', of: 'tracker.omit', minMs: 0, maxMs: 100 },
    { kind: 'empty', of: 'tracker.empty' },
    ...limits,
  ],
  count: [...everywhere.count, { kind: 'stale', of: 'tracker.stale', minMs: 1_000, maxMs: 600_000 }],
  read: [
    ...everywhere.read,
    stall,
    { kind: 'gone', of: 'tracker.gone' },
    { kind: 'trust-unknown', of: 'tracker.trust' },
    ...limits,
  ],
  'read-many': [...everywhere['read-many'], ...limits],
  transition: [...everywhere.transition, stall, late, ...limits],
  restore: [...everywhere.restore, late],
  'take-back': [...everywhere['take-back'], late],
  comment: [...everywhere.comment, slow, late],
  moves: [...everywhere.moves, { kind: 'behind', of: 'tracker.behind' }],
};

/** One request adds a label and takes another away, and may be cut off between the two. */
const byLabels: Readonly<Record<TrackerCall, readonly Risk[]>> = {
  ...remote,
  transition: [...remote.transition, { kind: 'half', of: 'tracker.half' }],
};

/** What can go wrong with each call. A board on the same machine is never stale, and nothing outlives its sender there. */
export function risksOf(flavour: Flavour): Readonly<Record<TrackerCall, readonly Risk[]>> {
  if (flavour.place === 'machine') return everywhere;
  return flavour.statesAreLabels ? byLabels : remote;
}

import { clearPending, intend, stampPending, takeOverPending } from '../../../lib/core/intent-writes.ts';
import { claim, giveUpLaunch, mark, unclaim } from '../../../lib/core/launch-writes.ts';
import type { Lease, Pending, Phase } from '../../../lib/core/lease.ts';
import type { LeaseWrite } from '../../../lib/core/lease-write.ts';
import { amendIdle } from '../../../lib/core/note-writes.ts';
import { adopt, end, gate, heartbeat, join, settle, stop, stopped } from '../../../lib/core/turn-writes.ts';
import {
  announcementOf,
  arnOf,
  bootOf,
  type Column,
  emptyLease,
  evidenceOf,
  invocationOf,
  now,
  type Sight,
  stateKeyOf,
  stateOf,
  turnIdOf,
  versionSeen,
} from './stand-ins.ts';

/** A write as a few small values: what a model remembers of one that is about to be made, or that is on its way. */
export interface Operands {
  readonly turn: number;
  readonly container: number;
  /** Who writes: a tick by its epoch, others by a number of their own. */
  readonly by: number;
  /** The announcement of a move that the writer makes, or has made. */
  readonly intent: number;
  /** Somebody else's announcement that the write is about. */
  readonly other: number;
  /** The column that a claim starts from, and that an intent leads to. */
  readonly column: Column;
  /** Whether a cleared intent's write was seen on the board. */
  readonly landed: boolean;
  readonly seen: Sight;
}

const nothing = { set: {}, remove: [] };

/** Every write of a lease that the models make, by the product's own functions. */
export const writeMakers = {
  claim: ({ turn, by, column, seen }: Operands) =>
    claim({
      seen: { ...emptyLease, v: versionSeen[seen] },
      epoch: by,
      turnId: turnIdOf(turn),
      attempt: turn,
      startedFrom: stateOf(column),
      capStates: [stateKeyOf(column)],
      now,
    }),
  unclaim: ({ turn }: Operands) => unclaim(turnIdOf(turn), now, 'superseded'),
  mark: ({ turn }: Operands) => mark(turnIdOf(turn), now),
  'give-up-launch': ({ turn, by }: Operands) =>
    giveUpLaunch(turnIdOf(turn), invocationOf(by), now, 'tick', 'not-active', nothing),
  gate: ({ turn, container }: Operands) => gate(turnIdOf(turn), bootOf(container), arnOf(container), now),
  heartbeat: ({ turn, container }: Operands) =>
    heartbeat(turnIdOf(turn), bootOf(container), arnOf(container), undefined),
  stop: ({ turn }: Operands) => stop(turnIdOf(turn), now, 'not-active', ''),
  end: ({ turn, container, by }: Operands) =>
    end(turnIdOf(turn), evidenceOf(container), invocationOf(by), 'tick'),
  stopped: ({ turn, container, by }: Operands) =>
    stopped(turnIdOf(turn), evidenceOf(container), invocationOf(by), 'tick', nothing),
  join: ({ turn, by }: Operands) => join(turnIdOf(turn), invocationOf(by)),
  settle: ({ turn, by }: Operands) =>
    settle(turnIdOf(turn), invocationOf(by), now, 'tick', 'recheck', nothing),
  /** The move to in progress, of a turn that is launching or running. */
  'intent-of-start': ({ turn, column, intent, by }: Operands) =>
    intend(held(turn, 'launching'), openMove(turn, column, intent), invocationOf(by)),
  /** The hand-off, of a turn that has ended. */
  'intent-of-end': ({ turn, column, intent, by }: Operands) =>
    intend(held(turn, 'ending'), openMove(turn, column, intent), invocationOf(by)),
  /** The move of an issue whose work was merged, which no turn makes. */
  'intent-of-merge': ({ column, intent, by, seen }: Operands) =>
    intend({ ...emptyLease, v: versionSeen[seen] }, openMove(0, column, intent), invocationOf(by)),
  'stamp-intent': ({ turn, column, other }: Operands) => stampPending(openMove(turn, column, other), now),
  'take-over-intent': ({ turn, column, other, intent }: Operands) =>
    takeOverPending(openMove(turn, column, other), announcementOf(intent)),
  'clear-intent': ({ turn, column, intent, landed }: Operands) =>
    clearPending(openMove(turn, column, intent), {
      set: landed ? { writtenState: stateOf(column), seenState: stateOf(column) } : {},
      remove: [],
    }),
  adopt: ({ turn, container }: Operands) => adopt(adoptedLease(turn, container)),
  reset: ({ seen }: Operands) => amendIdle({ ...emptyLease, v: versionSeen[seen] }, 'reset', nothing),
} satisfies Readonly<Record<string, (it: Operands) => LeaseWrite>>;

export type Operation = keyof typeof writeMakers;
export const operations = Object.keys(writeMakers) as readonly Operation[];

function held(turn: number, phase: Phase): Lease {
  return { ...emptyLease, phase, turnId: turnIdOf(turn) };
}

function openMove(turn: number, column: Column, intent: number): Pending {
  return {
    turnId: turn === 0 ? undefined : turnIdOf(turn),
    to: stateOf(column),
    from: undefined,
    by: announcementOf(intent),
  };
}

/** The lease that a live task is given back after a lost ledger. */
function adoptedLease(turn: number, container: number): Parameters<typeof adopt>[0] {
  const { v: _version, ...empty } = emptyLease;
  return {
    ...empty,
    phase: 'running',
    turnId: turnIdOf(turn),
    attempt: turn,
    startedFrom: stateOf('todo'),
    liveArn: arnOf(container),
    hb: 0,
    transitions: [
      {
        from: 'none',
        to: 'running',
        at: now,
        actor: 'look',
        reason: 'ledger-lost',
        evidence: arnOf(container),
      },
    ],
  };
}

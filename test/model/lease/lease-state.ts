import { below, flag, oneOf, struct, times, upTo, type ValueOf } from '../search/codec.ts';
import { isRanked, rankOf, setOf, sortedBy, zero } from '../search/ranks.ts';
import { keyOf, type LeaseWrites, type Renaming, writeCodec } from '../writes/lease-writes.ts';
import { columns, sights } from '../writes/stand-ins.ts';
import { operations } from '../writes/write-makers.ts';

export interface LeaseScope {
  readonly turns: number;
  /** Ticks that overlap, and handlers of a task's end; each is followed by others without end. */
  readonly ticks: number;
  readonly enders: number;
  /** How often people move the issue, a run crashes, a write loses its answer or comes late. */
  readonly moves: number;
  readonly crashes: number;
  readonly faults: number;
  /**
   * How the tracker holds the state: close and label apart, in one field, or in one field that it writes only if the
   * issue stands where it was read.
   */
  readonly board: 'separate fields' | 'one field' | 'compare and set';
  /** Where the issue stands at the beginning. */
  readonly column?: 'todo' | 'doing' | 'review';
  /** The runner forgets the launch of a container that has stopped, and may start a second one. */
  readonly forgets?: boolean;
  /** A tick may look once more under its name. */
  readonly rounds?: boolean;
  /** A person's move makes a tick reset the ledger of an idle issue. */
  readonly resets?: boolean;
  /** What waits for a person may be found merged, and is finished by a tick. */
  readonly merges?: boolean;
}

/** What a run does next. `writes` and `looks` are about the run's operation. */
const positions = [
  'off',
  'reads the board',
  'reads the lease',
  'writes',
  'looks',
  'confirms',
  'prepares',
  'launches',
  'decides',
  'finds it merged',
  'sends',
  'awaits',
  'verifies',
  'restores',
  'between rounds',
] as const;

/** What a write on the board is for, and so what follows it. */
const purposes = ['none', 'launch', 'running', 'hand-off', 'decide again', 'merge'] as const;
export type Purpose = (typeof purposes)[number];

const boardCodec = struct({
  label: oneOf(columns),
  closed: flag,
  /** The newest move is a close that our own write replaced. */
  overwritten: flag,
});

const runCodec = struct({
  at: oneOf(positions),
  operation: oneOf(operations),
  /** The name of a tick; 0 for one that is off, and for handlers. */
  epoch: below(16),
  wanted: flag,
  isSecondRound: flag,
  turn: below(8),
  container: below(8),
  /** The announcement of its own that is open, and the one of somebody else that its operation is about. */
  intent: below(8),
  other: below(8),
  column: oneOf(columns),
  landed: flag,
  seen: oneOf(sights),
  /** The column that was read, from which a move is allowed. */
  from: oneOf(columns),
  purpose: oneOf(purposes),
});

export function leaseCodec(scope: LeaseScope) {
  return struct({
    board: boardCodec,
    epoch: below(16),
    lease: below(4096),
    moves: below(scope.moves + 1),
    crashes: below(scope.crashes + 1),
    faults: below(scope.faults + 1),
    /** Two for each turn. */
    containers: times(2 * scope.turns, oneOf(['none', 'started', 'asked', 'live', 'stopped'])),
    /** Launches on their way, for each turn. */
    launches: times(scope.turns, below(3)),
    runs: times(scope.ticks + scope.enders, runCodec),
    /** Moves on their way to the tracker; `sender` waits for the answer. */
    moving: upTo(4, struct({ turn: below(8), to: oneOf(columns), from: oneOf(columns), sender: below(64) })),
    late: upTo(scope.faults, writeCodec),
  });
}
export type LeaseState = ValueOf<ReturnType<typeof leaseCodec>>;
export type Board = LeaseState['board'];
export type Run = LeaseState['runs'][number];

/** Runs that are over: one that left a write on its way, and all others. */
export const goneLate = 62;
export const gone = 63;
const firstEnder = 48;
/** A tick's name is its epoch, so that names of live ticks are ranks too. */
export const nameOf = (run: Run, index: number): number => (run.epoch > 0 ? run.epoch : firstEnder + index);

/** Epochs become ranks, ticks stand in their order, and those that are over share a name. Most states are so already. */
export function canonicalLease(state: LeaseState, writes: LeaseWrites, ticks: number): LeaseState {
  const ranked = settleGone(withEpochsRanked(state, writes), writes);
  return withMessagesInOrder(withIntentsNumbered(withTicksInOrder(ranked, ticks), writes));
}

function withEpochsRanked(state: LeaseState, writes: LeaseWrites): LeaseState {
  let used = zero | setOf(state.epoch) | setOf(writes.facts(state.lease).epoch);
  for (const run of state.runs) used |= setOf(run.epoch);
  for (const write of state.late) if (write.operation === 'claim') used |= setOf(write.by);
  return isRanked(used) ? state : rankEpochs(state, writes, used);
}

function withTicksInOrder(state: LeaseState, ticks: number): LeaseState {
  const { runs } = state;
  for (let at = 1; at < ticks; at += 1) {
    if (runs[at - 1]!.epoch <= runs[at]!.epoch) continue;
    const inOrder = sortedBy(runs.slice(0, ticks), ({ epoch }) => epoch);
    return { ...state, runs: [...inOrder, ...runs.slice(ticks)] };
  }
  return state;
}

function withMessagesInOrder(state: LeaseState): LeaseState {
  const { moving, late } = state;
  if (moving.length < 2 && late.length < 2) return state;
  return {
    ...state,
    moving: sortedBy(moving, ({ turn, to, sender }) => (columns.indexOf(to) * 8 + turn) * 64 + sender),
    late: sortedBy(late, (write) => keyOf(write.operation, write)),
  };
}

/** Announcements by the order in which they are named: on the lease, by runs, by writes on their way. */
function withIntentsNumbered(state: LeaseState, writes: LeaseWrites): LeaseState {
  const named = intentsNamed(state, writes);
  if (named.every((intent, at) => intent === at + 1)) return state;
  const to = (intent: number) => named.indexOf(intent) + 1;
  const again = <Naming extends { readonly intent: number; readonly other: number }>(
    one: Naming,
  ): Naming => ({
    ...one,
    intent: to(one.intent),
    other: to(one.other),
  });
  const open = writes.facts(state.lease).pending?.intent ?? 0;
  return {
    ...state,
    lease: open === 0 ? state.lease : writes.renamed(state.lease, 2 ** 17 + to(open), { intent: to }),
    runs: state.runs.map(again),
    late: state.late.map(again),
  };
}

function intentsNamed({ lease, runs, late }: LeaseState, writes: LeaseWrites): readonly number[] {
  const named: number[] = [];
  const add = (intent: number) => {
    if (intent !== 0 && !named.includes(intent)) named.push(intent);
  };
  add(writes.facts(lease).pending?.intent ?? 0);
  for (const one of runs) {
    add(one.intent);
    add(one.other);
  }
  for (const one of late) {
    add(one.intent);
    add(one.other);
  }
  return named;
}

function rankEpochs(state: LeaseState, writes: LeaseWrites, used: number): LeaseState {
  return renamed(state, writes, used, {
    epoch: (epoch) => rankOf(epoch, used),
    run: (name) => (name < firstEnder ? rankOf(name, used) : name),
  });
}

/** A run that is over and has no write on its way any more is like any other that is over. */
function settleGone(state: LeaseState, writes: LeaseWrites): LeaseState {
  const isLate = state.late.some(({ by }) => by === goneLate);
  return isLate || writes.facts(state.lease).ender !== goneLate
    ? state
    : withRunGone(state, writes, goneLate);
}

/** What names a run that is over names it as such from now on. Epochs stay: they are compared after their tick. */
export function withRunGone(state: LeaseState, writes: LeaseWrites, name: number): LeaseState {
  const isLate = state.late.some(({ by, operation }) => by === name && operation !== 'claim');
  const left = isLate ? goneLate : gone;
  return renamed(state, writes, 2 ** 16 + name * 2 + (isLate ? 1 : 0), {
    epoch: (epoch) => epoch,
    run: (run) => (run === name ? left : run),
  });
}

/** An announcement that nobody names: none shares its name with another one that somebody still may write about. */
export function newIntent(state: LeaseState, writes: LeaseWrites): number {
  const used = intentsNamed(state, writes);
  return [1, 2, 3, 4, 5, 6, 7].find((intent) => !used.includes(intent))!;
}

/** A claim names its tick by the epoch that it stores; all else by who may still act. */
function renamed(
  state: LeaseState,
  writes: LeaseWrites,
  key: number,
  to: Required<Pick<Renaming, 'epoch' | 'run'>>,
): LeaseState {
  return {
    ...state,
    epoch: to.epoch(state.epoch),
    lease: writes.renamed(state.lease, key, to),
    runs: state.runs.map((run) => (run.epoch === 0 ? run : { ...run, epoch: to.epoch(run.epoch) })),
    moving: state.moving.map((move) => ({ ...move, sender: to.run(move.sender) })),
    late: state.late.map((write) => ({
      ...write,
      by: write.operation === 'claim' ? to.epoch(write.by) : to.run(write.by),
    })),
  };
}

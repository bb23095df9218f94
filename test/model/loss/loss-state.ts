import { below, flag, oneOf, struct, times, upTo, type ValueOf } from '../search/codec.ts';
import { sortedBy } from '../search/ranks.ts';
import { keyOf, type LeaseWrites, writeCodec } from '../writes/lease-writes.ts';
import { sights } from '../writes/stand-ins.ts';
import { operations } from '../writes/write-makers.ts';

export interface LossScope {
  /** For each issue, and each of its turns, how many containers there may be: two when the runner forgets a launch. */
  readonly issues: readonly (readonly number[])[];
  readonly cap?: number;
  /** Runs at the same time. Ticks of one generation follow one another here; looks and older runs overlap everything. */
  readonly runs?: number;
  readonly losses?: number;
  readonly moves?: number;
  readonly crashes?: number;
  readonly faults?: number;
  /** Whether a lease's key holds the generation, so that writes of a lost one meet no row of the next. */
  readonly keys?: 'with generation' | 'flat';
  /** With flat keys: a look deletes the rows that it did not adopt. */
  readonly deletesRows?: boolean;
  /** One machine: a lock proves that everything of before is dead, and the list of processes is complete. */
  readonly machine?: 'with a local board' | 'with a remote board';
  /** A backup of the table takes its place, and its record gets a new generation before anything uses it. */
  readonly isRestored?: boolean;
  /** Containers never stop unasked while the ledger is open. */
  readonly hangs?: boolean;
}

/** The containers of a scope, each with its issue and turn. */
export interface Place {
  readonly issue: number;
  readonly turn: number;
}
export function placesOf({ issues }: LossScope): readonly Place[] {
  return issues.flatMap((turns, issue) =>
    turns.flatMap((count, at) => Array.from({ length: count }, () => ({ issue, turn: at + 1 }))),
  );
}

const positions = [
  'off',
  'acts',
  'writes',
  'confirms',
  'launches',
  'decides',
  'sends',
  'awaits',
  'stamps',
  'lists',
  'opens',
] as const;

/** `called`: the start call read the record of a generation that is lost by now. `let in`: the answer is on its way. */
export const lives = [
  'none',
  'started',
  'calling',
  'called',
  'let in',
  'working',
  'dying',
  'stopped',
] as const;

export function lossCodec(scope: LossScope) {
  const places = placesOf(scope);
  return struct({
    /** The record of ticks, and whether the wait since its stamp is over. */
    tick: below(256),
    generation: below(8),
    isRipe: flag,
    losses: below((scope.losses ?? 1) + 1),
    moves: below((scope.moves ?? 0) + 1),
    crashes: below((scope.crashes ?? 0) + 1),
    faults: below((scope.faults ?? 0) + 1),
    issues: times(
      scope.issues.length,
      struct({
        lease: below(4096),
        isActive: flag,
        used: below(8),
        launches: times(turnsOf(scope), below(3)),
      }),
    ),
    /** `isNew`: a list of tasks may not show it yet. */
    containers: times(places.length, struct({ life: oneOf(lives), isNew: flag })),
    runs: times(
      scope.runs ?? 2,
      struct({
        at: oneOf(positions),
        operation: oneOf(operations),
        issue: below(4),
        turn: below(8),
        container: below(8),
        seen: oneOf(sights),
        isWanted: flag,
        /** Of a generation that is lost. */
        isOld: flag,
        /** A look that may open the record. */
        mayOpen: flag,
      }),
    ),
    moving: upTo(6, struct({ issue: below(4), turn: below(8) })),
    late: upTo(scope.faults ?? 0, struct({ issue: below(4), write: writeCodec })),
  });
}
export type LossState = ValueOf<ReturnType<typeof lossCodec>>;
export type LossRun = LossState['runs'][number];

export const turnsOf = ({ issues }: LossScope): number => Math.max(...issues.map((turns) => turns.length));

/** Runs that are over; their open moves have a name of their own as well. */
export const gone = 63;
export const abandoned = 7;

/** Runs are alike: two of them stand in one order. */
export function canonicalLoss(state: LossState, writes: LeaseWrites): LossState {
  const sorted = withMessagesInOrder(state);
  if (state.runs.length !== 2) return sorted;
  const order = orderOf(state.runs[0]!) - orderOf(state.runs[1]!);
  if (order < 0) return sorted;
  const swapped = swapRuns(sorted, writes);
  return order > 0 || isBefore(swapped, sorted) ? swapped : sorted;
}

function withMessagesInOrder(state: LossState): LossState {
  const { moving, late } = state;
  if (moving.length < 2 && late.length < 2) return state;
  return {
    ...state,
    moving: sortedBy(moving, ({ issue, turn }) => issue * 8 + turn),
    late: sortedBy(late, ({ issue, write }) => issue * 2 ** 31 + keyOf(write.operation, write)),
  };
}

function swapRuns(state: LossState, writes: LeaseWrites): LossState {
  const other = (name: number) => (name === 1 ? 2 : name === 2 ? 1 : name);
  const issues = state.issues.map((issue) => ({
    ...issue,
    lease: writes.renamed(issue.lease, 1, { run: other, intent: other }),
  }));
  return { ...state, runs: [state.runs[1]!, state.runs[0]!], issues };
}

/** Runs that do the same are told apart by what the leases say of them. */
function isBefore(one: LossState, other: LossState): boolean {
  const at = one.issues.findIndex(({ lease }, issue) => lease !== other.issues[issue]!.lease);
  return at >= 0 && one.issues[at]!.lease < other.issues[at]!.lease;
}

function orderOf(run: LossRun): number {
  const flags = (run.isWanted ? 1 : 0) + (run.isOld ? 2 : 0) + (run.mayOpen ? 4 : 0);
  const place = (run.issue * 8 + run.turn) * 8 + run.container;
  const what = positions.indexOf(run.at) * 32 + operations.indexOf(run.operation);
  return ((what * 512 + place) * 4 + sights.indexOf(run.seen)) * 8 + flags;
}

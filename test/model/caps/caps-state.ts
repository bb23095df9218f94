import { below, flag, oneOf, struct, times, upTo, type ValueOf } from '../search/codec.ts';
import { isRanked, rankOf, setOf, sortedBy, zero } from '../search/ranks.ts';
import { keyOf, type LeaseWrites, writeCodec } from '../writes/lease-writes.ts';

export interface CapsScope {
  readonly issues: number;
  /** Ticks that overlap; each is followed by others without end. */
  readonly ticks: number;
  readonly cap: number;
  /** Columns of the board, each with the same cap of its own. */
  readonly columns?: { readonly count: 1 | 2; readonly cap: number };
  /** Writes that are on their way at once. */
  readonly late: number;
  /** Whether a tick may look again, any number of times, under its epoch. */
  readonly rounds?: boolean;
}

const positions = [
  'off',
  'reads',
  'releases',
  'claims',
  'looks for its claim',
  'confirms',
  'takes back',
  'marks',
  'looks for its mark',
  'launches',
  'between rounds',
  'checks its epoch',
  'adds late',
  'recounts',
] as const;

/** What a tick saw of an issue: held by somebody, idle and as it still is, or idle and written since. */
const seen = ['held', 'idle', 'stale'] as const;

export function capsCodec({ issues, ticks, late, columns }: CapsScope) {
  return struct({
    epoch: below(16),
    issues: times(
      issues,
      /** `sent`: a launch of the lease's turn was sent, so that its container may come to the gate. */
      struct({ lease: below(2048), sent: flag }),
    ),
    ticks: times(
      ticks,
      struct({
        at: oneOf(positions),
        epoch: below(16),
        issue: below(4),
        turn: below(8),
        counted: times(columns?.count ?? 1, below(8)),
        seen: times(issues, oneOf(seen)),
        inner: below(4),
      }),
    ),
    late: upTo(late, struct({ issue: below(4), write: writeCodec })),
  });
}
export type CapsState = ValueOf<ReturnType<typeof capsCodec>>;
export type Tick = CapsState['ticks'][number];

/**
 * Ticks and epochs come and go without end: ticks stand in the order of their epochs, epochs become ranks, and the turns of
 * each issue are numbered anew. What nobody can name any more is forgotten.
 */
export function canonicalCaps(state: CapsState, writes: LeaseWrites): CapsState {
  let canonical = withEpochsRanked(state, writes);
  for (let issue = 0; issue < state.issues.length; issue += 1)
    canonical = withTurnsNumbered(canonical, issue, writes);
  return canonical;
}

function withEpochsRanked(state: CapsState, writes: LeaseWrites): CapsState {
  let used = zero | setOf(state.epoch);
  for (const tick of state.ticks) used |= setOf(tick.epoch);
  for (const { write } of state.late) used |= setOf(write.by);
  for (const { lease } of state.issues) used |= setOf(writes.facts(lease).epoch);
  const ranked = isRanked(used) ? state : rankEpochs(state, used, writes);
  const ticks = sortedBy(ranked.ticks, ({ epoch }) => epoch);
  if (ticks === ranked.ticks && ranked.late.length < 2) return ranked;
  return {
    ...ranked,
    ticks,
    late: sortedBy(ranked.late, ({ issue, write }) => issue * 2 ** 30 + keyOf(write.operation, write)),
  };
}

function rankEpochs(state: CapsState, used: number, writes: LeaseWrites): CapsState {
  return {
    epoch: rankOf(state.epoch, used),
    issues: state.issues.map((issue) => {
      const { epoch } = writes.facts(issue.lease);
      const to = { epoch: (run: number) => rankOf(run, used) };
      return epoch === 0 ? issue : { ...issue, lease: writes.renamed(issue.lease, used, to) };
    }),
    ticks: state.ticks.map((tick) => ({ ...tick, epoch: rankOf(tick.epoch, used) })),
    late: state.late.map((one) => ({
      ...one,
      write: { ...one.write, by: rankOf(one.write.by, used) },
    })),
  };
}

function withTurnsNumbered(state: CapsState, issue: number, writes: LeaseWrites): CapsState {
  const { lease } = state.issues[issue]!;
  const { turn: own, phase } = writes.facts(lease);
  const others = turnsNamed(state, issue);
  const isForgotten = own !== 0 && phase === 'idle' && !others.includes(own);
  const turns = own === 0 || isForgotten ? others : [own, ...others.filter((turn) => turn !== own)];
  if (!isForgotten && turns.every((turn, at) => turn === at + 1)) return state;
  const numberOf = (turn: number) => turns.indexOf(turn) + 1;
  return {
    ...state,
    issues: state.issues.with(issue, {
      ...state.issues[issue]!,
      lease: isForgotten ? writes.idle : own === 0 ? lease : writes.withTurn(lease, numberOf(own)),
    }),
    ticks: state.ticks.map((tick) =>
      tick.issue === issue && tick.turn !== 0 ? { ...tick, turn: numberOf(tick.turn) } : tick,
    ),
    late: state.late.map((one) =>
      one.issue === issue ? { ...one, write: { ...one.write, turn: numberOf(one.write.turn) } } : one,
    ),
  };
}

/** The turns of an issue that ticks and writes on their way name, each once. */
export function turnsNamed({ ticks, late }: CapsState, issue: number): readonly number[] {
  const turns: number[] = [];
  for (const tick of ticks)
    if (tick.issue === issue && tick.turn !== 0 && !turns.includes(tick.turn)) turns.push(tick.turn);
  for (const one of late)
    if (one.issue === issue && !turns.includes(one.write.turn)) turns.push(one.write.turn);
  return turns;
}

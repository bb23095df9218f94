import type { Lease } from '../../../lib/core/lease.ts';
import type { Model, Take } from '../search/explore.ts';
import { refused } from '../writes/item-book.ts';
import {
  type Broken,
  type LeaseWrites,
  leaseWrites,
  noOperands,
  type SentWrite,
} from '../writes/lease-writes.ts';
import { type TickWrites, tickWrites } from '../writes/tick-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { type CapsScope, type CapsState, canonicalCaps, capsCodec, type Tick } from './caps-state.ts';
import { stepTick } from './caps-tick.ts';

/** Rules that a mutant leaves out, and variants of the protocol. */
export type CapsRule =
  | 'the epoch is confirmed'
  | 'the epoch is confirmed after the claim'
  | 'the epoch is taken before the leases are read'
  | 'old claims are released or counted'
  | 'old claims are released, not resumed'
  | 'a claim is marked'
  | 'an unknown mark keeps its slot'
  | 'an unknown claim keeps its slot'
  | 'a claim has a turn of its own'
  | 'the column is frozen'
  | 'epochs, not a second count';

export interface CapsWorld {
  readonly scope: CapsScope;
  readonly leases: LeaseWrites;
  readonly ticks: TickWrites;
  readonly off: Tick;
  isLeftOut(rule: CapsRule): boolean;
}

/**
 * Caps are exact with single-item writes only. Several issues, overlapping ticks that start, crash and are followed by
 * others without end, writes that lose their answer or land late. Leases are read one by one, since a query is no
 * snapshot. People may move an issue at any moment, so that a tick may see it in any column.
 */
export function capsModel(
  scope: CapsScope,
  leftOut: readonly CapsRule[] = [],
  broken: Broken<Operation, Lease> = {},
): Model<CapsState> & { readonly leases: LeaseWrites } {
  const leases = leaseWrites(broken);
  const world: CapsWorld = {
    scope,
    leases,
    ticks: tickWrites(),
    off: offTick(scope),
    isLeftOut: (rule) => leftOut.includes(rule),
  };
  return {
    leases,
    codec: capsCodec(scope),
    start: {
      epoch: 0,
      issues: Array.from({ length: scope.issues }, () => ({ lease: leases.idle, sent: false })),
      ticks: Array.from({ length: scope.ticks }, () => world.off),
      late: [],
    },
    canonical: (state) => canonicalCaps(state, leases),
    steps(state, take) {
      stepLateWrites(world, state, take);
      state.issues.forEach((_, issue) => {
        stepTurn(world, state, issue, take);
      });
      state.ticks.forEach((_, tick) => {
        stepTick(world, state, tick, take);
      });
    },
    broken: (state) => exceeded(world, state),
    clean: ({ issues, ticks, late }) =>
      late.length === 0 &&
      ticks.every(({ at }) => at === 'off') &&
      issues.every(({ lease }) => leases.facts(lease).phase === 'idle'),
    show: (state) => showCaps(world, state),
  };
}

function offTick({ issues, columns }: CapsScope): Tick {
  return {
    at: 'off',
    epoch: 0,
    issue: 0,
    turn: 0,
    counted: Array.from({ length: columns?.count ?? 1 }, () => 0),
    seen: Array.from({ length: issues }, () => 'held' as const),
    inner: 0,
  };
}

export interface Landed {
  readonly state: CapsState;
  readonly done: boolean;
  readonly fault: string | undefined;
}

/** Makes a conditional write on an issue's lease; whoever saw the item before has seen an older version then. */
export function land({ leases }: CapsWorld, state: CapsState, issue: number, write: SentWrite): Landed {
  const before = state.issues[issue]!;
  const made = leases.make(write.operation, write);
  const after = made.on(before.lease);
  if (after === refused) return { state, done: false, fault: undefined };
  const sent =
    before.sent && leases.facts(after).turn === leases.facts(before.lease).turn && isHeld(leases, after);
  return {
    done: true,
    fault: made.faultOn(before.lease),
    state: {
      ...state,
      issues: state.issues.with(issue, { lease: after, sent }),
      ticks: state.ticks.map((tick) =>
        tick.seen[issue] === 'idle' ? { ...tick, seen: tick.seen.with(issue, 'stale') } : tick,
      ),
      late: state.late.map((one) =>
        one.issue === issue && one.write.seen !== 'stale'
          ? { ...one, write: { ...one.write, seen: 'stale' } }
          : one,
      ),
    },
  };
}

function isHeld(leases: LeaseWrites, lease: number): boolean {
  return leases.facts(lease).phase !== 'idle';
}

function stepLateWrites(world: CapsWorld, state: CapsState, take: Take<CapsState>) {
  state.late.forEach(({ issue, write }, at) => {
    const rest = { ...state, late: state.late.toSpliced(at, 1) };
    const name = `of issue ${issue}: ${world.leases.make(write.operation, write).title}`;
    take('a late write', `${name} is lost`, rest);
    const landed = land(world, rest, issue, write);
    if (landed.done) take('a late write', `${name} lands`, landed.state, landed.fault);
  });
  if (state.epoch > 0 && state.late.length < world.scope.late)
    take('a late start', 'of a tick lands', { ...state, epoch: world.ticks.nextEpoch(state.epoch) });
}

/** A container comes to the gate, a turn ends by evidence, a launch that nobody passed the gate of is given up. */
function stepTurn(world: CapsWorld, state: CapsState, issue: number, take: Take<CapsState>) {
  const { lease, sent } = state.issues[issue]!;
  const { turn, phase } = world.leases.facts(lease);
  const make = (from: CapsState, operation: Operation) =>
    land(world, from, issue, { ...ofTurn(turn), operation });
  const who = `issue ${issue}`;
  if (sent) {
    const gate = make(state, 'gate');
    if (gate.done) take(who, 'passes the gate', gate.state, gate.fault);
  }
  const giveUp = make(state, 'give-up-launch');
  if (giveUp.done) take(who, 'is given up before the gate', giveUp.state, giveUp.fault);
  if (phase !== 'running') return;
  const end = make(state, 'end');
  const settle = make(end.state, 'settle');
  if (settle.done) take(who, 'ends its turn', settle.state, end.fault ?? settle.fault);
}

export function ofTurn(turn: number): Omit<SentWrite, 'operation'> {
  return { ...noOperands, turn, container: turn };
}

function exceeded({ scope, leases, isLeftOut }: CapsWorld, state: CapsState): string | undefined {
  const perColumn = [0, 0];
  for (const { lease, sent } of state.issues) {
    const { phase, startedFrom } = leases.facts(lease);
    const isMarked = phase !== 'idle' && (phase !== 'claimed' || (sent && isLeftOut('a claim is marked')));
    if (isMarked) perColumn[columnNumber(startedFrom)]! += 1;
  }
  if (perColumn[0]! + perColumn[1]! > scope.cap) return 'CAP EXCEEDED';
  const cap = scope.columns?.cap ?? scope.cap;
  return Math.max(...perColumn) > cap ? 'COLUMN CAP EXCEEDED' : undefined;
}

/** Columns that a turn may start from, as they are counted. */
export const startColumns = ['todo', 'doing'] as const;
export const columnNumber = (column: string) => (column === 'doing' ? 1 : 0);

function showCaps({ leases }: CapsWorld, { issues, epoch }: CapsState): string {
  const shown = issues.map(({ lease }) => {
    const { phase, turn } = leases.facts(lease);
    return `${phase}${turn === 0 ? '' : ` by turn ${turn}`}`;
  });
  return `epoch ${epoch}; leases: ${shown.join(', ')}`;
}

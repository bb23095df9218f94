import type { Lease } from '../../../lib/core/lease.ts';
import type { Model } from '../search/explore.ts';
import { type Broken, type LeaseWrites, leaseWrites } from '../writes/lease-writes.ts';
import { type TickWrites, tickWrites } from '../writes/tick-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { stepContainers, turnOf } from './containers.ts';
import { stepRun } from './lease-run.ts';
import { canonicalLease, type LeaseScope, type LeaseState, leaseCodec, type Run } from './lease-state.ts';
import { stepLateWrites, stepMoves, stepPeople } from './surroundings.ts';

/** Rules that a mutant leaves out. */
export type LeaseRule =
  | 'only the gate lets a container begin'
  | 'the gate writes'
  | 'a running turn is not taken over'
  | 'a missing task is not a stopped one'
  | 'to ask for a stop is not to see it'
  | 'the launch is repeated under its token'
  | 'a move is announced'
  | 'an announcement has a name of its own'
  | 'the move to in progress is announced'
  | 'nothing is released while a move is open'
  | 'an open move is taken over after the hold-down'
  | 'the issue is read before the move to in progress'
  | 'the issue is read before the hand-off'
  | 'the issue is read before it is finished as merged'
  | 'an overwritten close is repaired';

export interface LeaseWorld {
  readonly scope: LeaseScope;
  readonly leases: LeaseWrites;
  readonly ticks: TickWrites;
  isLeftOut(rule: LeaseRule): boolean;
}

/**
 * The life of one issue's lease: overlapping ticks, a handler of the task's end, containers, and people who move the
 * issue. Every await is a step of its own; launches and moves land later, also after the death of who sent them.
 */
export function leaseModel(
  scope: LeaseScope,
  leftOut: readonly LeaseRule[] = [],
  broken: Broken<Operation, Lease> = {},
): Model<LeaseState> & { readonly leases: LeaseWrites } {
  const leases = leaseWrites(broken);
  const world: LeaseWorld = {
    scope,
    leases,
    ticks: tickWrites(),
    isLeftOut: (rule) => leftOut.includes(rule),
  };
  return {
    leases,
    codec: leaseCodec(scope),
    start: startState(scope),
    canonical: (state) => canonicalLease(state, leases, scope.ticks),
    steps(state, take) {
      stepMoves(world, state, take);
      stepLateWrites(world, state, take);
      stepPeople(world, state, take);
      stepContainers(world, state, take);
      for (let index = 0; index < state.runs.length; index += 1) stepRun(world, state, index, take);
    },
    broken: (state) => brokenBy(world, state),
    clean: ({ board, lease, containers, launches, moving, late }) => {
      const { phase, pending } = leases.facts(lease);
      return (
        (phase === 'idle' || phase === 'none') &&
        pending === undefined &&
        !board.overwritten &&
        moving.length + late.length === 0 &&
        containers.every((container) => container === 'none' || container === 'stopped') &&
        launches.every((count) => count === 0)
      );
    },
    show: (state) => showLease(world, state),
  };
}

export const idleRun: Run = {
  at: 'off',
  operation: 'claim',
  epoch: 0,
  wanted: false,
  isSecondRound: false,
  turn: 0,
  container: 0,
  intent: 0,
  other: 0,
  column: 'none',
  landed: false,
  seen: 'none',
  from: 'none',
  purpose: 'none',
};

function startState({ turns, ticks, enders, moves, crashes, faults, column }: LeaseScope): LeaseState {
  return {
    board: { label: column ?? 'todo', closed: false, overwritten: false },
    epoch: 0,
    lease: 0,
    moves,
    crashes,
    faults,
    containers: Array.from({ length: 2 * turns }, () => 'none' as const),
    launches: Array.from({ length: turns }, () => 0),
    runs: Array.from({ length: ticks + enders }, () => idleRun),
    moving: [],
    late: [],
  };
}

function brokenBy({ leases }: LeaseWorld, { containers, lease }: LeaseState): string | undefined {
  const live = containers.flatMap((container, at) => (container === 'live' ? [at + 1] : []));
  if (live.length > 1) return 'TWO LIVE TURNS';
  const { phase, turn, container } = leases.facts(lease);
  const isHeld = phase === 'running' || phase === 'stopping';
  const isWithout = live.some((one) => !isHeld || container !== one || turn !== turnOf(one));
  return isWithout ? 'LIVE TURN WITHOUT ITS LEASE' : undefined;
}

function showLease({ leases }: LeaseWorld, state: LeaseState): string {
  const { phase, turn, container, pending } = leases.facts(state.lease);
  return [
    `issue ${state.board.closed ? 'closed' : state.board.label}`,
    `lease ${phase}${turn === 0 ? '' : ` by turn ${turn}`}${container === 0 ? '' : `, container ${container}`}`,
    ...(pending === undefined ? [] : [`move to ${pending.to} open for turn ${pending.turn}`]),
    `containers: ${state.containers.map((one, at) => `${at + 1} ${one}`).join(', ')}`,
  ].join('; ');
}

import type { TickRecord } from '../../../lib/core/board-record.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import type { Model } from '../search/explore.ts';
import { type Broken, type LeaseWrites, leaseWrites } from '../writes/lease-writes.ts';
import { type TickOperation, type TickWrites, tickWrites } from '../writes/tick-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { stepContainers } from './loss-containers.ts';
import { stepLedger } from './loss-ledger.ts';
import { stepLossRun } from './loss-run.ts';
import {
  canonicalLoss,
  type LossScope,
  type LossState,
  lossCodec,
  type Place,
  placesOf,
  turnsOf,
} from './loss-state.ts';

/** Rules that a mutant leaves out, and variants of the protocol. */
export type LossRule =
  | 'the record opens after a wait'
  | 'the wait outlasts moves on their way'
  | 'the wait outlasts writes of leases'
  | 'the age is judged when a look begins'
  | 'an adopted lease names its container'
  | 'the record opens after the adoption'
  | 'a second task keeps the record closed'
  | 'a task that is asked to stop keeps the record closed'
  | 'the list shows tasks that are asked to stop'
  | 'the gate reads the record again'
  | 'a restored table has a new generation'
  | 'a turn without a row is told to stop'
  | 'a lock proves the former host dead'
  | 'the confirmation compares the generation';

export interface LossWorld {
  readonly scope: LossScope;
  readonly places: readonly Place[];
  readonly leases: LeaseWrites;
  readonly ticks: TickWrites;
  readonly isFlat: boolean;
  isLeftOut(rule: LossRule): boolean;
}

export interface LossFaults {
  readonly leases?: Broken<Operation, Lease>;
  readonly ticks?: Broken<TickOperation, TickRecord>;
}

/**
 * The table of leases is lost, at any moment: every row, and the record of ticks. Runs of before go on, and so do their
 * launches, calls and moves. At most one container of an issue works at any time, before, during and after.
 */
export function lossModel(
  scope: LossScope,
  leftOut: readonly LossRule[] = [],
  broken: LossFaults = {},
): Model<LossState> & { readonly leases: LeaseWrites } {
  const leases = leaseWrites(broken.leases);
  const world: LossWorld = {
    scope,
    places: placesOf(scope),
    leases,
    ticks: tickWrites(broken.ticks),
    isFlat: scope.keys === 'flat',
    isLeftOut: (rule) => leftOut.includes(rule),
  };
  return {
    leases,
    codec: lossCodec(scope),
    start: startState(world),
    canonical: (state) => canonicalLoss(state, leases),
    steps(state, take) {
      stepLedger(world, state, take);
      stepContainers(world, state, take);
      for (let index = 0; index < state.runs.length; index += 1) stepLossRun(world, state, index, take);
    },
    broken: (state) => brokenBy(world, state),
    clean: ({ tick, issues, containers, moving, late }) =>
      isOpen(world, tick) &&
      moving.length + late.length === 0 &&
      containers.every(({ life }) => life === 'none' || life === 'stopped') &&
      issues.every(({ lease, launches }) => {
        const { phase, pending } = leases.facts(lease);
        const isFree = (phase === 'idle' || phase === 'none') && pending === undefined;
        return isFree && launches.every((count) => count === 0);
      }),
    show: (state) => showLoss(world, state),
  };
}

export const idleLossRun = {
  at: 'off',
  operation: 'claim',
  issue: 0,
  turn: 0,
  container: 0,
  seen: 'none',
  isWanted: false,
  isOld: false,
  mayOpen: false,
} as const;

function startState({ scope, ticks, places }: LossWorld): LossState {
  const closed = ticks.make('put-tick-closed', 1).on(0);
  return {
    tick: ticks.make('open-tick', 1).on(closed),
    generation: 1,
    isRipe: false,
    losses: scope.losses ?? 1,
    moves: scope.moves ?? 0,
    crashes: scope.crashes ?? 0,
    faults: scope.faults ?? 0,
    issues: scope.issues.map(() => ({
      lease: 0,
      isActive: true,
      used: 0,
      launches: Array.from({ length: turnsOf(scope) }, () => 0),
    })),
    containers: places.map(() => ({ life: 'none', isNew: false })),
    runs: Array.from({ length: scope.runs ?? 2 }, () => idleLossRun),
    moving: [],
    late: [],
  };
}

export const isOpen = ({ ticks }: Pick<LossWorld, 'ticks'>, tick: number): boolean =>
  ticks.item(tick)?.epoch !== undefined;

export const isWorking = (life: LossState['containers'][number]['life']): boolean =>
  life === 'let in' || life === 'working' || life === 'dying';

function brokenBy(world: LossWorld, state: LossState): string | undefined {
  const { scope, places, leases } = world;
  let used = 0;
  for (let issue = 0; issue < state.issues.length; issue += 1) {
    const { phase, turn, container } = leases.facts(state.issues[issue]!.lease);
    const works = places.flatMap((place, at) =>
      place.issue === issue && isWorking(state.containers[at]!.life) ? [at + 1] : [],
    );
    if (works.length > 1) return 'TWO WORKING';
    used += works.length === 0 && phase === 'launching' ? 1 : works.length;
    const isHeld = phase === 'running' || phase === 'stopping';
    const isLeased = works.every((one) => isHeld && container === one && places[one - 1]!.turn === turn);
    if (isOpen(world, state.tick) && !isLeased) return 'WORKING WITHOUT LEASE';
  }
  return used > (scope.cap ?? 9) ? 'CAP EXCEEDED' : undefined;
}

function showLoss(world: LossWorld, state: LossState): string {
  const record = world.ticks.item(state.tick);
  const shown = state.issues.map(({ lease }) => {
    const { phase, turn, container } = world.leases.facts(lease);
    return `${phase}${turn === 0 ? '' : ` by turn ${turn}`}${container === 0 ? '' : `, container ${container}`}`;
  });
  return [
    `record ${record === undefined ? 'missing' : record.epoch === undefined ? 'closed' : 'open'}`,
    `leases: ${shown.join(', ')}`,
    `containers: ${state.containers.map(({ life }, at) => `${at + 1} ${life}`).join(', ')}`,
  ].join('; ');
}

import type { Take } from '../search/explore.ts';
import { landOn } from './loss-ledger.ts';
import { isOpen, type LossWorld } from './loss-model.ts';
import type { LossState } from './loss-state.ts';

type Life = LossState['containers'][number]['life'];

/** Launches land at any later time; containers call, work, wait while nothing is open, and stop. */
export function stepContainers(world: LossWorld, state: LossState, take: Take<LossState>) {
  state.issues.forEach(({ launches }, issue) => {
    launches.forEach((count, at) => {
      if (count > 0) stepLaunch(world, state, { issue, turn: at + 1 }, take);
    });
  });
  for (let container = 1; container <= state.containers.length; container += 1)
    stepContainer(world, state, container, take);
}

function stepLaunch(
  { places, scope }: LossWorld,
  state: LossState,
  { issue, turn }: { readonly issue: number; readonly turn: number },
  take: Take<LossState>,
) {
  const before = state.issues[issue]!;
  const launches = before.launches.with(turn - 1, before.launches[turn - 1]! - 1);
  const landed = { ...state, issues: state.issues.with(issue, { ...before, launches }) };
  const own = places.flatMap((place, at) => (place.issue === issue && place.turn === turn ? [at] : []));
  const free = own.find((at) => state.containers[at]!.life === 'none');
  const who = `a launch of turn ${turn}, issue ${issue}`;
  if (free !== undefined) {
    const started = { life: 'started', isNew: scope.machine === undefined } as const;
    take(who, `starts container ${free + 1}`, {
      ...landed,
      containers: state.containers.with(free, started),
    });
  }
  if (free !== own[0]) take(who, 'finds the container that runs', landed);
}

function stepContainer(world: LossWorld, state: LossState, container: number, take: Take<LossState>) {
  const { life } = state.containers[container - 1]!;
  if (life === 'none' || life === 'stopped') return;
  const who = `container ${container}`;
  const open = isOpen(world, state.tick);
  // Flat keys without a shut door: a call then finds rows while the record is closed.
  const isServed = open || (world.isFlat && !world.scope.deletesRows);
  const to = (next: Life, from = state) => become(from, container, next);
  // While nothing is open a turn stops by itself in the end, and a start is refused.
  if (!world.scope.hangs || life === 'dying' || !open) take(who, 'stops', to('stopped'));
  if (life === 'started' && isServed) take(who, 'calls to start', to('calling'));
  if (life === 'calling' || (life === 'called' && world.isFlat)) comeToTheGate(world, state, container, take);
  else if (life === 'called' && world.isLeftOut('the gate reads the record again'))
    take(who, 'passes the gate among the rows of the lost generation', to('let in'));
  if (life === 'let in') {
    take(who, 'begins to work', to('working'));
    if (state.faults > 0)
      take(who, 'gets no answer and asks again', to('started', { ...state, faults: state.faults - 1 }));
  }
  if (life === 'working' && isServed) callIn(world, state, container, take);
}

function comeToTheGate(world: LossWorld, state: LossState, container: number, take: Take<LossState>) {
  const { issue, turn } = world.places[container - 1]!;
  const gate = { operation: 'gate', turn, container } as const;
  const { lease } = state.issues[issue]!;
  const landed = landOn(world, state, issue, gate);
  const passed = landed.done || world.leases.make('gate', gate).mine(lease);
  const waits = world.isFlat || world.isLeftOut('a turn without a row is told to stop');
  const otherwise = waits && lease === 0 ? 'started' : 'stopped';
  take(
    `container ${container}`,
    passed
      ? 'passes the gate'
      : otherwise === 'started'
        ? 'finds no row and waits'
        : 'is refused at the gate',
    become(landed.state, container, passed ? 'let in' : otherwise),
    landed.fault,
  );
}

/** A heartbeat goes on, binds an adopted lease, or is told to stop. */
function callIn(world: LossWorld, state: LossState, container: number, take: Take<LossState>) {
  const { issue, turn } = world.places[container - 1]!;
  const landed = landOn(world, state, issue, { operation: 'heartbeat', turn, container });
  const who = `container ${container}`;
  if (!landed.done && isOpen(world, state.tick))
    take(who, 'is told to stop', become(state, container, 'stopped'));
  const isNews = landed.state.issues[issue]!.lease !== state.issues[issue]!.lease;
  if (landed.done && isNews) take(who, 'binds the adopted lease', landed.state, landed.fault);
}

export function become(state: LossState, container: number, life: Life): LossState {
  const before = state.containers[container - 1]!;
  const isNew = life !== 'stopped' && before.isNew;
  return { ...state, containers: state.containers.with(container - 1, { life, isNew }) };
}

/** To be asked to stop is not to have stopped: a container at work goes on for a while. */
export function askToStop(state: LossState, container: number): LossState {
  const { life } = state.containers[container - 1]!;
  if (life === 'working' || life === 'let in') return become(state, container, 'dying');
  return life === 'started' ? become(state, container, 'stopped') : state;
}

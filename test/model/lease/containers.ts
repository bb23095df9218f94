import type { Take } from '../search/explore.ts';
import type { LeaseWorld } from './lease-model.ts';
import type { LeaseState } from './lease-state.ts';
import { land, sendLate, withFault } from './lease-write.ts';

/** Each turn has two containers at most; a second one only when the runner forgot the first. */
export const firstOf = (turn: number): number => 2 * turn - 1;
export const turnOf = (container: number): number => Math.ceil(container / 2);

export const stateOfContainer = (state: LeaseState, container: number) => state.containers[container - 1]!;

/** Launches land, containers come to the gate, work, and stop at any moment. */
export function stepContainers(world: LeaseWorld, state: LeaseState, take: Take<LeaseState>) {
  for (let turn = 1; turn <= world.scope.turns; turn += 1)
    if (state.launches[turn - 1]! > 0) stepLaunch(world, state, turn, take);
  for (let container = 1; container <= state.containers.length; container += 1)
    stepContainer(world, state, container, take);
}

/** The token of the turn makes a repeated launch return the first container, while it is remembered. */
function stepLaunch(world: LeaseWorld, state: LeaseState, turn: number, take: Take<LeaseState>) {
  const landed = { ...state, launches: state.launches.with(turn - 1, state.launches[turn - 1]! - 1) };
  const [first, second] = [firstOf(turn), firstOf(turn) + 1];
  const who = `a launch of turn ${turn}`;
  if (stateOfContainer(state, first) === 'none')
    return take(who, `starts container ${first}`, become(landed, first, 'started'));
  const isTokenless = world.isLeftOut('the launch is repeated under its token');
  const hasStopped = stateOfContainer(state, first) === 'stopped';
  const isForgotten = world.scope.forgets === true && hasStopped;
  if (stateOfContainer(state, second) === 'none' && (isTokenless || isForgotten))
    take(
      who,
      `starts container ${second}`,
      become(landed, second, 'started'),
      hasStopped || world.scope.forgets ? undefined : 'SECOND CONTAINER',
    );
  if (!isTokenless || stateOfContainer(state, second) !== 'none')
    take(who, 'finds the container that runs', landed);
}

function stepContainer(world: LeaseWorld, state: LeaseState, container: number, take: Take<LeaseState>) {
  const now = stateOfContainer(state, container);
  if (now === 'none' || now === 'stopped') return;
  const who = `container ${container}`;
  const turn = turnOf(container);
  if (now === 'started') comeToTheGate(world, state, container, take);
  if (now === 'asked')
    take(
      who,
      'begins',
      become(land(world, state, { operation: 'gate', turn, container }).state, container, 'live'),
    );
  take(who, 'stops', become(state, container, 'stopped'));
}

function comeToTheGate(world: LeaseWorld, state: LeaseState, container: number, take: Take<LeaseState>) {
  const who = `container ${container}`;
  const turn = turnOf(container);
  if (world.isLeftOut('only the gate lets a container begin'))
    return take(who, 'begins without the gate', become(state, container, 'live'));
  if (world.isLeftOut('the gate writes')) {
    const { phase, turn: holder } = world.leases.facts(state.lease);
    if (holder === turn && phase === 'launching')
      take(who, 'is let in by a read', become(state, container, 'asked'));
    return;
  }
  const gate = { operation: 'gate', turn, container } as const;
  const landed = land(world, state, gate);
  const passed = landed.done || world.leases.make('gate', gate).mine(state.lease);
  take(
    who,
    passed ? 'passes the gate' : 'is refused at the gate',
    become(landed.state, container, passed ? 'live' : 'stopped'),
    landed.fault,
  );
  if (state.faults === 0) return;
  if (landed.done) take(who, 'passes the gate and gets no answer', withFault(landed.state), landed.fault);
  take(who, 'calls the gate: on its way', sendLate(withFault(state), gate));
}

function become(state: LeaseState, container: number, to: LeaseState['containers'][number]): LeaseState {
  return { ...state, containers: state.containers.with(container - 1, to) };
}

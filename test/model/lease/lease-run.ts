import type { Take } from '../search/explore.ts';
import type { Operands, Operation } from '../writes/write-makers.ts';
import { stateOfContainer, turnOf } from './containers.ts';
import { idleRun, type LeaseWorld } from './lease-model.ts';
import { type LeaseState, nameOf, type Run, withRunGone } from './lease-state.ts';
import { type AskedWrite, land, sendLate, withFault } from './lease-write.ts';
import { readsTheBoard, readsTheLease } from './reading.ts';
import { awaits, decides, findsMerged, prepares, proceed, sends, verifies } from './write-back.ts';

/** One run of a tick or of a handler, at its next step. */
export interface Step {
  readonly world: LeaseWorld;
  readonly state: LeaseState;
  readonly index: number;
  readonly run: Run;
  /** How the run is named in intents and endings. */
  readonly name: number;
  readonly who: string;
  readonly take: Take<LeaseState>;
}

export function stepRun(world: LeaseWorld, state: LeaseState, index: number, take: Take<LeaseState>) {
  const run = state.runs[index]!;
  const isTick = index < world.scope.ticks;
  const who = isTick ? (run.epoch === 0 ? 'a tick' : `tick ${run.epoch}`) : 'the handler';
  const step: Step = { world, state, index, run, take, who, name: nameOf(run, index) };
  if (run.at !== 'off' && state.crashes > 0)
    take(who, 'crashes', end(step, { ...state, crashes: state.crashes - 1 }));
  switch (run.at) {
    case 'off':
      return isTick ? startsTick(step) : startsHandler(step);
    case 'reads the board':
      return readsTheBoard(step);
    case 'reads the lease':
      return readsTheLease(step);
    case 'writes':
      return writes(step);
    case 'looks':
      return looks(step);
    case 'confirms':
      return confirms(step);
    case 'prepares':
      return prepares(step);
    case 'launches':
      return launches(step);
    case 'decides':
      return decides(step);
    case 'finds it merged':
      return findsMerged(step);
    case 'sends':
      return sends(step);
    case 'awaits':
    case 'restores':
      return awaits(step);
    case 'verifies':
      return verifies(step);
    case 'between rounds':
      take(who, 'ends', end(step, state));
      return take(
        who,
        'looks once more',
        put(step, state, { ...idleRun, epoch: run.epoch, isSecondRound: true, at: 'reads the board' }),
      );
  }
}

function startsTick(step: Step) {
  const { world, state, take } = step;
  const epoch = world.ticks.nextEpoch(state.epoch);
  take('a tick', `starts as tick ${epoch}`, put(step, { ...state, epoch }, { at: 'reads the board', epoch }));
}

/**
 * The runner reports a stopped container, at any later time and any number of times. The handler looks at the phase alone:
 * whether the container is the one that counts is left to the conditions of the writes.
 */
function startsHandler(step: Step) {
  const { state, take, world } = step;
  const { phase, turn } = world.leases.facts(state.lease);
  const operation = answersToEnd[phase];
  if (operation === undefined) return;
  for (let container = 1; container <= state.containers.length; container += 1) {
    if (stateOfContainer(state, container) !== 'stopped' || turnOf(container) !== turn) continue;
    take(step.who, `hears of container ${container}`, willWrite(step, state, { operation, turn, container }));
  }
}

const answersToEnd: Partial<Readonly<Record<string, Operation>>> = {
  launching: 'give-up-launch',
  running: 'end',
  stopping: 'stopped',
  ending: 'join',
};

function confirms(step: Step) {
  const { state, run, take } = step;
  const isCurrent = state.epoch === run.epoch;
  const operation = isCurrent ? 'mark' : 'unclaim';
  take(step.who, isCurrent ? 'confirms' : 'is superseded', willWrite(step, state, { ...run, operation }));
}

function launches(step: Step) {
  const { state, run, take } = step;
  const sent = Math.min(2, state.launches[run.turn - 1]! + 1);
  take(
    step.who,
    `launches turn ${run.turn}`,
    leave(step, { ...state, launches: state.launches.with(run.turn - 1, sent) }),
  );
}

/** A conditional write: answered; or carried out without an answer, or on its way, or both at once. */
function writes(step: Step) {
  const { world, state, run, take } = step;
  const asked = askedWrite(step);
  const { title, mine } = world.leases.make(asked.operation, asked);
  const landed = land(world, state, asked);
  if (landed.done) take(step.who, title, proceed(step, landed.state), landed.fault);
  else take(step.who, `${title}: refused`, mine(state.lease) ? proceed(step, state) : refuse(step, state));
  if (state.faults === 0) return;
  const look = (from: LeaseState) => put(step, withFault(from), { ...run, at: 'looks' });
  if (landed.done) {
    take(step.who, `${title}: no answer`, look(landed.state), landed.fault);
    take(step.who, `${title}: twice`, proceed(step, sendLate(withFault(landed.state), asked)), landed.fault);
  }
  take(step.who, `${title}: on its way`, look(sendLate(state, asked)));
}

/** After an unknown result a consistent read decides: my write is there, or this run leaves the issue alone. */
function looks(step: Step) {
  const { world, state, take } = step;
  const asked = askedWrite(step);
  const isMine = world.leases.make(asked.operation, asked).mine(state.lease);
  take(
    step.who,
    isMine ? 'finds its write' : 'does not find its write',
    isMine ? proceed(step, state) : refuse(step, state),
  );
}

function askedWrite({ run, name }: Step): AskedWrite {
  const { operation, turn, container, intent, other, column, landed, seen } = run;
  return { operation, turn, container, intent, other, column, landed, seen, by: name };
}

/** What a run does when its write is not what is stored. */
function refuse(step: Step, state: LeaseState): LeaseState {
  const { run } = step;
  return run.purpose === 'decide again' ? put(step, state, decidesAgain(run)) : leave(step, state);
}

export function decidesAgain(run: Run): Run {
  const { epoch, isSecondRound, turn, intent } = run;
  return { ...idleRun, epoch, isSecondRound, turn, intent, at: 'decides' };
}

export function willWrite(
  step: Step,
  state: LeaseState,
  write: { readonly operation: Operation } & Partial<Omit<Operands, 'by'>> & Partial<Run>,
): LeaseState {
  return put(step, state, { ...write, at: 'writes' });
}

export function put({ index }: Step, state: LeaseState, to: Partial<Run>): LeaseState {
  return { ...state, runs: state.runs.with(index, { ...state.runs[index]!, ...to }) };
}

/** The run does nothing more with this issue, in this round. */
export function leave(step: Step, state: LeaseState): LeaseState {
  const { world, run, index } = step;
  const looksAgain = world.scope.rounds === true && index < world.scope.ticks && !run.isSecondRound;
  return looksAgain
    ? put(step, state, { ...idleRun, epoch: run.epoch, at: 'between rounds' })
    : end(step, state);
}

function end(step: Step, state: LeaseState): LeaseState {
  return withRunGone(put(step, state, idleRun), step.world.leases, step.name);
}

import type { Take } from '../search/explore.ts';
import type { SentWrite } from '../writes/lease-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { type CapsWorld, land, ofTurn } from './caps-model.ts';
import type { CapsState, Tick } from './caps-state.ts';

/** One tick at its next step. */
export interface Step {
  readonly world: CapsWorld;
  readonly state: CapsState;
  readonly number: number;
  readonly tick: Tick;
  readonly name: string;
  readonly take: Take<CapsState>;
}

/** Goes to the next issue that was seen idle; ends the tick when there is none, or no slot left. */
export function toNextClaim(step: Step, state: CapsState, from: number): CapsState {
  const { world, number } = step;
  const tick = state.ticks[number]!;
  const used = tick.counted.reduce((sum, count) => sum + count, 0);
  const issue = tick.seen.findIndex((sight, at) => at >= from && sight !== 'held');
  if (issue < 0 || used >= world.scope.cap) {
    const over = { ...world.off, at: 'between rounds', epoch: tick.epoch } as const;
    return world.scope.rounds ? put(step, state, over) : end(step, state);
  }
  const at = world.isLeftOut('the epoch is confirmed after the claim') ? 'checks its epoch' : 'claims';
  // What was seen of the issues that are passed over is of no use any more.
  const seen = tick.seen.map((sight, other) => (other < issue ? 'held' : sight));
  return put(step, state, { ...tick, at, issue, seen, turn: 0 });
}

interface Answers {
  readonly done: (state: CapsState) => CapsState;
  readonly refused: (state: CapsState) => CapsState;
  readonly unknown: (state: CapsState) => CapsState;
}

/** A conditional write: answered, or carried out without an answer, or on its way. */
export function write(step: Step, operation: Operation, operands: Partial<SentWrite>, answers: Answers) {
  const { world, state, tick, take } = step;
  const sent: SentWrite = { ...ofTurn(tick.turn), ...operands, operation };
  const deed = `${operation}, issue ${tick.issue}`;
  const landed = land(world, state, tick.issue, sent);
  if (landed.done) {
    take(step.name, deed, answers.done(landed.state), landed.fault);
    take(step.name, `${deed}: no answer`, answers.unknown(landed.state), landed.fault);
  } else take(step.name, `${deed}: refused`, answers.refused(state));
  if (state.late.length >= world.scope.late) return;
  const late = { ...state, late: [...state.late, { issue: tick.issue, write: sent }] };
  take(step.name, `${deed}: on its way`, answers.unknown(late));
}

export function isMine({ world, state, tick }: Step, operation: Operation): boolean {
  return world.leases.make(operation, ofTurn(tick.turn)).mine(state.issues[tick.issue]!.lease);
}

export function isCurrent({ state, tick }: Step): boolean {
  return state.epoch === tick.epoch;
}

export function sendLaunch(state: CapsState, issue: number): CapsState {
  return { ...state, issues: state.issues.with(issue, { ...state.issues[issue]!, sent: true }) };
}

export function go(step: Step, to: Partial<Tick>): CapsState {
  return put(step, step.state, to);
}

export function put({ number }: Step, state: CapsState, to: Partial<Tick>): CapsState {
  return { ...state, ticks: state.ticks.with(number, { ...state.ticks[number]!, ...to }) };
}

export function end(step: Step, state: CapsState): CapsState {
  return put(step, state, step.world.off);
}

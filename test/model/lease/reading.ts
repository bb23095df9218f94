import type { LeaseFacts } from '../writes/lease-facts.ts';
import { stateOfContainer } from './containers.ts';
import { leave, put, type Step, willWrite } from './lease-run.ts';
import { type LeaseState, newIntent } from './lease-state.ts';
import { columnOf, isWanted } from './surroundings.ts';

export function readsTheBoard(step: Step) {
  const wanted = isWanted(step.state.board);
  step.take(
    step.who,
    `reads the board: ${columnOf(step.state.board)}`,
    put(step, step.state, { at: 'reads the lease', wanted }),
  );
}

/** What a tick does about the lease as it reads it. The write comes later, when the lease may be another one. */
export function readsTheLease(step: Step) {
  const { world, state } = step;
  const facts = world.leases.facts(state.lease);
  if (facts.pending !== undefined && !world.isLeftOut('nothing is released while a move is open'))
    return seesOpenMove(step, facts.pending);
  switch (facts.phase) {
    case 'none':
    case 'idle':
      return seesIdle(step, facts);
    case 'claimed':
      if (facts.epoch < step.run.epoch)
        return go(step, 'an old claim', willWrite(step, state, { operation: 'unclaim', turn: facts.turn }));
      return nothing(step, 'a claim of its own time');
    case 'launching':
      return seesLaunch(step, facts);
    case 'running':
      return seesRunning(step, facts);
    case 'stopping':
      return seesStopping(step, facts);
    case 'ending':
      return go(step, 'an ending', willWrite(step, state, { operation: 'join', turn: facts.turn }));
  }
}

/** A move that somebody left open is stamped at first sight, and taken over after the hold-down. */
function seesOpenMove(step: Step, pending: NonNullable<LeaseFacts['pending']>) {
  const { world, state } = step;
  const { intent: other, turn, to: column, isStamped } = pending;
  if (!isStamped)
    return go(
      step,
      'an open move',
      willWrite(step, state, { operation: 'stamp-intent', turn, column, other }),
    );
  const isAtWork = state.runs.some(({ intent }) => intent === other);
  // The hold-down outlasts every move of a run that is over.
  const isHeld =
    state.moving.length > 0 && !world.isLeftOut('an open move is taken over after the hold-down');
  if (isAtWork || isHeld) return nothing(step, 'an open move that may still land');
  const intent = newIntent(state, world.leases);
  go(
    step,
    'an open move',
    willWrite(step, state, { operation: 'take-over-intent', turn, column, other, intent }),
  );
}

function seesIdle(step: Step, { phase, turn }: LeaseFacts) {
  const { world, state, run } = step;
  const seen = phase === 'none' ? 'none' : 'idle';
  if (world.scope.resets && seen === 'idle')
    go(step, 'a person’s move', willWrite(step, state, { operation: 'reset', seen }));
  if (world.scope.merges && state.board.label === 'review')
    go(step, 'a merged one', put(step, state, { at: 'finds it merged', operation: 'intent-of-merge', seen }));
  const mayStart = run.wanted && isWanted(state.board) && turn < world.scope.turns;
  if (!mayStart) return nothing(step, 'nothing to do');
  go(
    step,
    'an issue to start',
    willWrite(step, state, {
      operation: 'claim',
      turn: turn + 1,
      seen,
      column: columnOf(state.board),
      from: columnOf(state.board),
    }),
  );
}

/** An ungated launch may be given up at any time: refused, too late, or not wanted; else it is repeated. */
function seesLaunch(step: Step, facts: LeaseFacts) {
  const { state, run } = step;
  const { turn } = facts;
  go(step, 'a launch to give up', willWrite(step, state, { operation: 'give-up-launch', turn }));
  if (run.wanted)
    go(step, 'a launch', put(step, state, { ...prepared(facts), at: 'prepares', purpose: 'launch' }));
}

function seesRunning(step: Step, facts: LeaseFacts) {
  const { world, state, run } = step;
  const { turn, container } = facts;
  if (stateOfContainer(state, container) === 'stopped')
    return go(step, 'its container stopped', willWrite(step, state, { operation: 'end', turn, container }));
  if (world.isLeftOut('a running turn is not taken over') && turn < world.scope.turns)
    go(
      step,
      'a silent turn',
      willWrite(step, state, { operation: 'claim', turn: turn + 1, column: 'todo', from: 'todo' }),
    );
  if (world.isLeftOut('a missing task is not a stopped one'))
    go(step, 'its container missing', willWrite(step, state, { operation: 'end', turn, container }));
  // Not wanted any more, silent, or past its deadline.
  go(step, 'a turn to stop', willWrite(step, state, { operation: 'stop', turn }));
  if (run.wanted)
    go(step, 'a turn', put(step, state, { ...prepared(facts), at: 'prepares', purpose: 'running' }));
}

function seesStopping(step: Step, facts: LeaseFacts) {
  const { world, state } = step;
  const { turn, container } = facts;
  const isStopped = stateOfContainer(state, container) === 'stopped';
  if (!isStopped && !world.isLeftOut('to ask for a stop is not to see it'))
    return nothing(step, 'a turn that is stopping');
  go(step, 'its container stopped', willWrite(step, state, { operation: 'stopped', turn, container }));
}

/** Whether the move to in progress is still owed, as the lease tells. */
function prepared({ turn, startedFrom, writtenState }: LeaseFacts) {
  const isOwed = writtenState === 'none' && startedFrom !== 'doing';
  return { turn, from: startedFrom, column: isOwed ? 'doing' : 'none' } as const;
}

function nothing(step: Step, what: string) {
  go(step, what, leave(step, step.state));
}

function go(step: Step, what: string, next: LeaseState) {
  step.take(step.who, `sees ${what}`, next);
}

import { mayReplace } from '../../../lib/core/settle.ts';
import { stateOf } from '../writes/stand-ins.ts';
import { decidesAgain, leave, put, type Step, willWrite } from './lease-run.ts';
import { type LeaseState, newIntent, type Run } from './lease-state.ts';
import { columnOf, isWanted } from './surroundings.ts';

/** The last look before a launch, and the move to in progress where it is owed. */
export function prepares(step: Step) {
  const { world, state, run, take } = step;
  const { board } = state;
  const isBlind = world.isLeftOut('the issue is read before the move to in progress');
  const mayMove = isWanted(board) && board.label === run.from;
  const isAllowed = isBlind || (run.column === 'doing' ? mayMove : isWanted(board));
  const deed = `reads the issue: ${columnOf(board)}`;
  if (!isAllowed) {
    const givesUp = run.purpose === 'launch';
    return take(
      step.who,
      deed,
      givesUp ? willWrite(step, state, { operation: 'give-up-launch' }) : leave(step, state),
    );
  }
  if (run.column !== 'doing')
    return take(
      step.who,
      deed,
      run.purpose === 'launch' ? put(step, state, { at: 'launches' }) : leave(step, state),
    );
  take(
    step.who,
    deed,
    announce(step, { operation: 'intent-of-start', column: 'doing', from: columnOf(board) }),
    board.closed ? visible : undefined,
  );
}

/** What follows an ending, from the issue as it is now: a hand-off, or none. */
export function decides(step: Step) {
  const { world, state, run, take } = step;
  const { board } = state;
  const facts = world.leases.facts(state.lease);
  const isBlind = world.isLeftOut('the issue is read before the hand-off');
  const ours = {
    ...world.leases.item(state.lease)!,
    startedFrom: stateOf(facts.startedFrom),
    writtenState: facts.writtenState === 'none' ? undefined : stateOf(facts.writtenState),
  };
  const isAllowed =
    !board.closed && mayReplace({ state: stateOf(board.label) }, ours) && board.label !== 'review';
  const deed = `reads the issue: ${columnOf(board)}`;
  take(step.who, `${deed}, ends without a hand-off`, willWrite(step, state, { ...run, operation: 'settle' }));
  if (!isAllowed && !isBlind) return;
  const handOff = {
    operation: 'intent-of-end',
    column: 'review',
    from: columnOf(board),
    purpose: 'hand-off',
  } as const;
  take(step.who, `${deed}, hands off`, announce(step, handOff), board.closed ? visible : undefined);
}

/** An issue of which all work was merged, as it is now. */
export function findsMerged(step: Step) {
  const { world, state, take, run } = step;
  const { board } = state;
  const isBlind = world.isLeftOut('the issue is read before it is finished as merged');
  const deed = `reads the issue: ${columnOf(board)}`;
  const isAllowed = !board.closed && board.label === 'review';
  if (!isAllowed && !isBlind) return take(step.who, deed, leave(step, state));
  const move = { column: 'merged', from: columnOf(board), purpose: 'merge', seen: run.seen } as const;
  take(
    step.who,
    `${deed}, finishes it`,
    announce(step, { ...move, operation: 'intent-of-merge' }),
    board.closed ? visible : undefined,
  );
}

const visible = 'WROTE OVER A VISIBLE TERMINAL';

function announce(step: Step, move: Partial<Run> & Pick<Run, 'operation'>): LeaseState {
  const { world, state, run } = step;
  const isSkipped =
    world.isLeftOut('a move is announced') ||
    (move.operation === 'intent-of-start' && world.isLeftOut('the move to in progress is announced'));
  if (isSkipped) return put(step, state, { ...move, at: 'sends' });
  const isSame = world.isLeftOut('an announcement has a name of its own') && run.intent > 0;
  return willWrite(step, state, { ...move, intent: isSame ? run.intent : newIntent(state, world.leases) });
}

/** Sends the move while the read before it is fresh; after a longer pause it is withdrawn. */
export function sends(step: Step) {
  const { world, state, run, name, take } = step;
  const move = { turn: run.turn, to: run.column, from: run.from, sender: name };
  const sent = { ...state, moving: [...state.moving, move] };
  take(step.who, `sends the move to ${run.column}`, put(step, sent, { at: 'awaits' }));
  if (world.leases.facts(state.lease).pending?.intent !== run.intent) return;
  const withdrawn = { operation: 'clear-intent', landed: false, purpose: 'none' } as const;
  take(step.who, 'finds its read too old', willWrite(step, state, withdrawn));
}

/** The answer comes with the landing. Without one the move stays announced, and a later tick sees it through. */
export function awaits(step: Step) {
  const { state, take } = step;
  if (state.faults > 0)
    take(step.who, 'waits too long for the tracker', leave(step, { ...state, faults: state.faults - 1 }));
}

/** Reads the issue again; a close that our move replaced is put back. */
export function verifies(step: Step) {
  const { world, state, run, name, take } = step;
  const { board } = state;
  const stands = !board.closed && board.label === run.column;
  const owesRepair = stands && board.overwritten && !world.isLeftOut('an overwritten close is repaired');
  if (owesRepair) {
    const restore = { turn: run.turn, to: 'closed', from: run.column, sender: name } as const;
    return take(
      step.who,
      'sees a close overwritten and puts it back',
      put(step, { ...state, moving: [...state.moving, restore] }, { at: 'restores' }),
    );
  }
  // A move that the tracker has answered was made, wherever the issue stands now.
  const landed = stands || run.purpose !== 'none';
  const wanted = isWanted(board);
  const next = willWrite(step, state, { operation: 'clear-intent', landed, wanted });
  take(step.who, `sees the issue in ${columnOf(board)}`, next);
}

/** What follows a write that is stored. */
export function proceed(step: Step, state: LeaseState): LeaseState {
  const { run } = step;
  switch (run.operation) {
    case 'claim':
      return put(step, state, { at: 'confirms' });
    case 'mark':
      return put(step, state, {
        at: 'prepares',
        purpose: 'launch',
        column: run.from === 'doing' ? 'none' : 'doing',
      });
    case 'end':
    case 'join':
      return put(step, state, decidesAgain(run));
    case 'intent-of-start':
    case 'intent-of-end':
    case 'intent-of-merge':
      return put(step, state, { at: 'sends' });
    case 'take-over-intent':
      return put(step, state, { at: 'verifies', purpose: 'none', other: 0 });
    case 'clear-intent':
      return afterMove(step, state);
    default:
      return leave(step, state);
  }
}

/** Once its move is seen through, a run forgets the name under which it was announced. */
function afterMove(step: Step, before: LeaseState): LeaseState {
  const { run, world } = step;
  const keepsName = world.isLeftOut('an announcement has a name of its own');
  const intent = keepsName ? run.intent : 0;
  const state = put(step, before, { intent });
  switch (run.purpose) {
    case 'launch':
      return run.wanted
        ? put(step, state, { at: 'launches' })
        : willWrite(step, state, { operation: 'give-up-launch' });
    case 'hand-off':
      return willWrite(step, state, { operation: 'settle' });
    case 'decide again':
      return put(step, state, decidesAgain({ ...run, intent }));
    default:
      return leave(step, state);
  }
}

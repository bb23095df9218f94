import type { Take } from '../search/explore.ts';
import type { Column } from '../writes/stand-ins.ts';
import type { LeaseWorld } from './lease-model.ts';
import { type Board, type LeaseState, nameOf } from './lease-state.ts';
import { land } from './lease-write.ts';

/** Where the issue stands, as one column. */
export const columnOf = ({ label, closed }: Board): Column => (closed ? 'closed' : label);
export const isWanted = (board: Board): boolean =>
  !board.closed && (board.label === 'todo' || board.label === 'doing');

const hasOneField = ({ scope }: LeaseWorld): boolean => scope.board !== 'separate fields';

/** People close the issue, put it aside, put it back to the start, or edit it where it stands. */
export function stepPeople(world: LeaseWorld, state: LeaseState, take: Take<LeaseState>) {
  if (state.moves === 0) return;
  for (const to of ['closed', 'backlog', 'todo'] as const) {
    const before = state.board;
    if (columnOf(before) === to) continue;
    const label = to === 'closed' ? (hasOneField(world) ? 'todo' : before.label) : to;
    const board = { label, closed: to === 'closed', overwritten: false };
    take('a person', `moves the issue to ${to}`, { ...state, moves: state.moves - 1, board });
  }
  if (world.scope.board === 'compare and set')
    take('a person', 'edits the issue', { ...withOlderReads(state), moves: state.moves - 1 });
}

/** A tracker that compares takes no move that was decided from the issue as it was before. */
function withOlderReads(state: LeaseState): LeaseState {
  const isDecided = ({ at, operation }: LeaseState['runs'][number]) =>
    at === 'sends' ||
    ((at === 'writes' || at === 'looks') &&
      (operation === 'intent-of-start' || operation === 'intent-of-end' || operation === 'intent-of-merge'));
  return {
    ...state,
    runs: state.runs.map((run) => (isDecided(run) ? ({ ...run, from: 'none' } as const) : run)),
    moving: state.moving.map((move) => ({ ...move, from: 'none' }) as const),
  };
}

/** Moves on their way reach the tracker, and whoever sent them gets the answer, if it is still there. */
export function stepMoves(world: LeaseWorld, state: LeaseState, take: Take<LeaseState>) {
  state.moving.forEach((move, at) => {
    const rest = { ...state, moving: state.moving.toSpliced(at, 1) };
    const isStale = world.scope.board === 'compare and set' && columnOf(state.board) !== move.from;
    const deed = `to ${move.to} ${isStale ? 'finds the issue changed' : 'lands'}, turn ${move.turn}`;
    const next = isStale ? rest : { ...rest, board: boardAfter(world, state.board, move.to) };
    take(
      'a move',
      deed,
      answer(next, move.sender, isStale),
      isStale ? undefined : wrongMove(world, state, move),
    );
  });
}

function boardAfter(world: LeaseWorld, board: Board, to: Column): Board {
  if (!hasOneField(world)) return { ...board, label: to };
  if (to === 'closed') return { label: 'todo', closed: true, overwritten: false };
  return { label: to, closed: false, overwritten: board.closed || board.overwritten };
}

/** A move may land only while its turn holds the lease with the move announced. */
function wrongMove(
  world: LeaseWorld,
  { lease, board }: LeaseState,
  { turn, to }: LeaseState['moving'][number],
): string | undefined {
  const { phase, turn: holder, pending } = world.leases.facts(lease);
  const isOfMerge = turn === 0 && phase === 'idle';
  const isHeld = holder === turn && phase !== 'none' && phase !== 'idle' && phase !== 'claimed';
  if (!(isHeld || isOfMerge) || pending?.turn !== turn) return 'STALE WRITE';
  return hasOneField(world) && board.closed && to !== 'closed' ? 'TERMINAL OVERWRITTEN' : undefined;
}

function answer(state: LeaseState, sender: number, isStale: boolean): LeaseState {
  const index = state.runs.findIndex(
    (run, at) => (run.at === 'awaits' || run.at === 'restores') && nameOf(run, at) === sender,
  );
  const run = state.runs[index];
  if (run === undefined) return state;
  const clears = { ...run, at: 'writes', operation: 'clear-intent' } as const;
  const purpose = run.purpose === 'hand-off' ? 'decide again' : 'none';
  const next = isStale
    ? ({ ...clears, landed: false, purpose } as const)
    : run.at === 'restores'
      ? ({ ...clears, landed: true } as const)
      : ({ ...run, at: 'verifies' } as const);
  return { ...state, runs: state.runs.with(index, next) };
}

/** Conditional writes on their way land, or never do. */
export function stepLateWrites(world: LeaseWorld, state: LeaseState, take: Take<LeaseState>) {
  state.late.forEach((write, at) => {
    const rest = { ...state, late: state.late.toSpliced(at, 1) };
    const { title } = world.leases.make(write.operation, write);
    take('a late write', `is lost: ${title}`, rest);
    const landed = land(world, rest, write);
    if (landed.done) take('a late write', `lands: ${title}`, landed.state, landed.fault);
  });
}

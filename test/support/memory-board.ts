import type { StateMove } from '../../lib/controller/ports.ts';
import { type Issue, type Mover, type StateName, stateKey, type TrackerState } from '../../lib/core/issue.ts';
import { buildIssue, type IssueFields } from './build-issue.ts';

export interface MemoryBoardOptions {
  readonly states: readonly string[];
  readonly separateFields: boolean;
  readonly closingStates: readonly string[];
  readonly keepsMoves: boolean;
}

export interface Card {
  issue: Issue;
  /** Grows with every change, so that a write can tell whether the issue is still as read. */
  version: number;
  moves: StateMove[];
  comments: { readonly ref: string; readonly marker: string; readonly body: string }[];
  broken: { readonly problem: string; readonly conflictingStates: boolean } | undefined;
}

export interface MemoryBoard {
  readonly options: MemoryBoardOptions;
  states: TrackerState[];
  readonly cards: Map<string, Card>;
  readonly writes: { readonly id: string; readonly to: string }[];
}

/** What a person does on the board. Each takes effect at once; a mistake in the test throws. */
export interface Person {
  add(fields: IssueFields): void;
  move(id: string, to: string, by?: Mover): void;
  edit(id: string, fields: IssueFields): void;
  /** Where closing and states are not separate fields, closing is a move into the first closing state. */
  close(id: string): void;
  reopen(id: string): void;
  delete(id: string): void;
  /** The state keeps its id, and the issues in it go along. */
  renameState(from: string, to: string): void;
  removeState(name: string): void;
  /** The issue can no longer be understood, until it is mended. */
  break(id: string, problem?: string, conflictingStates?: boolean): void;
  mend(id: string): void;
}

export function memoryBoard(options: MemoryBoardOptions): MemoryBoard {
  const states = options.states.map((name, index) => ({ id: `state-${index}`, name: name as StateName }));
  return { options, states, cards: new Map(), writes: [] };
}

export function memoryPerson(board: MemoryBoard): Person {
  const change = (id: string, fields: Partial<Issue>): void => {
    const card = needCard(board, id);
    card.issue = { ...card.issue, ...fields };
    card.version += 1;
  };
  const person: Person = {
    add(fields) {
      const issue = buildIssue(fields);
      const closed = issue.closed || closes(board, issue.state);
      const card = { issue: { ...issue, closed }, version: 0, moves: [], comments: [], broken: undefined };
      board.cards.set(issue.id, card);
    },
    move: (id, to, by = 'person') => moveCard(board, id, to as StateName, by, false),
    edit(id, fields) {
      change(id, buildIssue({ ...(needCard(board, id).issue as IssueFields), ...fields, id }));
    },
    close(id) {
      if (board.options.separateFields) change(id, { closed: true });
      else person.move(id, board.options.closingStates[0] ?? fail('No state of this board closes an issue.'));
    },
    reopen(id) {
      if (board.options.separateFields) change(id, { closed: false });
      else fail('Where closing is a state, reopening is a move: use person.move.');
    },
    delete(id) {
      if (!board.cards.delete(id)) fail(`There is no issue ${id} on this board.`);
    },
    renameState(from, to) {
      const isIt = (name: StateName | undefined) => name !== undefined && stateKey(name) === stateKey(from);
      if (!board.states.some((state) => isIt(state.name))) fail(`There is no state ${from} on this board.`);
      board.states = board.states.map((state) =>
        isIt(state.name) ? { ...state, name: to as StateName } : state,
      );
      for (const { issue } of board.cards.values())
        if (isIt(issue.state)) change(issue.id, { state: to as StateName });
    },
    removeState(name) {
      board.states = board.states.filter((state) => stateKey(state.name) !== stateKey(name));
    },
    break(id, problem = 'it cannot be understood', conflictingStates = false) {
      needCard(board, id).broken = { problem, conflictingStates };
    },
    mend(id) {
      needCard(board, id).broken = undefined;
    },
  };
  return person;
}

export function moveCard(board: MemoryBoard, id: string, to: StateName, by: Mover, ours: boolean): void {
  const card = needCard(board, id);
  const closed = board.options.separateFields ? card.issue.closed : closes(board, to);
  card.moves.push({ from: card.issue.state, to, ours });
  card.issue = { ...card.issue, state: to, closed, movedBy: board.options.keepsMoves ? by : 'person' };
  card.version += 1;
}

/** Whether standing in this state means being closed. */
export function closes(board: MemoryBoard, state: StateName | undefined): boolean {
  if (board.options.separateFields || state === undefined) return false;
  return board.options.closingStates.some((name) => stateKey(name) === stateKey(state));
}

export function needCard(board: MemoryBoard, id: string): Card {
  return board.cards.get(id) ?? fail(`There is no issue ${id} on this board.`);
}

function fail(problem: string): never {
  throw new Error(problem);
}

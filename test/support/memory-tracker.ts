import type { FreshIssue, StateMove, Tracker, Written } from '../../lib/controller/ports.ts';
import {
  type Instant,
  type Issue,
  type IssueId,
  type Reading,
  type StateName,
  stateKey,
} from '../../lib/core/issue.ts';
import type { IssueFields } from './build-issue.ts';
import {
  type Card,
  closes,
  type MemoryBoard,
  memoryBoard,
  memoryPerson,
  moveCard,
  needCard,
  type Person,
} from './memory-board.ts';
import { type Faults, memoryFaults } from './memory-faults.ts';

export interface MemoryTrackerOptions {
  readonly states?: readonly string[];
  readonly issues?: readonly IssueFields[];
  /** Closing and states are separate fields, as at GitHub. Otherwise an issue is closed by standing in a closing state. */
  readonly separateFields?: boolean;
  /** The states that close an issue where the fields are not separate. */
  readonly closingStates?: readonly string[];
  readonly lateWriteMs?: number;
  /** Whether a write is refused when the issue changed since it was read; without it the last writer wins. */
  readonly compareAndSet?: boolean;
  /** Whether the tracker can tell how an issue came to where it is, and who moved it. */
  readonly keepsMoves?: boolean;
  /** Whether asking costs something; it does anyway once it was limited. */
  readonly isPriced?: boolean;
}

/** A board in memory, with hands on it: what a person does, what goes wrong, and what can be seen afterwards. */
export interface MemoryTracker extends Tracker {
  readonly person: Person;
  readonly faults: Faults;
  /** From now on it has a price, and its vendor answers nothing until then; undefined: it answers again. */
  limit(until: Instant | undefined): void;
  readonly seen: Seen;
}

export interface Seen {
  issue(id: string): Issue | undefined;
  stateOf(id: string): string | undefined;
  /** The bodies of our comments on the issue, oldest first. */
  comments(id: string): readonly string[];
  /** Every move that landed on the board, whoever made it, oldest first. */
  moves(id: string): readonly StateMove[];
  /** The states that our writes set, in the order in which they landed. */
  writes(): readonly { readonly id: string; readonly to: string }[];
}

export function memoryTracker(options: MemoryTrackerOptions = {}): MemoryTracker {
  const board = memoryBoard({
    states: options.states ?? ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'],
    separateFields: options.separateFields ?? false,
    closingStates: options.closingStates ?? ['Done', 'Cancelled'],
    keepsMoves: options.keepsMoves ?? true,
  });
  const person = memoryPerson(board);
  for (const issue of options.issues ?? []) person.add(issue);
  const faults = memoryFaults();
  const answers = makeAnswers(board, options.compareAndSet ?? true);
  const limits = { isPriced: options.isPriced ?? false, until: undefined as Instant | undefined };
  return {
    lateWriteMs: options.lateWriteMs ?? 0,
    separateFields: board.options.separateFields,
    quota: () => {
      const requests = faults.calls().length;
      return limits.isPriced
        ? { requests, points: requests, remaining: 5_000 - requests, limitedUntil: limits.until }
        : undefined;
    },
    limit(until) {
      limits.isPriced = true;
      limits.until = until;
      faults.refuseAll(until !== undefined);
    },
    person,
    faults,
    seen: makeSeen(board),
    states: () => faults.run('states', undefined, () => board.states),
    notices: () => faults.run('notices', undefined, () => []),
    list: async (states) => {
      if (states.length === 0) return { issues: [], broken: [] };
      return faults.run('list', undefined, () => answers.list(states));
    },
    count: (state) => faults.run('count', undefined, () => answers.list([state]).issues.length),
    find: (key) =>
      faults.run('find', undefined, () =>
        answers.read(key as IssueId).kind === 'gone' ? undefined : (key as IssueId),
      ),
    read: (id) => faults.run('read', id, () => answers.read(id)).catch(describeUnknown),
    readMany: async (ids) => {
      if (ids.length === 0) return new Map();
      const readAll = () => new Map(ids.map((id) => [id, answers.read(id)]));
      const nothing = (error: unknown) => new Map(ids.map((id) => [id, describeUnknown(error)]));
      return faults.run('readMany', undefined, readAll).catch(nothing);
    },
    transition: (issue, to) => faults.run('transition', issue.id, () => answers.write(issue, to, false)),
    restore: (issue, to) => faults.run('restore', issue.id, () => answers.write(issue, to, true)),
    moves: (id) => faults.run('moves', id, () => answers.moves(id)),
    comment: (issue, comment) => faults.run('comment', issue.id, () => answers.comment(issue, comment)),
  };
}

function makeSeen(board: MemoryBoard): Seen {
  return {
    issue: (id) => board.cards.get(id)?.issue,
    stateOf: (id) => board.cards.get(id)?.issue.state,
    comments: (id) => board.cards.get(id)?.comments.map(({ body }) => body) ?? [],
    moves: (id) => board.cards.get(id)?.moves ?? [],
    writes: () => board.writes,
  };
}

function makeAnswers(board: MemoryBoard, compareAndSet: boolean) {
  const versions = new WeakMap<FreshIssue, number>();
  return {
    list(states: readonly StateName[]) {
      const keys = new Set(states.map(stateKey));
      const cards = [...board.cards.values()];
      const sound = cards.filter((card) => card.broken === undefined).map(({ issue }) => issue);
      const issues = sound.filter(({ state }) => state !== undefined && keys.has(stateKey(state)));
      return { issues, broken: cards.flatMap(describeBroken) };
    },
    moves: (id: IssueId) => (board.options.keepsMoves ? board.cards.get(id)?.moves.slice() : undefined),
    read(id: IssueId): Reading<FreshIssue> {
      const card = board.cards.get(id);
      if (card === undefined) return { kind: 'gone' };
      if (card.broken !== undefined) return { kind: 'unknown', problem: card.broken.problem };
      const issue = { ...card.issue } as FreshIssue;
      versions.set(issue, card.version);
      return { kind: 'found', issue };
    },
    write(fresh: FreshIssue, to: StateName, restoring: boolean): Written {
      const card = board.cards.get(fresh.id);
      const target = board.states.find(({ name }) => stateKey(name) === stateKey(to));
      if (target === undefined) return { kind: 'rejected', problem: `The board has no state '${to}'.` };
      const isAsRead = card !== undefined && versions.get(fresh) === card.version;
      if (compareAndSet && !isAsRead) return { kind: 'changed' };
      if (card === undefined) return { kind: 'rejected', problem: `There is no issue ${fresh.key}.` };
      if (fresh.closed && !restoring && !closes(board, to)) {
        return { kind: 'rejected', problem: `${fresh.key} is closed; only a person reopens it.` };
      }
      moveCard(board, fresh.id, target.name, 'automation', true);
      board.writes.push({ id: fresh.id, to: target.name });
      return { kind: 'written' };
    },
    comment(issue: FreshIssue, comment: Parameters<Tracker['comment']>[1]): { readonly ref: string } {
      const card = needCard(board, issue.id);
      const found =
        card.comments.find(({ ref }) => ref === comment.ref) ??
        card.comments.find(({ marker }) => marker === comment.marker);
      const next = { ...comment, ref: found?.ref ?? `comment-${issue.id}-${card.comments.length + 1}` };
      if (found === undefined) card.comments.push(next);
      else card.comments = card.comments.map((one) => (one === found ? next : one));
      return { ref: next.ref };
    },
  };
}

function describeBroken({ issue, broken }: Card) {
  return broken === undefined ? [] : [{ id: issue.id, key: issue.key, ...broken }];
}

function describeUnknown(error: unknown): { readonly kind: 'unknown'; readonly problem: string } {
  return { kind: 'unknown', problem: error instanceof Error ? error.message : String(error) };
}

import type { FreshIssue, Listing, Tracker, Written } from '../../controller/ports.ts';
import { type IssueId, type Reading, type StateName, stateKey } from '../../core/issue.ts';
import { readStates } from './board-states.ts';
import { moveIssue } from './move-issue.ts';
import { issueReader, type PrintedIssue, printMark } from './read-issues.ts';
import { writeStatus } from './status-file.ts';
import type { SwapTiming } from './swap-file.ts';

export interface LocalBoardOptions {
  readonly folder: string;
  /** The states in which a blocker no longer blocks, and out of which only a person moves an issue. */
  readonly terminalStates: readonly string[];
  /** Milliseconds since the epoch, by the clock that stamps the files. */
  readonly now?: () => number;
  readonly timing?: SwapTiming;
}

/**
 * A board that is a folder of Markdown files. `KEY.md` is an issue: front matter with `title` and `state`, optionally
 * `priority` (1 to 4), `labels`, `blocked_by` (keys) and `created_at`, and its description below. `KEY.status.md` is its
 * status comment, `board.yaml` names the states.
 *
 * Without `created_at` an issue is as old as its file, which a move, or an editor that saves by rename, makes new.
 *
 * A file that cannot be understood is broken, never gone: it may be just being written. A file that is not there is gone
 * after three looks within a fifth of a second; an editor can take longer over a save than that, which is why absence is
 * to be believed only when it is seen again later. There is no record of moves; whoever can write here is a person, and
 * trusted. Writes are local and die with the process.
 */
export function localBoard(options: LocalBoardOptions): Tracker {
  const { folder, terminalStates, now = Date.now, timing = { quietMs: 25, lookAgainMs: 25 } } = options;
  const reader = issueReader(folder, terminalStates, now);
  const terminal = new Set(terminalStates.map(stateKey));
  const isTerminal = (state: StateName | undefined) => state !== undefined && terminal.has(stateKey(state));

  const list = async (states: readonly StateName[]): Promise<Listing> => {
    if (states.length === 0) return { issues: [], broken: [] };
    const wanted = new Set(states.map(stateKey));
    const { issues, broken } = await reader.readAll();
    const known = await readStates(folder).catch(() => undefined);
    const columns = known && new Set([...known.map(({ name }) => stateKey(name)), ...wanted]);
    return {
      issues: issues.filter(({ state }) => state !== undefined && wanted.has(stateKey(state))),
      broken,
      // Whoever cannot tell the board's states says nothing of strays.
      strays: issues.flatMap(({ id, key, state }) =>
        columns === undefined || state === undefined || columns.has(stateKey(state))
          ? []
          : [{ id, key, state }],
      ),
    };
  };
  // Only this adapter's own reads make fresh issues; the print that they carry is what a write compares.
  const readMany = (ids: readonly IssueId[]) =>
    reader.readSome(ids) as Promise<ReadonlyMap<IssueId, Reading<PrintedIssue & FreshIssue>>>;
  const write = async (issue: FreshIssue, to: StateName): Promise<Written> => {
    const print = (issue as FreshIssue & Partial<PrintedIssue>)[printMark];
    if (print === undefined)
      throw new Error(`${issue.key} was not read from this board; read it before moving it.`);
    return moveIssue(folder, issue, print, to, timing);
  };

  return {
    lateWriteMs: 0,
    separateFields: false,
    quota: () => undefined,
    states: () => readStates(folder),
    notices: async () => [],
    list,
    count: async (state) => (await list([state])).issues.length,
    find: async (key) => {
      const id = key as IssueId;
      return (await readMany([id])).get(id)?.kind === 'found' ? id : undefined;
    },
    read: async (id) =>
      (await readMany([id])).get(id) ?? { kind: 'unknown', problem: `${id} was not looked for.` },
    readMany,
    transition: async (issue, to) => {
      if (!isTerminal(issue.state) || isTerminal(to)) return write(issue, to);
      return { kind: 'rejected', problem: `${issue.key} is in '${issue.state}'; only a person reopens it.` };
    },
    restore: write,
    moves: async () => undefined,
    comment: (issue, { body }) => writeStatus(folder, issue.key, body),
  };
}

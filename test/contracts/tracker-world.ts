import type { FreshIssue, Tracker } from '../../lib/controller/ports.ts';
import type { IssueId, StateName } from '../../lib/core/issue.ts';
import type { IssueFields } from '../support/build-issue.ts';

/** A tracker with an empty board behind it, and hands on that board which do not go through the tracker. */
export interface TrackerWorld {
  readonly tracker: Tracker;
  /** Whether a write is refused when the issue has changed since it was read. */
  readonly comparesAndSets: boolean;
  readonly keepsMoves: boolean;
  add(fields: IssueFields): Promise<IssueId>;
  move(id: IssueId, to: string): Promise<void>;
  close(id: IssueId): Promise<void>;
  /** Changes the issue's text and leaves its state. */
  edit(id: IssueId): Promise<void>;
  remove(id: IssueId): Promise<void>;
  /** Makes the issue impossible to understand. */
  spoil(id: IssueId, how: 'unreadable' | 'conflicting-states'): Promise<void>;
  /** The vendor refuses whatever reads, from now on; absent where asking costs nothing. */
  readonly limit?: (() => Promise<void>) | undefined;
  /** From now on the tracker does not answer. */
  breakDown(): Promise<void>;
  stateOf(id: IssueId): Promise<string | undefined>;
  /** Everything of the issue but its state and its comments, for comparison to the byte. */
  restOf(id: IssueId): Promise<string>;
  commentsOf(id: IssueId): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export const boardStates = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'];
export const finalStates = ['Done', 'Cancelled'];

export async function readFresh(world: TrackerWorld, id: IssueId): Promise<FreshIssue> {
  const reading = await world.tracker.read(id);
  if (reading.kind !== 'found') throw new Error(`${id} was read as ${JSON.stringify(reading)}`);
  return reading.issue;
}

export async function listIds(world: TrackerWorld, states: readonly string[]): Promise<readonly IssueId[]> {
  const { issues } = await world.tracker.list(states as StateName[]);
  return issues.map(({ id }) => id).sort();
}

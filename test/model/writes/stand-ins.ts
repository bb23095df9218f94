import type {
  Arn,
  BoardId,
  IssueId,
  IssueKey,
  StateKey,
  StateName,
  TurnId,
} from '../../../lib/core/issue.ts';
import { type Evidence, type Lease, unclaimedLease } from '../../../lib/core/lease.ts';

/** What the small numbers of the models stand for in the product's own values. */
export const now = 1;
export const generation = 'generation';
export const turnIdOf = (turn: number) => `${turn}-${'a'.repeat(26)}` as TurnId;
export const arnOf = (container: number) => `arn-${container}` as Arn;
export const bootOf = (container: number) => `${arnOf(container)}#key`;
export const invocationOf = (run: number) => `run-${run}`;
export const announcementOf = (intent: number) => `announcement-${intent}`;

/** The columns of the board; `none` is for writes that name no column. */
export const columns = ['none', 'todo', 'doing', 'review', 'backlog', 'closed', 'merged'] as const;
export type Column = (typeof columns)[number];
export const stateOf = (column: Column) => column as string as StateName;
export const stateKeyOf = (column: Column) => column as string as StateKey;

export const emptyLease: Lease = unclaimedLease('board' as BoardId, 'issue' as IssueId, 'KEY-1' as IssueKey);

/** What a claim or a reset was decided from: no item, the item as it still is, or one that has been written since. */
export const sights = ['none', 'idle', 'stale'] as const;
export type Sight = (typeof sights)[number];
/** Versions only ever tell whether an item has been written since; so every stored item shows the same one. */
export const storedVersion = 2;
export const versionSeen = { none: 0, stale: 1, idle: storedVersion } as const satisfies Record<
  Sight,
  number
>;

export function evidenceOf(container: number): Evidence {
  return { arn: arnOf(container), at: now, exitCode: 0, signal: undefined, cause: 'exit', detail: 'exit 0' };
}

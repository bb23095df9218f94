import type { Instant, Issue, IssueId, IssueKey, TurnId } from './issue.ts';
import type { LedgerUpdate } from './lease-write.ts';
import type { LiveTask } from './observation.ts';

/** What a tick may do with an issue, the closed list. */
export const actions = [
  'start',
  'repeat',
  'adopt',
  'stop',
  'settle',
  'release',
  'finish-write',
  'reset',
  'forget',
  'keep',
  'wait',
  'ignore',
] as const;
export type Action = (typeof actions)[number];

/** Why, the closed list. */
export const reasons = [
  'running',
  'claimed',
  'start',
  'ended',
  'stale',
  'deadline',
  'superseded',
  'write-open',
  'ledger-lost',
  'moved-by-person',
  'not-active',
  'terminal',
  'merged',
  'missing-label',
  'untrusted-actor',
  'blocked',
  'conflicting-states',
  'parked',
  'retry-not-due',
  'review-queue-full',
  'budget-issue',
  'budget-day',
  'cap-deployment',
  'cap-board',
  'cap-state',
  'breaker-open',
  'paused',
  'contract-invalid',
  'read-incomplete',
  'unknown',
  'gone',
  'quota',
  'time',
] as const;
export type Reason = (typeof reasons)[number];

/** What waits for one of these ends by itself; every other wait ends by a person, a setting or another issue. */
const timedReasons: readonly Reason[] = [
  'retry-not-due',
  'breaker-open',
  'quota',
  'unknown',
  'read-incomplete',
  'time',
];

/** One decision of a plan: what to do with one issue and why; refusals included. */
export interface Decision {
  readonly issueId: IssueId;
  readonly key: IssueKey;
  readonly action: Action;
  readonly reason: Reason;
  /** One sentence for people. */
  readonly detail: string;
  readonly turnId?: TurnId | undefined;
  /** Until when it waits, where that is known. */
  readonly until?: Instant | undefined;
  /** What a person can do about it. */
  readonly toResume?: string | undefined;
  /** For `start`, `reset` and `settle`: the issue as it was read. */
  readonly issue?: Issue | undefined;
  /** What the tick notes on the lease: silence, absence. */
  readonly note?: LedgerUpdate | undefined;
  /** For `settle`: what has been wrong with the issue for so long that the turn is settled without reading it. */
  readonly unreadable?: string | undefined;
  /** For a task that no lease names. */
  readonly orphan?: LiveTask | undefined;
}

/**
 * Whether this is a wait that time alone ends. One for which a person can do something, such as for an issue whose file is
 * broken, may last for ever, whatever its reason.
 */
export function endsByItself({
  action,
  reason,
  toResume,
}: Pick<Decision, 'action' | 'reason' | 'toResume'>): boolean {
  return action === 'wait' && timedReasons.includes(reason) && toResume === undefined;
}

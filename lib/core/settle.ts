import type { Arn, BoardId, Instant, IssueId, IssueKey, StateName, TurnId } from './issue.ts';
import type { Park, Transition } from './lease.ts';
import type { TurnResult } from './turn-protocol.ts';

export const failureClasses = [
  'infrastructure', 'agent', 'verification', 'no-progress', 'authentication', 'billing', 'delivery', 'policy', 'cancelled',
] as const;
export type FailureClass = (typeof failureClasses)[number];

/** What follows a turn that has ended. */
export type Outcome = 'handed-off' | 'retry' | 'recheck' | 'parked' | 'released';

/** A turn's history, put once: the commit of its settlement, from which counters and parks are folded. */
export interface SettlementRecord {
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly key: IssueKey;
  readonly turnId: TurnId;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly failureClass: FailureClass | undefined;
  readonly reason: string;
  /** When the next try may start, for `retry`. */
  readonly nextAt: Instant | undefined;
  readonly parked: Park | undefined;
  /** The state the issue was left in, as last read or written. */
  readonly state: StateName | undefined;
  readonly policyHash: string | undefined;
  readonly transitions: readonly Transition[];
  readonly result: TurnResult | undefined;
  readonly arn: Arn | undefined;
  readonly startedAt: Instant | undefined;
  readonly endedAt: Instant;
}

import type { BoardRecord } from './board-record.ts';
import type { LiveContract, Problem } from './contract.ts';
import type {
  Arn,
  BoardId,
  Instant,
  Issue,
  IssueId,
  IssueKey,
  Reading,
  StateKey,
  StateName,
  TurnId,
} from './issue.ts';
import type { Evidence, Lease } from './lease.ts';

/** One board as a tick found it: what should be running, what is running, and how much of that could be read. */
export interface Observation {
  readonly board: BoardId;
  /** Claims of a smaller epoch were never launched and are released. */
  readonly epoch: number;
  readonly contract: LiveContract;
  /** Set while the board may start nothing; the last good workflow file goes on stopping and settling. */
  readonly workflowProblem: WorkflowProblem | undefined;
  /** The issues in active states, all of them or none. */
  readonly listing: CompleteListing | IncompleteListing;
  /**
   * Issues in the hand-off state of which a pull request with all of their branch was merged; none where that decides
   * nothing, or could not be told now.
   */
  readonly merged: readonly MergedIssue[];
  /** Why nobody could tell now what was merged. */
  readonly mergesUnread?: string | undefined;
  /** Every issue that has a lease, a park or a retry and is not in the listing, read by id. */
  readonly readings: ReadonlyMap<IssueId, Reading>;
  /** Now and then, idle issues of which nothing is waited for, read by id: whether they are finished. */
  readonly dormant: ReadonlyMap<IssueId, Reading>;
  readonly leases: ReadonlyMap<IssueId, Lease>;
  /** What the runner said of every container named on a lease; `unknown` when it did not answer. */
  readonly tasks: ReadonlyMap<Arn, TaskState> | 'unknown';
  /** Live tasks of this board, where they were listed in this tick; listed before the leases were read. */
  readonly liveTasks: readonly LiveTask[];
  readonly record: Pick<BoardRecord, 'paused' | 'breakers' | 'quotaResetAt'>;
  readonly timing: Timing;
  /** How long a write of a dead invocation may still land. */
  readonly lateWriteMs: number;
}

/** An issue whose branch was merged, and when by its code host. */
export interface MergedIssue {
  readonly issue: Issue;
  readonly at: Instant;
}

/** Why the workflow file of a board must not be followed: it is broken, or another host follows one. */
export interface WorkflowProblem extends Problem {
  /** What a person can do about it. */
  readonly toResume: string;
}

export interface CompleteListing extends Listing {
  readonly kind: 'complete';
  /** How many issues wait for a person in the hand-off state. */
  readonly inHandoff: number;
}

export interface IncompleteListing {
  readonly kind: 'incomplete';
  readonly problem: string;
  /** Until when the board is not read, where its tracker's quota is the cause. */
  readonly limitedUntil?: Instant | undefined;
}

export interface Listing {
  readonly issues: readonly Issue[];
  /** Issues that cannot be understood: reported, never taken for absent. */
  readonly broken: readonly BrokenIssue[];
  /** Issues in a state that the board does not have, where a board lets that happen. */
  readonly strays?: readonly StrayIssue[];
}

/** An issue that stands in no column. */
export interface StrayIssue {
  readonly id: IssueId;
  readonly key: IssueKey;
  readonly state: StateName;
}

export interface BrokenIssue {
  readonly id: IssueId;
  readonly key: IssueKey;
  readonly problem: string;
  /** It names two states where one is allowed. */
  readonly conflictingStates: boolean;
}

export type TaskState =
  | { readonly kind: 'running' }
  | { readonly kind: 'stopped'; readonly evidence: Evidence }
  /** The runner does not know it (any more, or yet): never evidence by sight. */
  | { readonly kind: 'missing' };

/** A container or process that is not known to be stopped. */
export interface LiveTask {
  readonly arn: Arn;
  readonly turnId: TurnId;
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly attempt: number;
  readonly capStates: readonly StateKey[];
  /** The runner says that its program has not begun yet. Absent where it has, or where nobody can say. */
  readonly isBooting?: true | undefined;
}

/** Times that differ between hosts, in milliseconds. */
export interface Timing {
  /** What a tick may take before it ends itself. */
  readonly tickBudgetMs: number;
  /** From a lease's last heartbeat seen to asking for its stop. */
  readonly staleMs: number;
  /** From a launch's mark to giving it up. */
  readonly launchWindowMs: number;
  /** An ending older than this is joined by a tick. */
  readonly joinAfterMs: number;
  /** Added to the turn's own timeout before the tick asks for a stop. */
  readonly deadlineGraceMs: number;
  readonly heartbeatMs: number;
  /** How often the live tasks are listed for orphans. */
  readonly sweepMs: number;
  /** How long a lost ledger must be seen closed before it may open; 0 where the host proves all former invocations dead. */
  readonly reopenAfterMs: number;
  /** A container the runner does not know is believed gone after this long and `goneSightings` ticks without a heartbeat. */
  readonly goneAfterMs: number;
  readonly goneSightings: number;
  /** A lease is forgotten when its issue is read as finished so long after it first was. */
  readonly forgetAfterMs: number;
  /** In one of so many ticks it is looked whether idle issues are finished. */
  readonly dormantLookTicks: number;
  /**
   * When this host began to serve: no turn could be launched again or heard of right before. Undefined where the
   * platform answers turns all the time.
   */
  readonly servedSince?: Instant | undefined;
}

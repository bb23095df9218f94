import type { TickSummary } from '../core/board-record.ts';
import type { Problem } from '../core/contract.ts';
import type { Action, Reason } from '../core/decision.ts';
import type { PullRequest } from '../core/pull-request.ts';
import type { SettlementRecord } from '../core/settle.ts';

/**
 * What people may ask of a deployment and the little they may tell it, in the form in which `--json` prints it. Times are
 * ISO 8601 in UTC. There is no cancel and no retry: moving the card is both.
 */
export interface Operations {
  status(): Promise<StatusReport>;
  /** What the next tick would do. Writes nothing. */
  plan(): Promise<PlanReport>;
  /** Where several boards have the key: the one on `board`. Of an issue that no board and no lease knows: `board` is null and `decisions` is empty. */
  explain(key: string, board?: string | undefined): Promise<ExplainedIssue>;
  /** Oldest first; of one issue, or of every board. */
  history(key: string | undefined): Promise<readonly HistoryEntry[]>;
  /** One tick now, as if scheduled. */
  tick(): Promise<TickOutcome>;
  /** All boards, or one. A paused board starts nothing; what runs goes on. Answers the boards concerned. */
  pause(board: string | undefined): Promise<readonly string[]>;
  resume(board: string | undefined): Promise<readonly string[]>;
}

export interface StatusReport {
  /** Whether every board is paused; `pausedBoards` names those that are. */
  readonly paused: boolean;
  readonly pausedBoards: readonly string[];
  readonly lastTick:
    | (Omit<TickSummary, 'startedAt' | 'finishedAt'> & {
        readonly startedAt: string;
        readonly finishedAt: string;
      })
    | null;
  readonly running: readonly {
    readonly board: string;
    readonly key: string;
    readonly turnId: string;
    readonly attempt: number;
    readonly phase: string;
    readonly state: string | null;
    readonly startedAt: string | null;
    readonly lastProgressAt: string | null;
  }[];
  readonly waiting: readonly {
    readonly board: string;
    readonly key: string;
    readonly reason: Reason;
    readonly until: string | null;
    readonly toResume: string | null;
  }[];
  readonly retrying: readonly {
    readonly board: string;
    readonly key: string;
    readonly failures: number;
    readonly class: string;
    readonly dueAt: string;
  }[];
  readonly parked: readonly {
    readonly board: string;
    readonly key: string;
    readonly reason: string;
    readonly since: string;
    readonly toResume: string;
  }[];
  /** In the hand-off state, parked ones included. */
  readonly inReview: number;
  /** How many of those are parked. */
  readonly parkedInReview: number;
  /** Of today (UTC). */
  readonly spent: { readonly usdToday: number; readonly turnsWithUnknownUsage: number };
  /** Why boards start nothing: their workflow file or its contract with the board is broken. */
  readonly problems: readonly (Problem & { readonly board: string })[];
}

export interface PlanReport {
  readonly boards: readonly {
    readonly board: string;
    readonly contract: { readonly valid: boolean; readonly problems: readonly Problem[] };
    readonly decisions: readonly PlannedDecision[];
  }[];
}

export interface PlannedDecision {
  readonly key: string;
  readonly action: Action;
  readonly reason: Reason;
  readonly detail: string;
  readonly until?: string;
  readonly toResume?: string;
}

export interface ExplainReport {
  readonly key: string;
  readonly board: string | null;
  readonly title: string | null;
  readonly state: string | null;
  readonly phase: string;
  /** What the next tick would do with it, and why. */
  readonly decisions: readonly PlannedDecision[];
  readonly turns: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly spentUsd: number;
  /** Turns whose cost is not in `spentUsd` because nobody told it. */
  readonly turnsWithUnknownUsage: number;
  readonly parked: {
    readonly reason: string;
    readonly since: string;
    readonly detail: string;
    readonly toResume: string;
  } | null;
  readonly nextAt: string | null;
  readonly lastTurn: HistoryEntry | null;
}

/** The report and, beside it, the other boards that have an issue of this key. */
export type ExplainedIssue = ExplainReport & { readonly alsoOn: readonly string[] };

export type TickOutcome =
  | {
      readonly kind: 'done';
      readonly epoch: number;
      readonly complete: boolean;
      readonly problems: readonly string[];
      readonly boards: PlanReport['boards'];
    }
  | { readonly kind: 'not-admitted' }
  | { readonly kind: 'closed'; readonly opened: boolean; readonly detail: string };

export interface HistoryEntry {
  readonly turnId: string;
  readonly attempt: number;
  readonly board: string;
  readonly key: string;
  readonly policyHash: string | null;
  readonly baseSha: string | null;
  readonly workspace: string | null;
  /** Whether some of the turn's work is in that workspace and nowhere else. */
  readonly inWorkspaceOnly: boolean;
  readonly transitions: readonly {
    readonly from: string;
    readonly to: string;
    readonly at: string;
    readonly actor: string;
    readonly reason: string;
    readonly evidence: string | null;
  }[];
  readonly outcome: SettlementRecord['outcome'];
  readonly class: SettlementRecord['failureClass'] | null;
  readonly reason: string;
  readonly branch: string | null;
  readonly headSha: string | null;
  readonly pushed: boolean;
  readonly pullRequest: PullRequest | null;
  readonly wipBranch: string | null;
  readonly bundle: string | null;
  /** What became of work beside the branch, in sentences. */
  readonly notes: readonly string[];
  readonly verify: readonly {
    readonly command: string;
    readonly status: string;
    readonly exitCode: number | null;
    readonly durationMs: number;
  }[];
  readonly usage: { readonly usd: number | null; readonly tokens: number | null } | null;
  readonly startedAt: string | null;
  readonly endedAt: string;
}

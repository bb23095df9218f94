import type { BoardRecord, TickRecord } from '../core/board-record.ts';
import type { Change } from '../core/change.ts';
import type {
  Arn,
  BoardId,
  Instant,
  Issue,
  IssueId,
  Reading,
  StateKey,
  StateName,
  TrackerState,
  TurnId,
} from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { Listing, LiveTask, TaskState, Timing, WorkflowProblem } from '../core/observation.ts';
import type { SettlementRecord } from '../core/settle.ts';
import type { Fact } from '../core/trace.ts';
import type { TrackerQuota } from '../core/tracker-quota.ts';
import type { Workflow } from '../core/workflow.ts';
import type { TickTrigger, TurnAccess, WebhookSource } from './edge-ports.ts';

/**
 * What the controllers need of the world. Expected failures (a lost race, a missing issue, a refused launch) are values;
 * a method that throws means *unknown*: it may or may not have happened, and the caller must look or repeat, never assume.
 */

export type { BoardRecord, TickRecord, TickSummary } from '../core/board-record.ts';
export type { Listing, LiveTask, TaskState, Timing, WorkflowProblem } from '../core/observation.ts';
export type * from './edge-ports.ts';

declare const freshMark: unique symbol;
/** An issue as one read by id just found it. Only `Tracker.read` makes it, so that re-reading before writing is a type rule. */
export type FreshIssue = Issue & { readonly [freshMark]: true };

export type Written =
  | { readonly kind: 'written' }
  /** Someone changed the issue between the read and the write; nothing was written. */
  | { readonly kind: 'changed' }
  /** The tracker will not do it: a state that does not exist, a permission that is missing. */
  | { readonly kind: 'rejected'; readonly problem: string };

/**
 * The name of the status comment, or what stands in its way: the cause and the place, in words that hold no text of an issue.
 */
export type Commented =
  | { readonly ref: string; readonly problem?: undefined }
  | { readonly ref?: undefined; readonly problem: string };

/** How an issue came to where it is now, for verifying a write: newest last; undefined when the tracker keeps no record. */
export interface StateMove {
  readonly from: StateName | undefined;
  readonly to: StateName | undefined;
  readonly ours: boolean;
}

/** The board: the only place that says what should be running. */
export interface Tracker {
  /**
   * How long a write of a dead invocation may still land, in milliseconds: the hold-down before its intent is taken
   * over. 0 where writes are local and die with the process.
   */
  readonly lateWriteMs: number;
  /** Whether closing and our states are separate fields, so that our write can never overwrite a close. */
  readonly separateFields: boolean;
  /** What it has taken and leaves, as far as is known here; undefined where asking costs nothing. Makes no call. */
  quota(): TrackerQuota | undefined;
  /**
   * The states that exist now, in the board's order. Throws when they cannot be read completely. `next` says that the
   * active issues are asked for right afterwards, so that a tracker may ask for both at once.
   */
  states(next?: 'list'): Promise<readonly TrackerState[]>;
  /** What a person should know of this board and is no fault, such as its own automations. For people, never in a tick. */
  notices(): Promise<readonly string[]>;
  /**
   * Every issue in one of these states, all pages or a throw; a partial list is a failure. An issue that cannot be
   * understood is not in the list; it stands in `broken` and is `unknown` when read. An empty input makes no call.
   */
  list(states: readonly StateName[]): Promise<Listing>;
  /** How many issues stand in this state. Throws when it cannot be counted. */
  count(state: StateName): Promise<number>;
  /**
   * The issue that people call so, whatever state it is in; undefined where the board has none. For people, never in a
   * tick. Throws when it cannot be told.
   */
  find(key: string): Promise<IssueId | undefined>;
  /** The issue as it is now. `gone` only by the tracker's own word; whatever else goes wrong is `unknown`. Never throws. */
  read(id: IssueId): Promise<Reading<FreshIssue>>;
  /** `read` for many, in as few calls as the tracker allows; ids that were not answered are `unknown`. Never throws. */
  readMany(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Reading<FreshIssue>>>;
  /**
   * Moves the issue to `to`. One try, never repeated by the adapter. Never reopens. Where the tracker can compare, it
   * writes only if the issue is still as read. Throws when the outcome is not known.
   */
  transition(issue: FreshIssue, to: StateName): Promise<Written>;
  /** Undoes an overwrite of a terminal state by our own write: writes exactly that state back, once. */
  restore(issue: FreshIssue, to: StateName): Promise<Written>;
  /** The latest moves of the issue, or undefined when there is no reliable record. */
  moves(id: IssueId): Promise<readonly StateMove[] | undefined>;
  /**
   * Puts the one status comment of the issue: replaces the one found by `ref`, else by `marker` in a comment of our own,
   * else creates it. Repeating it adds no second comment. Throws when it is not known whether it was put.
   */
  comment(
    issue: FreshIssue,
    comment: { readonly marker: string; readonly body: string; readonly ref: string | undefined },
  ): Promise<Commented>;
}

/** What a turn is started from, frozen at the claim and never changed; every repeated launch sends the same. */
export interface TurnRecord {
  readonly turnId: TurnId;
  readonly board: BoardId;
  readonly attempt: number;
  readonly capStates: readonly StateKey[];
  readonly issue: Issue;
  readonly workflow: Workflow;
  /** The repository as an address git understands. */
  readonly repository: string;
  readonly feedback: string | undefined;
  readonly claimedAt: Instant;
}

/**
 * What cannot be re-derived from the board, and the leases. Single-item conditional writes and consistent reads only.
 * A write answers `done` or `refused` (a condition did not hold); it throws when the outcome is not known. Reads are
 * consistent; `undefined` is the store's own word that there is no such item.
 *
 * The ledger itself adds 1 to `v` with every change, and writes what names an item (`board`, `issueId`); a change need
 * not say either, and what it says of `v` is left out. A change that creates a lease sets its `key`, as `unclaimedLease`
 * does. Undefined values are not stored, at any depth. Fields that this version does not know are kept.
 */
export interface Ledger {
  /** Whether the store's item of ticks exists, and what it says. */
  tick(): Promise<TickRecord | undefined>;
  /** Applies the change and returns the record after it, or `refused`. */
  changeTick(change: Change<TickRecord>): Promise<TickRecord | 'refused'>;
  board(board: BoardId): Promise<BoardRecord | undefined>;
  changeBoard(board: BoardId, change: Change<BoardRecord>): Promise<'done' | 'refused'>;
  /** Every lease of the generation, of all boards. */
  leases(gen: string): Promise<readonly Lease[]>;
  lease(gen: string, board: BoardId, issue: IssueId): Promise<Lease | undefined>;
  changeLease(
    gen: string,
    board: BoardId,
    issue: IssueId,
    change: Change<Lease>,
  ): Promise<'done' | 'refused'>;
  /** Puts the turn's frozen request once; `refused` when it is there already. */
  putTurn(record: TurnRecord): Promise<'done' | 'refused'>;
  turn(turnId: TurnId): Promise<TurnRecord | undefined>;
  /** Puts a turn's history once: the commit of its settlement. `refused` when it is there already. */
  putHistory(record: SettlementRecord): Promise<'done' | 'refused'>;
  historyOf(
    board: BoardId,
    issue: IssueId,
    turnId: TurnId,
    attempt: number,
  ): Promise<SettlementRecord | undefined>;
  /** Oldest first. Without an issue: of the whole board. */
  history(board: BoardId, issue: IssueId | undefined): Promise<readonly SettlementRecord[]>;
}

export interface LaunchRequest {
  readonly turnId: TurnId;
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly attempt: number;
  readonly capStates: readonly StateKey[];
  /** Burnt by the turn's `start`. */
  readonly ticket: string;
  readonly task: Workflow['agent']['task'];
}

export type Launch =
  | { readonly kind: 'launched'; readonly arn: Arn }
  /** Certainly not launched, now or later. */
  | { readonly kind: 'refused'; readonly problem: string };

/** Starts, observes and stops turns. */
export interface Runner {
  /** Idempotent by turnId: repeating it returns the first task. Throws when the outcome is not known. */
  launch(request: LaunchRequest): Promise<Launch>;
  /** The state of each of these; throws when the runner did not answer for all of them. */
  describe(arns: readonly Arn[]): Promise<ReadonlyMap<Arn, TaskState>>;
  /** Every live task of this deployment, also those told to stop; all or a throw. */
  list(): Promise<readonly LiveTask[]>;
  /** Asks for a stop; the answer is no evidence. Repeating it is harmless. */
  stop(arn: Arn): Promise<void>;
}

/** One structured line per fact. Never throws; a lost line changes no decision. */
export interface Reporter {
  report(fact: Fact): void;
}

export interface Clock {
  /** Never runs backwards within a deployment, also over restarts. */
  now(): Instant;
  sleep(ms: number): Promise<void>;
}

export interface Ids {
  /** 26 random base32 characters: unguessable, unique. */
  random(): string;
}

/** Makes and checks what only this deployment can make. */
export interface Seal {
  /** The one-time ticket of a turn. */
  ticket(turnId: TurnId): string;
  /** SHA-256 of a key, hex. */
  digest(text: string): string;
}

/** One board as it is served now. */
export interface Board {
  readonly id: BoardId;
  readonly tracker: Tracker;
  readonly workflow: Workflow;
  /** Set while the workflow file is broken or not to be followed: the last good one goes on stopping and settling, and nothing starts. */
  readonly workflowProblem: WorkflowProblem | undefined;
  /** The repository as an address git understands. */
  readonly repository: string;
}

export interface Settings {
  /** Turns at once over all boards. */
  readonly maxConcurrentAgents: number;
  readonly transitionsPerTick: number;
  readonly timing: Timing;
}

export interface Ports extends TurnAccess {
  /** Read anew at every tick, so that a changed workflow file is taken up. */
  boards(): Promise<readonly Board[]>;
  readonly ledger: Ledger;
  readonly runner: Runner;
  readonly trigger: TickTrigger;
  /** By the name in the address: `/webhooks/<name>`. */
  readonly webhooks: Readonly<Record<string, WebhookSource>>;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly settings: Settings;
}

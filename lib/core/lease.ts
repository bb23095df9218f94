import type { Arn, BoardId, Instant, IssueId, IssueKey, StateKey, StateName, TurnId } from './issue.ts';
import type { TurnResult } from './turn-protocol.ts';

/**
 * One item per issue holds lease and ledger together. The lease is ended by evidence, never by a clock: a missing
 * heartbeat or a deadline only asks for a stop.
 *
 * - `idle`: nothing is owned; the item may hold counters, a retry time or a park.
 * - `claimed`: certainly never launched. Any newer tick releases it.
 * - `launching`: confirmed, perhaps launched, nobody works yet. Any tick may repeat the launch under the same turnId.
 * - `running`: the one container named in `liveArn` passed the gate.
 * - `stopping`: was told to stop; gate, heartbeat and result refuse.
 * - `ending`: the container is proven stopped; what follows is being decided.
 */
export const phases = ['idle', 'claimed', 'launching', 'running', 'stopping', 'ending'] as const;
export type Phase = (typeof phases)[number];

/** Every legal transition; anything else is a fault of the code. `none` is an issue without an item. */
export const legalTransitions: ReadonlyArray<
  readonly [from: Phase | 'none', to: Phase | 'none', operation: string]
> = [
  ['none', 'claimed', 'claim'],
  ['idle', 'claimed', 'claim'],
  ['claimed', 'idle', 'unclaim'],
  ['claimed', 'launching', 'mark'],
  ['launching', 'idle', 'give-up-launch'],
  ['launching', 'running', 'gate'],
  ['running', 'running', 'gate'],
  ['running', 'stopping', 'stop'],
  ['running', 'ending', 'end'],
  ['stopping', 'idle', 'stopped'],
  ['ending', 'ending', 'join'],
  ['ending', 'idle', 'settle'],
  ['none', 'running', 'adopt'],
  ['idle', 'idle', 'reset'],
  // A move that no turn makes, of an issue of which nothing is known.
  ['none', 'idle', 'intent'],
  // Of an issue that has long been finished.
  ['idle', 'none', 'forget'],
];

/** How the runner saw a container end. */
export interface Evidence {
  readonly arn: Arn;
  readonly at: Instant;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** `platform` when the host, not the agent, ended it (spot loss, image pull, another boot id). */
  readonly cause: 'exit' | 'platform' | 'gone' | 'unknown';
  readonly detail: string;
  /** Whether it ended after this deployment had asked it to: a stop, or the end of its host. */
  readonly asked?: boolean | undefined;
  /** A result the turn left beside itself because no turn API answered. */
  readonly result?: TurnResult | undefined;
}

export interface Transition {
  readonly from: Phase | 'none';
  readonly to: Phase;
  readonly at: Instant;
  readonly actor: Actor;
  readonly reason: string;
  readonly evidence?: string | undefined;
}
export type Actor = 'tick' | 'turn-end' | 'turn' | 'look';

/** A tracker write that was announced before it was sent and not yet seen through. */
export interface Pending {
  readonly turnId: TurnId | undefined;
  readonly to: StateName;
  readonly from: StateName | undefined;
  /** Names this very announcement: whoever knows the name owns the write. Never used again. */
  readonly by: string;
  /** When a tick first saw it open; a take-over waits for the hold-down from here. */
  readonly seenAt?: Instant | undefined;
}

export interface Counters {
  readonly agent: number;
  readonly verification: number;
  readonly delivery: number;
  readonly policy: number;
  readonly noProgress: number;
  /** Turns in a row that were interrupted by what nothing but the issue itself explains; no try of the agent. */
  readonly infrastructure: number;
}

export interface Park {
  readonly reason: ParkReason;
  readonly since: Instant;
  readonly detail: string;
  readonly toResume: string;
}
export type ParkReason =
  | 'failures'
  | 'no-progress'
  | 'question'
  | 'turns'
  | 'budget'
  | 'infrastructure'
  | 'policy'
  | 'delivery'
  | 'verification';

/** What a stop was asked for; decides how the stopped turn is counted. */
export type StopReason =
  | 'not-active'
  | 'terminal'
  | 'missing-label'
  | 'gone'
  | 'stale'
  | 'deadline'
  | 'ledger-lost';

export interface Lease {
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly key: IssueKey;
  /** Version: every write adds one. */
  readonly v: number;
  /** Protocol version: an item of a newer one is left alone. */
  readonly pv: number;
  readonly phase: Phase;

  readonly turnId?: TurnId | undefined;
  /** The number of the latest turn, for people. */
  readonly attempt: number;
  readonly epoch?: number | undefined;
  /** The state the turn started from, and frozen with it the columns in which it holds a slot. */
  readonly startedFrom?: StateName | undefined;
  readonly capStates?: readonly StateKey[] | undefined;
  readonly claimedAt?: Instant | undefined;
  readonly markedAt?: Instant | undefined;
  readonly startedAt?: Instant | undefined;
  readonly launchArn?: Arn | undefined;
  readonly liveArn?: Arn | undefined;
  /** `<arn>#<sha256 of the turn's key>`: who passed the gate. */
  readonly boot?: string | undefined;
  /** Heartbeats accepted; `hbSeen` and `hbSeenAt` are what a tick last saw of it, so silence is measured between ticks. */
  readonly hb?: number | undefined;
  readonly hbSeen?: number | undefined;
  readonly hbSeenAt?: Instant | undefined;
  /** Signs of work counted by the turn, and when that number last grew. Liveness alone is no progress. */
  readonly progress?: number | undefined;
  readonly progressAt?: Instant | undefined;
  readonly stop?: { readonly reason: StopReason; readonly at: Instant; readonly detail: string } | undefined;
  readonly evidence?: Evidence | undefined;
  readonly endedAt?: Instant | undefined;
  readonly ender?: string | undefined;
  readonly result?: TurnResult | undefined;
  readonly transitions: readonly Transition[];
  /** When the tracker first said that the issue is gone; it is believed on a later tick. */
  readonly goneSince?: Instant | undefined;
  /** When a tick first read the issue as finished, or gone, while nothing of it was waited for. */
  readonly finishedSince?: Instant | undefined;
  /** When the runner first did not know `liveArn`, in how many ticks since, and with how many heartbeats then. */
  readonly missing?:
    | { readonly since: Instant; readonly count: number; readonly hb: number; readonly lastAt: Instant }
    | undefined;

  readonly pending?: Pending | undefined;

  /** The state last read or written: a difference to what is read now is a person's move. */
  readonly seenState?: StateName | undefined;
  /** The state this turn's own write left, so that hand-off may start from it. */
  readonly writtenState?: StateName | undefined;
  readonly counters: Counters;
  /** Turns since the last reset. */
  readonly turns: number;
  readonly spendUsd: number;
  readonly spendTokens: number;
  /** Turns whose usage is not known: unknown is not zero. */
  readonly unknownUsageTurns: number;
  readonly spendDay?: { readonly day: string; readonly usd: number } | undefined;
  readonly nextAt?: Instant | undefined;
  readonly retryClass?: string | undefined;
  readonly parked?: Park | undefined;
  /** The last turn's word to the next one: the tail of a failed gate, a moved branch. */
  readonly feedback?: string | undefined;
  /** Set at the end of a park or a policy trouble that owes the board a comment. */
  readonly commentRef?: string | undefined;

  /**
   * Why the stored item could not be understood; set by the ledger when it lists leases, never stored. Such a lease
   * comes as a running one of a newer protocol version: it holds a slot and is left alone, and the tick says so.
   */
  readonly unreadable?: string | undefined;
}

export const protocolVersion = 1;
export const noCounters: Counters = {
  agent: 0,
  verification: 0,
  delivery: 0,
  policy: 0,
  noProgress: 0,
  infrastructure: 0,
};

/** An issue's item before its first claim. */
export function unclaimedLease(board: BoardId, issueId: IssueId, key: IssueKey): Lease {
  return {
    board,
    issueId,
    key,
    v: 0,
    pv: protocolVersion,
    phase: 'idle',
    attempt: 0,
    transitions: [],
    counters: noCounters,
    turns: 0,
    spendUsd: 0,
    spendTokens: 0,
    unknownUsageTurns: 0,
  };
}

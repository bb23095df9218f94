import type { BoardRecord } from './board-record.ts';
import type { Instant } from './issue.ts';

/** What a tracker that charges for its answers has taken, and what it leaves. */
export interface TrackerQuota {
  /** Requests sent for this board so far, of every kind; counted from when the tracker was connected. */
  readonly requests: number;
  /** What they cost in the vendor's own measure. */
  readonly points: number;
  /** Points that are left until the quota is renewed, by the last answer; undefined before the first one. */
  readonly remaining: number | undefined;
  /**
   * Until when boards are not read: the vendor refuses, or what is left is kept for writing back. Undefined while nothing
   * stands in the way, as far as this process knows.
   */
  readonly limitedUntil: Instant | undefined;
}

/** What a tick asked of trackers that have a quota. */
export interface TickCost {
  readonly requests: number;
  readonly points: number;
  /** Of the quota that is nearest to its end; absent where no answer told it. */
  readonly remaining?: number | undefined;
}

/**
 * Quotas are renewed within the hour. A time further away comes of a clock that jumped, or of a vendor's slip, and keeps
 * nobody from asking again.
 */
const longestLimitMs = 65 * 60_000;

/** Until when the board is not read, if that lies ahead and can be believed. */
export function limitAhead(
  record: Pick<BoardRecord, 'quotaResetAt'> | undefined,
  now: Instant,
): Instant | undefined {
  const until = record?.quotaResetAt;
  return until !== undefined && until > now && until <= now + longestLimitMs ? until : undefined;
}

/** The time to keep of what a tracker says, or undefined where it is not limited. */
export function boundLimit(until: Instant | undefined, now: Instant): Instant | undefined {
  return until !== undefined && until > now ? Math.min(until, now + longestLimitMs) : undefined;
}

/** Two hours of a tick each minute, and what is kept for writing back, twice. */
const keptForSchedule = { ticks: 120, points: 500 };

/**
 * Whether a hint may have a tick of its own, by what the last tick took and left. Whoever may touch an issue may send as many
 * as he likes; while little is left of the quota they wait for the schedule, which goes on.
 */
export function sparesHints(last: TickCost | undefined): boolean {
  if (last?.remaining === undefined) return true;
  return last.remaining >= keptForSchedule.points + keptForSchedule.ticks * last.points;
}

/** What was asked between two looks at the same tracker. */
export function costBetween(before: TrackerQuota | undefined, after: TrackerQuota): TickCost {
  return {
    requests: after.requests - (before?.requests ?? 0),
    points: after.points - (before?.points ?? 0),
    remaining: after.remaining,
  };
}

/** What was taken through several ways that nobody else counts; undefined where there was none. */
export function sumQuotas(quotas: readonly TrackerQuota[]): TrackerQuota | undefined {
  const sum = sumCosts(quotas);
  return sum && { ...sum, remaining: sum.remaining, limitedUntil: undefined };
}

/** The cost of a tick over all its boards, or undefined where none of them has a price. */
export function sumCosts(costs: readonly TickCost[]): TickCost | undefined {
  if (costs.length === 0) return undefined;
  const left = costs.flatMap(({ remaining }) => remaining ?? []);
  return {
    requests: costs.reduce((sum, { requests }) => sum + requests, 0),
    points: costs.reduce((sum, { points }) => sum + points, 0),
    ...(left.length === 0 ? {} : { remaining: Math.min(...left) }),
  };
}

import type { Instant } from '../../core/issue.ts';
import { GitHubError } from './github-error.ts';

/** GraphQL and REST have a quota each. */
export type Resource = 'graphql' | 'core';

/** What a response said of a quota. */
export interface QuotaFigures {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Instant;
}

/** `survey` reads whole boards, `step` is what one issue needs: its read by id, its move, its comment. */
export type Purpose = 'survey' | 'step';

export interface Quota {
  figures(resource: Resource): QuotaFigures | undefined;
  /** Throws a `limited` error where a request would only be refused, or would use up what is kept for steps. */
  admit(resource: Resource, purpose: Purpose): void;
  /** Takes the figures of an answer. */
  note(resource: Resource, headers: Headers): void;
  /** Takes a refusal for a limit, and says until when nothing is asked any more. */
  limit(resource: Resource, headers: Headers): Instant;
  /** A request was served. */
  serve(): void;
  /** Until when `admit` refuses a request of this kind, as far as is known now. */
  closedUntil(resource: Resource, purpose: Purpose): Instant | undefined;
}

interface Bar {
  readonly until: Instant;
  readonly why: string;
}

/** Without any word of the vendor's: its documentation asks for a minute at least, and for more each time. */
const firstPauseMs = 60_000;
const longestPauseMs = 900_000;
/** A reset lies on a full second. */
const resetGraceMs = 1_000;

/**
 * Keeps the quotas of one token. `reserve` points are kept for steps: the board is read no more when the quota falls below
 * it, so that what has ended can still be written back. Times of the vendor are taken by its own clock.
 */
export function keepQuota(now: () => Instant, reserve: number): Quota {
  const known = new Map<Resource, QuotaFigures>();
  const closedUntil = new Map<Resource | 'all', Instant>();
  let pauses = 0;

  /** What stands in the way of a request now, and until when. */
  function findBar(resource: Resource, purpose: Purpose): Bar | undefined {
    const figures = known.get(resource);
    const isLow = figures !== undefined && figures.remaining < Math.min(reserve, figures.limit / 10);
    const bars: readonly (Partial<Bar> & Pick<Bar, 'why'>)[] = [
      { until: closedUntil.get('all'), why: 'GitHub asked for a pause' },
      { until: closedUntil.get(resource), why: 'the quota at GitHub is used up' },
      {
        until: figures !== undefined && figures.remaining <= 0 ? figures.resetAt : undefined,
        why: 'the quota at GitHub is used up',
      },
      {
        until: purpose === 'survey' && isLow ? figures.resetAt : undefined,
        why: 'what is left of the quota at GitHub is kept for writing back',
      },
    ];
    return bars.find((bar): bar is Bar => bar.until !== undefined && bar.until > now());
  }

  return {
    figures: (resource) => known.get(resource),
    closedUntil: (resource, purpose) => findBar(resource, purpose)?.until,
    admit(resource, purpose) {
      const bar = findBar(resource, purpose);
      if (bar === undefined) return;
      const when = new Date(bar.until).toISOString();
      throw new GitHubError('limited', `${bar.why}; nothing is asked until ${when}`, bar.until);
    },
    note(resource, headers) {
      const figures = readFigures(headers, now());
      if (figures !== undefined) known.set(resource, figures);
    },
    limit(resource, headers) {
      const figures = readFigures(headers, now());
      const retryAfter = secondsOf(headers.get('retry-after'));
      if (retryAfter === undefined && figures !== undefined && figures.remaining <= 0) {
        closedUntil.set(resource, figures.resetAt);
        return figures.resetAt;
      }
      // Requests that were under way together are refused together; that is one refusal.
      if ((closedUntil.get('all') ?? 0) <= now()) pauses += 1;
      const pause = retryAfter ?? Math.min(longestPauseMs, firstPauseMs * 2 ** (pauses - 1));
      const until = Math.max(closedUntil.get('all') ?? 0, now() + pause);
      closedUntil.set('all', until);
      return until;
    },
    serve() {
      pauses = 0;
    },
  };
}

function readFigures(headers: Headers, now: Instant): QuotaFigures | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    numberOf(headers.get(`x-ratelimit-${name}`)),
  );
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const theirs = Date.parse(headers.get('date') ?? '');
  const ahead = Number.isNaN(theirs) ? 0 : theirs - now;
  return { limit, remaining, resetAt: reset * 1_000 - ahead + resetGraceMs };
}

function secondsOf(value: string | null): number | undefined {
  const seconds = numberOf(value);
  return seconds === undefined ? undefined : Math.max(1, seconds) * 1_000;
}

function numberOf(value: string | null): number | undefined {
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}

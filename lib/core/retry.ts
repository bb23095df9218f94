import { createHash } from 'node:crypto';
import type { TurnId } from './issue.ts';

const firstBackoffMs = 10_000;
const firstBreakerMs = 30_000;
const longestBreakerMs = 15 * 60_000;

/**
 * The wait before try `failures + 1`, in milliseconds: 10 s doubled per failure up to `capMs`, one half of it fixed and one
 * half drawn from the turn's identity, so that issues that failed together do not come back together and the same turn
 * always gets the same answer.
 */
export function backoffMs(failures: number, turnId: TurnId, capMs: number): number {
  const full = Math.min(capMs, firstBackoffMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return Math.round(full / 2 + (full / 2) * fraction(turnId));
}

/** How long a breaker stays open after its `tries`-th trouble in a row: 30 s doubled up to 15 minutes. */
export function breakerMs(tries: number): number {
  return Math.min(longestBreakerMs, firstBreakerMs * 2 ** Math.min(30, Math.max(0, tries - 1)));
}

/** A number from 0 up to 1 that depends on the text alone. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

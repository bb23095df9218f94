import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../controller/ports.ts';
import type { Instant } from '../core/issue.ts';

/**
 * The clock of one machine: it begins at the wall clock, or at `notBefore` where that is later, and then counts steadily.
 * So it never runs backwards, neither when the wall clock is set nor over a restart.
 */
export function hostClock(notBefore: Instant): Clock {
  const offset = Math.max(Date.now(), notBefore) - performance.now();
  return {
    now: () => Math.round(offset + performance.now()),
    sleep: (ms) => sleep(ms),
  };
}

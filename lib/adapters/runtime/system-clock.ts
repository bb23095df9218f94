import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../controller/ports.ts';

/**
 * The clock of a machine whose time the platform keeps right. A correction backwards stands still instead. It counts no
 * steps of its own, because a process that is frozen between two calls would miss them.
 */
export function systemClock(wall: () => number = Date.now): Clock {
  let latest = 0;
  return {
    now: () => {
      latest = Math.max(latest, wall());
      return latest;
    },
    sleep: (ms) => sleep(ms),
  };
}

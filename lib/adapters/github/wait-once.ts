import { GitHubError } from './github-error.ts';

/**
 * Whoever waits for one that says nothing, and tries again, waits for all that it has to ask: after the first such wait the
 * rest of a tick is told at once, so that the tick ends in its time.
 */
export function waitOnce<Asked, Answer>(
  readMs: number,
  silence: Silence,
  read: (asked: Asked) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  return async (asked) => {
    const began = performance.now();
    if (began < silence.until)
      throw new GitHubError('unreachable', 'GitHub did not answer a moment ago, and is asked again soon');
    try {
      return await read(asked);
    } catch (error) {
      const now = performance.now();
      if (now - began >= 2 * readMs) silence.until = now + 1.5 * readMs;
      throw error;
    }
  };
}

/** Until when nothing is read, because nothing was answered; by a clock that only goes on. */
export interface Silence {
  until: number;
}

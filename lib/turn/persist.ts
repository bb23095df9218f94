import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** From the first try to the beginning of the last one. */
  readonly patienceMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats `attempt` with growing pauses until what it gives is final, the patience is used up, or the signal is raised.
 * Gives what the last try gave; undefined when there was none.
 */
export async function persist<Value>(
  attempt: () => Promise<Value>,
  isFinal: (value: Value) => boolean,
  { patienceMs, firstPauseMs, longestPauseMs, signal }: Patience,
): Promise<Value | undefined> {
  const began = performance.now();
  let latest: Value | undefined;
  for (let pauseMs = firstPauseMs; !signal?.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    latest = await attempt();
    if (isFinal(latest) || performance.now() - began + pauseMs > patienceMs) return latest;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return latest;
}

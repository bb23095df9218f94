import type { TickReport } from '../controller/reconcile.ts';

/** What asked for a tick. A scheduled one looks at everything anew; a hint's may find that nothing is due. */
export type TickTrigger = 'scheduled' | 'hint';

export interface TickLoop {
  /** The first scheduled tick comes at once. */
  start(): void;
  /** Asks for an early tick; many such requests become one. */
  hint(): void;
  /** A scheduled tick now, after the one that is at work. */
  runNow(): Promise<TickReport>;
  /** When the next scheduled tick is due, by the wall clock. */
  nextAt(): number;
  /** Nothing begins any more; answers when the tick at work has ended. */
  stop(): Promise<void>;
}

export interface TickPace {
  /** From the beginning of a scheduled tick to the next one. */
  readonly intervalMs: number;
  /** At least so long from the end of a tick to the next early one, so that a storm of hints does not cost a tick each. */
  readonly hintGapMs: number;
}

/** Hints that come together become one. */
const gatherMs = 200;

/**
 * Runs ticks one at a time. A scheduled one that falls due while another is at work is left out: that one sees the same.
 * `run` says everything that is to be said of a tick; a rejection of it ends nothing.
 */
export function tickLoop(
  run: (trigger: TickTrigger) => Promise<TickReport>,
  { intervalMs, hintGapMs }: TickPace,
): TickLoop {
  let stopped = false;
  let atWork: Promise<unknown> = Promise.resolve();
  let schedule: NodeJS.Timeout | undefined;
  let hinted: NodeJS.Timeout | undefined;
  let next = Date.now();
  let endedAt = Number.NEGATIVE_INFINITY;

  function enqueue(trigger: TickTrigger): Promise<TickReport> {
    const ran = atWork.then(() => run(trigger));
    atWork = ran
      .catch(() => undefined)
      .then(() => {
        endedAt = performance.now();
      });
    return ran;
  }
  /** Waits for the tick at work, and then for the gap after it; a tick that ran meanwhile makes it wait again. */
  async function tickAfterGap(): Promise<void> {
    await atWork;
    const pauseMs = endedAt + hintGapMs - performance.now();
    if (stopped) return;
    if (pauseMs > 0) {
      hinted = setTimeout(tickAfterGap, pauseMs);
      return;
    }
    hinted = undefined;
    await enqueue('hint').catch(() => undefined);
  }
  async function tickOnSchedule(): Promise<void> {
    const began = performance.now();
    next = Date.now() + intervalMs;
    await enqueue('scheduled').catch(() => undefined);
    if (stopped) return;
    const took = performance.now() - began;
    const pauseMs = intervalMs - (took % intervalMs);
    next = Date.now() + pauseMs;
    schedule = setTimeout(tickOnSchedule, pauseMs);
  }

  return {
    start: () => void tickOnSchedule(),
    hint: () => {
      if (stopped || hinted !== undefined) return;
      hinted = setTimeout(tickAfterGap, gatherMs);
    },
    runNow: () =>
      stopped
        ? Promise.reject(new Error('the host is stopping; nothing starts any more'))
        : enqueue('scheduled'),
    nextAt: () => next,
    stop: async () => {
      stopped = true;
      clearTimeout(schedule);
      clearTimeout(hinted);
      await atWork;
    },
  };
}

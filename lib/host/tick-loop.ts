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

/** From the end of a tick to the next early one, so that a burst of hints costs one tick and not one each. */
const hintGapMs = 200;

/**
 * Runs ticks one at a time. A scheduled one that falls due while another is at work is left out: that one sees the same.
 * `run` says everything that is to be said of a tick; a rejection of it ends nothing.
 */
export function tickLoop(run: (trigger: TickTrigger) => Promise<TickReport>, intervalMs: number): TickLoop {
  let stopped = false;
  let atWork: Promise<unknown> = Promise.resolve();
  let schedule: NodeJS.Timeout | undefined;
  let hinted: NodeJS.Timeout | undefined;
  let next = Date.now();

  function enqueue(trigger: TickTrigger): Promise<TickReport> {
    const ran = atWork.then(() => run(trigger));
    atWork = ran.catch(() => undefined);
    return ran;
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
      hinted = setTimeout(() => {
        enqueue('hint').catch(() => undefined);
        hinted = undefined;
      }, hintGapMs);
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

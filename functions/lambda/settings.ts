import type { Settings } from '../../lib/controller/ports.ts';

const minuteMs = 60_000;

/** What a function may take for a tick at most, and what it keeps of its own time to come to an end. */
const tickBudgetMs = 38_000;
const reserveMs = 12_000;

/**
 * What a deployment serves with. A tick gets what is left of its function's time, less a reserve, so that it ends itself
 * before it is ended.
 */
export function deploymentSettings({
  maxConcurrentAgents,
  remainingMs,
}: {
  readonly maxConcurrentAgents: number;
  readonly remainingMs: number;
}): Settings {
  return {
    maxConcurrentAgents,
    transitionsPerTick: 20,
    timing: {
      tickBudgetMs: Math.max(0, Math.min(tickBudgetMs, remainingMs - reserveMs)),
      staleMs: 10 * minuteMs,
      // Within it a launch is repeated; the service remembers its token for longer.
      launchWindowMs: 15 * minuteMs,
      joinAfterMs: minuteMs,
      // A turn that ended in time may still run its gates and deliver.
      deadlineGraceMs: 11 * minuteMs,
      heartbeatMs: minuteMs / 2,
      sweepMs: 5 * minuteMs,
      // What a dead invocation still sends has landed by then, and a late event has come.
      reopenAfterMs: 6 * minuteMs,
      goneAfterMs: 15 * minuteMs,
      goneSightings: 3,
      forgetAfterMs: 14 * 24 * 60 * minuteMs,
      dormantLookTicks: 60,
    },
  };
}

import type { Settings } from '../controller/ports.ts';
import type { Instant } from '../core/issue.ts';

/** What one machine serves with; a function of little, because nothing here is far away. */
export function machineSettings({
  intervalMs,
  maxConcurrentAgents,
  servedSince,
  reopenAfterMs = 0,
}: {
  readonly intervalMs: number;
  readonly maxConcurrentAgents: number;
  readonly servedSince: Instant;
  readonly reopenAfterMs?: number;
}): Settings {
  return {
    maxConcurrentAgents,
    transitionsPerTick: 20,
    timing: {
      tickBudgetMs: Math.min(Math.max(30_000, intervalMs), 120_000),
      staleMs: 600_000,
      // As long as a turn program repeats its start.
      launchWindowMs: 120_000,
      joinAfterMs: 1_000,
      // A turn that ended in time may still run its gates and deliver.
      deadlineGraceMs: 660_000,
      heartbeatMs: 2_000,
      sweepMs: 0,
      reopenAfterMs,
      // The list of local processes is complete: what is not in it is gone.
      goneAfterMs: 2_000,
      goneSightings: 2,
      forgetAfterMs: 14 * 86_400_000,
      dormantLookTicks: 60,
      servedSince,
    },
  };
}

/** Unless somebody says so, boards are held by their own caps alone. */
export const defaultMaxConcurrentAgents = 1_000;

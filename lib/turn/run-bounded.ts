import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessEnd, type ProcessPlan, type RunningProcess, startProcess } from './start-process.ts';
import type { Turn } from './turn.ts';

export type BoundedEnd =
  | ProcessEnd
  | { readonly kind: 'timeout' }
  /** The turn is to stop. */
  | { readonly kind: 'stopped' };

/** The plan for a line of the policy: a shell, in a folder, with an environment. */
export function planShell(line: string, plan: Omit<ProcessPlan, 'file' | 'args'>): ProcessPlan {
  return { ...plan, file: 'sh', args: ['-c', line] };
}

/**
 * Runs a program until it ends, its time is up, or the turn is to stop. What it left behind is still running and still
 * recorded: whoever wants it gone reaps it.
 */
export async function runBounded(
  plan: ProcessPlan,
  timeoutMs: number,
  turn: Pick<Turn, 'family' | 'stop'>,
): Promise<{ readonly end: BoundedEnd; readonly running: RunningProcess }> {
  const running = await startProcess(plan, turn.family);
  const end = await firstOf(running.ended, timeoutMs, turn.stop.stopping);
  return { end, running };
}

async function firstOf(
  ended: Promise<ProcessEnd>,
  timeoutMs: number,
  stopping: AbortSignal,
): Promise<BoundedEnd> {
  const settled = new AbortController();
  const waiting = sleep(timeoutMs, 'timeout' as const, {
    signal: AbortSignal.any([stopping, settled.signal]),
  });
  const cut = waiting.catch(() => 'stopped' as const).then((kind) => ({ kind }));
  const end = await Promise.race([ended, cut]);
  settled.abort();
  return end;
}

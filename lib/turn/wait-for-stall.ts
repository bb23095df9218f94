import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessFamily } from './process-family.ts';
import type { Turn } from './turn.ts';
import { changedSince } from './workspace-changes.ts';

/**
 * Watches for signs of work: output, a change in the workspace, or time spent on a processor. True when none was seen for
 * the whole stall timeout; false when the watch was ended. Output and changes count as progress for people; computing
 * quietly only keeps the turn from being called stalled.
 */
export async function waitForStall(
  turn: Turn,
  outputBytes: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  const stallMs = turn.instructions.agent.stall_timeout_ms;
  const everyMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, stallMs / looksPerStall));
  const cpu = cpuMeter(turn.family);
  let lastSign = performance.now();
  let seenBytes = outputBytes();
  let lookedAt = Date.now();
  await cpu();
  while (await pause(everyMs, signal)) {
    const sinceMs = lookedAt;
    lookedAt = Date.now();
    const printed = outputBytes() !== seenBytes;
    seenBytes = outputBytes();
    const changed = !printed && (await changedSince(turn.folder.workspace, sinceMs - coarseMs));
    const computed = await cpu();
    if (changed) turn.doing.progress += 1;
    if (printed || changed || computed >= everyMs * busyShare) lastSign = performance.now();
    if (performance.now() - lastSign >= stallMs) return true;
  }
  return false;
}

const looksPerStall = 10;
const shortestPauseMs = 100;
const longestPauseMs = 10_000;
/** File systems stamp changes with a clock that moves in steps; seeing one twice does no harm. */
const coarseMs = 20;
/** An idle event loop also uses a little time; work uses more than that. */
const busyShare = 0.1;

/** Tells how much more processor time the family has used since the last call. */
function cpuMeter(family: ProcessFamily): () => Promise<number> {
  let before = 0;
  return async () => {
    const now = (await family.look()).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    const used = now - before;
    before = now;
    // Less than before: a process has ended and taken its time with it, which is a sign of work too.
    return used < 0 ? Number.POSITIVE_INFINITY : used;
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessFamily } from './process-family.ts';
import type { ProcessEntry } from './process-table.ts';
import { signalTogether } from './signal-together.ts';

export interface ReapOptions {
  /** From asking to forcing. */
  readonly graceMs: number;
  /** Ends the grace early. */
  readonly hurry: AbortSignal;
}

/**
 * Ends every process of the turn but the turn program itself: asks all of them at one moment, then forces, and looks again
 * until nobody is left. What a program does when it is asked is its own; nothing else is begun any more. Tells how many could not be ended; a process that the kernel holds is the only reason for one.
 */
export async function reap(family: ProcessFamily, { graceMs, hurry }: ReapOptions): Promise<number> {
  await signalTogether(family.look, 'SIGTERM');
  const asked = performance.now();
  let left = await lookTwice(family);
  while (left.length > 0 && performance.now() - asked < graceMs && !hurry.aborted) {
    await sleep(lookEveryMs);
    left = await lookTwice(family);
  }
  const forced = performance.now();
  while (left.length > 0 && performance.now() - forced < longestForceMs) {
    await signalTogether(family.look, 'SIGKILL');
    await sleep(lookEveryMs);
    left = await lookTwice(family);
  }
  await family.sweep();
  return left.length > 0 ? (await lookTwice(family)).length : 0;
}

const lookEveryMs = 50;
const longestForceMs = 10_000;

/** In the middle of starting a program an environment reads as empty for a moment, so nobody is believed on the second look only. */
async function lookTwice(family: ProcessFamily): Promise<readonly ProcessEntry[]> {
  const first = await family.look();
  if (first.length > 0) return first;
  await sleep(5);
  return family.look();
}

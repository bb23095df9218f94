import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from './process-table.ts';

/**
 * Sends one signal to every process of a task as if at one moment. A shell whose current command is ended first goes on to
 * its next one, so nobody is signalled before everybody stands still: they are frozen until no look finds somebody new,
 * get the signal, and only then go on, to be met by it before anything else.
 */
export async function signalTogether(
  look: () => Promise<readonly Process[]>,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  const frozen = await freeze(look);
  for (const pid of frozen) send(pid, signal);
  // Children first: a group of which the parent has ended while it stood still would get a hangup besides.
  for (const pid of [...frozen].sort((a, b) => b - a)) send(pid, 'SIGCONT');
}

/** Who starts processes faster than this many looks can follow is signalled as far as it is known. */
const mostLooks = 40;

async function freeze(look: () => Promise<readonly Process[]>): Promise<ReadonlySet<number>> {
  const frozen = new Set<number>();
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if (looks > 0) await sleep(1);
    const fresh = (await look()).filter(({ pid }) => !frozen.has(pid));
    if (fresh.length === 0) break;
    for (const { pid } of fresh) {
      send(pid, 'SIGSTOP');
      frozen.add(pid);
    }
  }
  return frozen;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user; the next look tells.
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEntry } from './process-table.ts';

/**
 * Sends one signal to every process of a family as if at one moment. A shell whose current command is ended first goes on to
 * its next one, so nobody is signalled before everybody stands still: they are frozen until no look finds somebody new,
 * get the signal, and only then go on, to be met by it before anything else.
 */
export async function signalTogether(
  look: () => Promise<readonly ProcessEntry[]>,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  const frozen = await freeze(look);
  for (const pid of frozen) send(pid, signal);
  // Children first: a group of which the parent has ended while it stood still would get a hangup besides.
  for (const pid of [...frozen].sort((a, b) => b - a)) send(pid, 'SIGCONT');
}

/** Who starts processes faster than this many looks can follow is signalled as far as it is known. */
const mostLooks = 40;

/** In the middle of starting a program an environment reads as empty for a moment, so that one quiet look is not believed. */
const quietLooks = 2;

async function freeze(look: () => Promise<readonly ProcessEntry[]>): Promise<ReadonlySet<number>> {
  const frozen = new Set<number>();
  let quiet = 0;
  for (let looks = 0; looks < mostLooks && quiet < quietLooks; looks += 1) {
    if (quiet > 0) await sleep(2);
    const fresh = (await look()).filter(({ pid }) => !frozen.has(pid));
    for (const { pid } of fresh) {
      send(pid, 'SIGSTOP');
      frozen.add(pid);
    }
    quiet = fresh.length === 0 ? quiet + 1 : 0;
  }
  return frozen;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself, or is none of ours; the next look tells.
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

export type CutReason = 'timeout' | 'stopped';

export interface Cut {
  /** Settles when the group has been ended by force. Its output is not waited for: somebody else may hold it open. */
  readonly late: Promise<CutReason | undefined>;
  why(): CutReason | undefined;
  /** Nothing is begun from here on: the group's number may belong to somebody else soon. */
  disarm(): void;
}

export interface CutOptions {
  readonly group: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Ends a group of processes when its time is up or the signal is raised: asks, and soon forces. */
export function armCut({ group, timeoutMs = longestMs, signal }: CutOptions): Cut {
  const disarmed = new AbortController();
  let why: CutReason | undefined;

  async function cutWhenDue(): Promise<CutReason | undefined> {
    const early = AbortSignal.any([disarmed.signal, ...(signal === undefined ? [] : [signal])]);
    const due = await sleep(timeoutMs, 'timeout' as const, { signal: early }).catch(() => 'stopped' as const);
    if (disarmed.signal.aborted) return undefined;
    why = due;
    // To the end also when the first of the group obeys: its helpers need not.
    for (const name of ['SIGTERM', 'SIGKILL'] as const) {
      sendToGroup(group, name);
      await sleep(graceMs);
    }
    return why;
  }

  return { late: cutWhenDue(), why: () => why, disarm: () => disarmed.abort() };
}

const longestMs = 2 ** 31 - 1;
const graceMs = 300;

function sendToGroup(group: number | undefined, name: NodeJS.Signals): void {
  try {
    if (group !== undefined) process.kill(-group, name);
  } catch {
    // It has ended by itself.
  }
}

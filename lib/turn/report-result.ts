import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnResult } from '../core/turn-protocol.ts';
import { persist } from './persist.ts';
import type { Turn } from './turn.ts';
import type { TurnApi } from './turn-api-client.ts';
import type { TurnLog } from './turn-log.ts';

/** Whether the result is known where it counts. `refused`: the lease is not this turn's any more. */
export type Recorded = 'recorded' | 'refused' | 'unanswered';

/**
 * Leaves the result in the turn's folder first, then tells it until somebody answers. A turn that was told to stop, or
 * heard nothing for long, has the folder's copy for its evidence and does not hold its slot for the sake of an answer.
 */
export async function reportResult(turn: Turn, api: TurnApi, result: TurnResult): Promise<Recorded> {
  await leaveResult(turn.folder.outcome, result, turn.log);
  const { timing, stop } = turn;
  const isLate = stop.reason() !== undefined;
  const lateMs = timing.stopBudgetMs * lateShare;
  const telling = persist(
    () => api.result(result),
    // *Wait* means that nobody can record it yet.
    (latest) => latest.kind === 'answered' && latest.answer.answer !== 'wait',
    isLate
      ? { ...timing, patienceMs: lateMs }
      : { ...timing, patienceMs: timing.resultPatienceMs, signal: stop.stopping },
  );
  // A call may take longer than there is time.
  const answered = await (isLate ? Promise.race([telling, sleep(lateMs, undefined)]) : telling);
  if (answered?.kind !== 'answered' || answered.answer.answer === 'wait') return 'unanswered';
  return answered.answer.answer === 'go' ? 'recorded' : 'refused';
}

const lateShare = 0.2;

/** Leaves the result where the runner looks for it, as a whole. It is told when that cannot be done. */
export async function leaveResult(path: string, result: TurnResult, log: TurnLog): Promise<void> {
  const fresh = `${path}.fresh`;
  try {
    await writeFile(fresh, `${JSON.stringify(result)}\n`, { mode: 0o600, flush: true });
    await rename(fresh, path);
  } catch (error) {
    log('the result could not be left in the folder', { problem: (error as NodeJS.ErrnoException).code });
  }
}

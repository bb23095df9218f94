import type { LiveTask } from './observation.ts';

/**
 * In what order the tasks of an issue are adopted after a lost ledger: that of the newest attempt first. Of several of one
 * turn, one is at work at most, and it has begun. Nothing depends on the choice but whose work goes on: where it is wrong,
 * the one that works is stopped.
 */
export function adoptionOrder(tasks: readonly LiveTask[]): readonly LiveTask[] {
  return [...tasks].sort((a, b) => b.attempt - a.attempt || bootRank(a) - bootRank(b));
}

function bootRank({ isBooting }: LiveTask): number {
  return isBooting ? 1 : 0;
}

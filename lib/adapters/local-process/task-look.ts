import type { Endings } from './endings.ts';
import type { ExitWatch } from './exit-watch.ts';
import type { Sight, Task } from './sight.ts';
import type { TaskReaper } from './task-reaper.ts';
import type { TaskRoll } from './task-roll.ts';

export interface Look {
  readonly sight: Sight;
  /** Every task that has not been found ended. */
  readonly live: readonly Task[];
}

/**
 * Looks at the machine, and settles each task of which two looks in a row found no process: ownership ends by this, and
 * a single look can miss a process in the moment in which it is replaced by its child.
 */
export function taskLook(
  roll: TaskRoll,
  ended: Endings,
  exits: ExitWatch,
  reaper: TaskReaper,
): () => Promise<Look> {
  const open = () => roll.all().filter((task) => !ended.has(task.arn));
  const isSeen = (task: Task, sight: Sight) => exits.isAwaited(task.arn) || sight.livingOf(task).length > 0;

  return async () => {
    const first = await roll.observe();
    const unseen = open().filter((task) => !isSeen(task, first));
    if (unseen.length === 0) return { sight: first, live: open() };
    const second = await roll.observe();
    for (const task of unseen.filter(
      (candidate) => !isSeen(candidate, second) && !ended.has(candidate.arn),
    )) {
      ended.settle(task);
      reaper.forget(task.arn);
    }
    return { sight: second, live: open() };
  };
}

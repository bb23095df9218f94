import type { ChildProcess } from 'node:child_process';
import type { Arn, TurnId } from '../../core/issue.ts';
import type { Endings } from './endings.ts';
import type { Task } from './sight.ts';
import type { TaskReaper } from './task-reaper.ts';

export type ExitListener = (arn: Arn, turnId: TurnId) => void;

export interface ExitWatch {
  watch(task: Task, child: ChildProcess): void;
  /**
   * Whether this host started the task and has not been told its exit yet. The process may be gone from the table by
   * then, but its exit code is on the way and must not be missed.
   */
  isAwaited(arn: Arn): boolean;
  onExit(listener: ExitListener): void;
}

/** Waits for the turn programs that this host started. */
export function exitWatch(ended: Endings, reaper: TaskReaper): ExitWatch {
  const awaited = new Set<Arn>();
  const listeners: ExitListener[] = [];

  async function finish(task: Task): Promise<void> {
    await reaper.reap(task);
    for (const tell of listeners) {
      try {
        tell(task.arn, task.turnId);
      } catch {
        // A listener's failure is its own: the next tick sees the same ending, and the other listeners are told.
      }
    }
  }

  return {
    watch(task, child) {
      awaited.add(task.arn);
      child.once('exit', (code, signal) => {
        awaited.delete(task.arn);
        ended.recordExit(task, { code, signal });
        void finish(task);
      });
    },
    isAwaited: (arn) => awaited.has(arn),
    onExit: (listener) => void listeners.push(listener),
  };
}

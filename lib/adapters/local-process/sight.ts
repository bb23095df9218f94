import type { Arn } from '../../core/issue.ts';
import { markOf } from '../../core/process-mark.ts';
import type { TaskIdentity } from './cookie.ts';
import { groupProcesses, type Process } from './process-table.ts';
import { readTaskArn } from './task-arn.ts';

/** One start of a turn: the process that runs the turn program, and the cookie that all of its processes carry. */
export interface Task extends TaskIdentity {
  readonly arn: Arn;
  readonly cookie: string;
}

/** The process table as it was at one look. */
export interface Sight {
  readonly processes: readonly Process[];
  /** The turn program itself, while it lives. */
  programOf(task: Task): Process | undefined;
  /** Every live process of the task, whoever its parent, whatever its session, whatever is left of its environment. */
  livingOf(task: Task): readonly Process[];
}

/**
 * Reads a process table. A process belongs to a task by the task's name (pid, start and boot together), by its cookie or
 * the mark of that, or by a parent that belongs to it: where there are no marks, a child that cleared its environment is
 * known for as long as its parent lives.
 */
export function sight(processes: readonly Process[], bootId: string): Sight {
  const children = groupProcesses(processes, 'ppid');

  function programOf(task: Task): Process | undefined {
    const name = readTaskArn(task.arn);
    if (name === undefined || name.bootId !== bootId) return undefined;
    return processes.find((process) => process.pid === name.pid && process.start === name.start);
  }

  function livingOf(task: Task): readonly Process[] {
    const program = programOf(task);
    const mark = markOf(task.cookie);
    const found = new Set(
      processes.filter(
        (process) => process === program || process.cookie === task.cookie || process.mark === mark,
      ),
    );
    // A set hands out what is added while it is walked, so that this reaches every generation.
    for (const parent of found) for (const child of children.get(parent.pid) ?? []) found.add(child);
    return [...found];
  }

  return { processes, programOf, livingOf };
}

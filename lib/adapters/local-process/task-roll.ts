import type { Arn, TurnId } from '../../core/issue.ts';
import { readCookie } from './cookie.ts';
import { groupProcesses, type Process, type ProcessTable } from './process-table.ts';
import { type Sight, sight, type Task } from './sight.ts';
import { taskArn } from './task-arn.ts';
import { foundValue, type TurnFolders } from './turn-folders.ts';

export interface TaskRoll {
  all(): readonly Task[];
  byArn(arn: Arn): Task | undefined;
  ofTurn(turnId: TurnId): Task | undefined;
  add(task: Task): void;
  /** Forgets the tasks of the turn, and says which ones. */
  remove(turnId: TurnId): readonly Task[];
  /** Looks at the machine anew and learns every task that is not known yet. Throws when it cannot look completely. */
  observe(): Promise<Sight>;
}

/**
 * Every task of the deployment that this host started, or found in the folders or in the process table. A task once seen
 * stays known when its folder is taken away; what a killed host did not come to write down is written down here.
 */
export function taskRoll(deployment: string, folders: TurnFolders, table: ProcessTable): TaskRoll {
  const byCookie = new Map<string, Task>();
  const recorded = new Set<Arn>();
  const all = () => [...byCookie.values()];

  function add(task: Task): void {
    byCookie.set(task.cookie, task);
    record(task);
  }

  function record(task: Task): void {
    if (recorded.has(task.arn)) return;
    try {
      folders.recordTask(task.turnId, { arn: task.arn });
      recorded.add(task.arn);
    } catch {
      // The folder is gone, or the disk is full: the process table still tells, and the next look tries again.
    }
  }

  function learnFromFolders(): void {
    const known = new Set(all().map((task) => task.turnId));
    for (const turnId of folders.names().filter((name) => !known.has(name))) {
      const task = taskInFolder(folders, turnId);
      if (task === undefined) continue;
      recorded.add(task.arn);
      byCookie.set(task.cookie, task);
    }
  }

  function learnFromProcesses(processes: readonly Process[]): void {
    for (const [cookie, carriers] of groupProcesses(processes, 'cookie')) {
      if (cookie === undefined || byCookie.has(cookie)) continue;
      const identity = readCookie(deployment, cookie);
      const program = programAmong(carriers);
      if (identity === undefined || program === undefined) continue;
      const task = { ...identity, cookie, arn: taskArn(table.bootId, program.pid, program.start) };
      // A start of a killed host that came late: the turn's files speak of the other one.
      if (all().some((other) => other.turnId === task.turnId)) recorded.add(task.arn);
      add(task);
    }
  }

  return {
    all,
    byArn: (arn) => all().find((task) => task.arn === arn),
    ofTurn: (turnId) => all().find((task) => task.turnId === turnId),
    add,
    remove(turnId) {
      const tasks = all().filter((task) => task.turnId === turnId);
      for (const task of tasks) byCookie.delete(task.cookie);
      return tasks;
    },
    async observe() {
      const processes = await table.read();
      learnFromFolders();
      learnFromProcesses(processes);
      const seen = sight(processes, table.bootId);
      for (const task of all()) if (!recorded.has(task.arn) && seen.programOf(task)) record(task);
      return seen;
    },
  };
}

/** The task that both files of the folder agree upon; one without a `task.json` is told by the process table. */
function taskInFolder(folders: TurnFolders, turnId: TurnId): Task | undefined {
  const turn = foundValue(folders.turn(turnId));
  const task = foundValue(folders.task(turnId));
  if (turn === undefined || task === undefined || turn.turnId !== turnId) return undefined;
  return { ...turn, arn: task.arn };
}

/** The first one whose parent is none of them: the program started all others. */
function programAmong(carriers: readonly Process[]): Process | undefined {
  const pids = new Set(carriers.map((process) => process.pid));
  return carriers
    .filter((process) => !pids.has(process.ppid))
    .sort((one, other) => Number(one.start) - Number(other.start) || one.pid - other.pid)[0];
}

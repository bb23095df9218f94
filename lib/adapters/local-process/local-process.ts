import type { Clock, LiveTask, Runner, TaskState } from '../../controller/ports.ts';
import type { Arn } from '../../core/issue.ts';
import { plainName } from './cookie.ts';
import { type Endings, endings } from './endings.ts';
import { type ExitListener, exitWatch } from './exit-watch.ts';
import { type Sweep, type SweepRequest, sweepFolders } from './folder-sweep.ts';
import { type ProcessTable, processTable } from './process-table.ts';
import type { Task } from './sight.ts';
import { taskLook } from './task-look.ts';
import { taskReaper } from './task-reaper.ts';
import { taskRoll } from './task-roll.ts';
import { turnFolders } from './turn-folders.ts';
import { turnLauncher } from './turn-launcher.ts';

export interface LocalProcessOptions {
  /** Turns live in `turns/` below it. */
  readonly dataDir: string;
  /** Tells the processes of this data folder from those of another one: letters, digits, `-` and `_`. */
  readonly deployment: string;
  /** The command and arguments that run the turn program. */
  readonly program: readonly string[];
  /** The path of the file that says where the turn API listens; given to the turn as `EVENKEEL_TURN_API`. */
  readonly hostFile: string;
  readonly clock: Clock;
  /** Where the turn's variables are taken from; the host's own environment unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Further variables that pass to the turn, such as the key of the agent's model. */
  readonly passEnvironment?: readonly string[];
  /** From the first stop to killing everything: 25 s unless given, as a turn needs up to 20 s to keep its work. */
  readonly stopGraceMs?: number;
  /** From the TERM to the KILL of what a turn program left behind: 2 s unless given. */
  readonly leftoverGraceMs?: number;
  /** The machine's own unless given. */
  readonly processes?: ProcessTable;
}

export interface LocalProcessRunner extends Runner {
  /**
   * Calls back for each turn of this host once its program has ended and what it left behind has been ended too, so
   * that `describe` tells it stopped. Turns that a former host started are seen by `describe` only.
   */
  onExit(listener: ExitListener): void;
  /** The host ends: whatever ends a turn from now on, a signal to the whole service too, counts as having been asked for. */
  beginClosing(): void;
  /** Ends what turn programs left behind, also those of former hosts; resolves when it is done. */
  reapLeftovers(): Promise<void>;
  /** Removes the folders of turns that ended long ago, never one whose processes live. */
  sweepFolders(request: SweepRequest): Promise<Sweep>;
}

/**
 * Turns as detached local processes that outlive the host. A task is known by boot, pid and start time together, and all
 * of its processes by a cookie in their environment. It has stopped when its program is gone and nobody carries the
 * cookie; what a program left behind counts as still running, and is ended by `stop` and `reapLeftovers`.
 */
export function localProcess(options: LocalProcessOptions): LocalProcessRunner {
  const { clock, deployment, stopGraceMs = 25_000, leftoverGraceMs = 2_000 } = options;
  if (!plainName.test(deployment)) throw new Error(`no deployment can be called '${deployment}'`);
  const table = options.processes ?? processTable();
  const folders = turnFolders(options.dataDir);
  const roll = taskRoll(deployment, folders, table);
  const ended = endings(folders, table.bootId, clock);
  const reaper = taskReaper({ clock, observe: roll.observe, stopGraceMs, leftoverGraceMs });
  const exits = exitWatch(ended, reaper);
  const environment = options.environment ?? process.env;
  const passEnvironment = options.passEnvironment ?? [];
  const look = taskLook(roll, ended, exits, reaper);

  return {
    launch: turnLauncher(roll, exits, folders, table, { ...options, environment, passEnvironment }),
    async describe(arns) {
      if (arns.length > 0) await look();
      return new Map(arns.map((arn) => [arn, stateOf(arn, roll.byArn(arn), ended)]));
    },
    async list() {
      return (await look()).live.map(asLiveTask);
    },
    async stop(arn) {
      const { sight } = await look();
      const task = roll.byArn(arn);
      if (task === undefined || ended.has(arn)) return;
      if (sight.programOf(task) !== undefined) ended.recordAsk(task);
      reaper.stop(task, sight);
    },
    onExit: exits.onExit,
    beginClosing: ended.recordClosing,
    async reapLeftovers() {
      const sight = await roll.observe();
      const orphaned = roll
        .all()
        .filter((task) => !exits.isAwaited(task.arn) && sight.programOf(task) === undefined);
      await Promise.all(orphaned.filter((task) => sight.livingOf(task).length > 0).map(reaper.reap));
    },
    async sweepFolders(request) {
      const live = new Set((await look()).live.map((task) => task.turnId));
      const sweep = await sweepFolders(folders, request, clock.now(), (turnId) => live.has(turnId));
      for (const task of sweep.removed.flatMap(roll.remove)) ended.forget(task.arn);
      return sweep;
    },
  };
}

function stateOf(arn: Arn, task: Task | undefined, ended: Endings): TaskState {
  const evidence = task === undefined ? ended.evidenceOfStranger(arn) : ended.evidenceOf(task);
  if (evidence !== undefined) return { kind: 'stopped', evidence };
  return { kind: task === undefined ? 'missing' : 'running' };
}

function asLiveTask({ cookie: _cookie, ...task }: Task): LiveTask {
  return task;
}

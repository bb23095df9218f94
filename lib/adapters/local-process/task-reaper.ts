import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../controller/ports.ts';
import type { Arn } from '../../core/issue.ts';
import type { Sight, Task } from './sight.ts';
import { signalTogether } from './signal-together.ts';

export interface TaskReaper {
  /**
   * Asks the turn program to end, and after the grace kills whatever belongs to the task. Where the program has ended
   * and processes of its task live on, these are reaped. Returns before anything has ended.
   */
  stop(task: Task, sight: Sight): void;
  /** Ends what a turn program left behind: TERM, a moment to obey, then KILL. Resolves when that is done; never throws. */
  reap(task: Task): Promise<void>;
  forget(arn: Arn): void;
}

export interface ReaperOptions {
  readonly clock: Clock;
  readonly observe: () => Promise<Sight>;
  /** From the first stop of a turn program to killing it: it needs the time to keep the agent's work. */
  readonly stopGraceMs: number;
  /** From the TERM to the KILL of what a turn program left behind. */
  readonly leftoverGraceMs: number;
}

/** How often processes are looked at while they end. They take real time to do so, whatever the clock says. */
const lookMs = 50;
/** A sweep that found new processes this many times gives up until it is asked again. */
const mostSweeps = 100;

/** Ends processes, by the cookie and not by the group: agents put their tools into sessions of their own. */
export function taskReaper({ clock, observe, stopGraceMs, leftoverGraceMs }: ReaperOptions): TaskReaper {
  const askedAt = new Map<Arn, number>();
  const atWork = new Map<Arn, Promise<void>>();

  /** One piece of work for each task at a time; its failure is seen by the next look, which still finds processes. */
  function once(task: Task, work: () => Promise<void>): Promise<void> {
    const running =
      atWork.get(task.arn) ??
      work()
        .catch(() => {})
        .finally(() => atWork.delete(task.arn));
    atWork.set(task.arn, running);
    return running;
  }

  const livingOf = async (task: Task) => (await observe()).livingOf(task);

  async function reapLeftovers(task: Task): Promise<void> {
    await signalTogether(() => livingOf(task), 'SIGTERM');
    const deadline = Date.now() + leftoverGraceMs;
    while (Date.now() < deadline && (await livingOf(task)).length > 0) await sleep(lookMs);
    await killAll(task);
  }

  async function killAll(task: Task): Promise<void> {
    for (let sweep = 0; sweep < mostSweeps; sweep += 1) {
      if ((await livingOf(task)).length === 0) return;
      await signalTogether(() => livingOf(task), 'SIGKILL');
      await sleep(lookMs);
    }
  }

  function reap(task: Task): Promise<void> {
    return once(task, () => reapLeftovers(task));
  }

  return {
    reap,
    forget: (arn) => void askedAt.delete(arn),
    stop(task, sight) {
      const program = sight.programOf(task);
      const asked = askedAt.get(task.arn);
      if (program === undefined) {
        void reap(task);
      } else if (asked === undefined) {
        askedAt.set(task.arn, clock.now());
        ask(program.pid);
      } else if (clock.now() - asked >= stopGraceMs) {
        void once(task, () => killAll(task));
      }
    },
  };
}

/** The turn program alone: it ends the others itself. */
function ask(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended meanwhile, or belongs to another user; the next look tells.
  }
}

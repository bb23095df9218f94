import type { Clock } from '../../controller/ports.ts';
import type { Arn } from '../../core/issue.ts';
import type { Evidence } from '../../core/lease.ts';
import { turnFolderNames } from '../../core/turn-protocol.ts';
import type { Task } from './sight.ts';
import { readTaskArn } from './task-arn.ts';
import { foundValue, type TurnFolders } from './turn-folders.ts';

type Ending = Omit<Evidence, 'arn' | 'result'>;

export interface Endings {
  /** What this host saw of an exit; also kept in the turn's folder for the next host. */
  recordExit(task: Task, exit: { readonly code: number | null; readonly signal: string | null }): void;
  /** The task is asked to end; also kept in the turn's folder for the next host. */
  recordAsk(task: Task): void;
  /** Every task that ends from now on does so because its host ends. */
  recordClosing(): void;
  /** Whether the task has been found ended; that is final. */
  has(arn: Arn): boolean;
  /** To be called once no process of the task is left. */
  settle(task: Task): void;
  evidenceOf(task: Task): Evidence | undefined;
  /** The evidence about a task that nothing else is known of; undefined unless it ran before the machine's last start. */
  evidenceOfStranger(arn: Arn): Evidence | undefined;
  forget(arn: Arn): void;
}

/** How tasks ended, as far as anybody saw it. */
export function endings(folders: TurnFolders, bootId: string, clock: Clock): Endings {
  const endingOf = new Map<Arn, Ending>();
  const exits = new Map<Arn, Ending>();
  const asked = new Set<Arn>();
  let closing = false;

  /** What the folder tells of an end that this host did not see. */
  function foundEnding(task: Task): Ending {
    const ending = exitInFolder(folders, task) ?? unseenEnding(task.arn, bootId, clock);
    const wasAsked = asked.has(task.arn) || foundValue(folders.ask(task.turnId)) !== undefined;
    return wasAsked ? { ...ending, asked: true } : ending;
  }

  return {
    recordAsk(task) {
      asked.add(task.arn);
      try {
        folders.recordAsk(task.turnId, { at: clock.now() });
      } catch {
        // As with an exit: this host remembers.
      }
    },
    recordClosing() {
      closing = true;
    },
    recordExit(task, { code, signal }) {
      const at = clock.now();
      const wasAsked = closing || asked.has(task.arn);
      exits.set(task.arn, { ...exitEnding(code, signal, at), ...(wasAsked && { asked: true }) });
      try {
        folders.recordExit(task.turnId, { code, signal, at });
      } catch {
        // The folder is gone or the disk is full. This host remembers; the next one will say that it does not know.
      }
    },
    has: (arn) => endingOf.has(arn),
    settle(task) {
      endingOf.set(task.arn, exits.get(task.arn) ?? foundEnding(task));
      exits.delete(task.arn);
      asked.delete(task.arn);
    },
    evidenceOf(task) {
      const ending = endingOf.get(task.arn);
      if (ending === undefined) return undefined;
      const result = foundValue(folders.outcome(task.turnId));
      return {
        ...ending,
        arn: task.arn,
        result,
        ...(result === undefined && withFolder(ending, folders, task)),
      };
    },
    evidenceOfStranger(arn) {
      const name = readTaskArn(arn);
      if (name === undefined || name.bootId === bootId) return undefined;
      return { ...unseenEnding(arn, bootId, clock), arn };
    },
    forget: (arn) => void endingOf.delete(arn),
  };
}

/** Without a result the workspace may be the only place where work is; such a folder is never swept away. */
function withFolder({ detail }: Ending, folders: TurnFolders, { turnId }: Task): Pick<Ending, 'detail'> {
  const isLeft = folders.holds(turnId, turnFolderNames.workspace);
  return { detail: isLeft ? `${detail}; what it left is in ${folders.pathOf(turnId)}` : detail };
}

function exitInFolder(folders: TurnFolders, task: Task): Ending | undefined {
  const exit = foundValue(folders.exit(task.turnId));
  return exit && exitEnding(exit.code, exit.signal, exit.at);
}

function exitEnding(code: number | null, signal: string | null, at: number): Ending {
  const detail =
    signal === null ? `the turn program exited with code ${code}` : `the turn program was ended by ${signal}`;
  return { at, exitCode: code ?? undefined, signal: signal ?? undefined, cause: 'exit', detail };
}

function unseenEnding(arn: Arn, bootId: string, clock: Clock): Ending {
  const unseen = { at: clock.now(), exitCode: undefined, signal: undefined } as const;
  if (readTaskArn(arn)?.bootId !== bootId) {
    return { ...unseen, cause: 'platform', detail: 'the machine was started anew while the turn ran' };
  }
  return { ...unseen, cause: 'unknown', detail: 'the turn program ended while no host was watching it' };
}

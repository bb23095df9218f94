import type { Launch, LaunchRequest } from '../../controller/ports.ts';
import type { TurnId } from '../../core/issue.ts';
import { plainName } from './cookie.ts';
import type { ExitWatch } from './exit-watch.ts';
import type { ProcessTable } from './process-table.ts';
import type { TaskRoll } from './task-roll.ts';
import type { TurnFolders } from './turn-folders.ts';
import { type StartOptions, startTurn } from './turn-start.ts';

/**
 * Launches each turn once. The turn's folder is the token: whoever makes it starts the process, and a folder without a
 * `task.json` and without a process of its cookie belongs to a start that never happened, and is used again.
 */
export function turnLauncher(
  roll: TaskRoll,
  exits: ExitWatch,
  folders: TurnFolders,
  table: ProcessTable,
  options: StartOptions,
): (request: LaunchRequest) => Promise<Launch> {
  const inFlight = new Map<TurnId, Promise<Launch>>();

  async function launch(request: LaunchRequest): Promise<Launch> {
    const { turnId } = request;
    if (!plainName.test(turnId)) return { kind: 'refused', problem: `no turn can be called '${turnId}'` };
    await roll.observe();
    const known = roll.ofTurn(turnId);
    if (known !== undefined) return { kind: 'launched', arn: known.arn };
    const problem = takeFolder(turnId);
    if (problem !== undefined) return { kind: 'refused', problem };
    const start = await startTurn(request, folders, table, options);
    if (start.kind === 'failed') {
      folders.discard(turnId);
      return { kind: 'refused', problem: `the turn program cannot be started: ${start.problem}` };
    }
    exits.watch(start.task, start.child);
    roll.add(start.task);
    return { kind: 'launched', arn: start.task.arn };
  }

  /** Why there can be no folder; throws when there is one that may have been launched from. */
  function takeFolder(turnId: TurnId): string | undefined {
    try {
      if (folders.create(turnId)) return undefined;
    } catch (error) {
      return `the folder of the turn cannot be made: ${(error as Error).message}`;
    }
    if (folders.task(turnId).kind === 'absent') return undefined;
    throw new Error(
      `turn ${turnId} was launched before, but the files in ${folders.pathOf(turnId)} do not say as which process; ` +
        'nothing is started in its place',
    );
  }

  return (request) => {
    const running = inFlight.get(request.turnId);
    if (running !== undefined) return running;
    const launched = launch(request).finally(() => inFlight.delete(request.turnId));
    inFlight.set(request.turnId, launched);
    return launched;
  };
}

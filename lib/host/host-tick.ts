import type { TickReport } from '../controller/reconcile.ts';
import { DataFolderError } from './data-folder-error.ts';
import type { HostEvent } from './host.ts';
import type { Machine } from './open-machine.ts';
import { runTick } from './run-tick.ts';
import { turnFolderSweep } from './sweep-turn-folders.ts';
import type { TickTrigger } from './tick-loop.ts';

export interface HostTick {
  readonly machine: Machine;
  readonly emit: (event: HostEvent) => void;
  /** When the next scheduled tick is due. */
  readonly nextTickAt: () => number;
  readonly onReport: (report: TickReport) => void;
  /** The data folder cannot be used any more. */
  readonly onFailure: (problem: DataFolderError) => void;
}

/** One tick of the host: is the store still there, the tick itself, what it says to people, and housekeeping. */
export function hostTick(host: HostTick): (trigger: TickTrigger) => Promise<TickReport> {
  const { machine, emit } = host;
  const { ports, store, boards } = machine;
  const sweep = turnFolderSweep(ports);

  async function keepHouse(): Promise<void> {
    await ports.runner.reapLeftovers();
    for (const message of await sweep()) emit({ kind: 'warning', message });
  }

  return async (trigger) => {
    try {
      await store.check();
      const report = await runTick(ports, trigger);
      for (const broken of boards.broken()) emit({ kind: 'workflow-broken', ...broken });
      for (const withheld of boards.withheld()) emit({ kind: 'board-withheld', ...withheld });
      emit({ kind: 'tick', report, nextTickAt: host.nextTickAt() });
      keepHouse().catch((error: unknown) => emit({ kind: 'warning', message: messageOf(error) }));
      host.onReport(report);
      return report;
    } catch (error) {
      // Whatever a tick tripped over, a store that is gone is the reason that matters.
      const failure =
        error instanceof DataFolderError ? error : await store.check().then(() => undefined, asFailure);
      if (failure === undefined)
        emit({ kind: 'tick-failed', problem: messageOf(error), nextTickAt: host.nextTickAt() });
      else host.onFailure(failure);
      throw error;
    }
  };
}

function asFailure(error: unknown): DataFolderError | undefined {
  return error instanceof DataFolderError ? error : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

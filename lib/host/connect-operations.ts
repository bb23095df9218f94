import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Operations } from '../controller/operations.ts';
import { portsOperations } from '../controller/ports-operations.ts';
import { boardNamer } from './board-names.ts';
import { foldersOf } from './board-place.ts';
import { DataFolderHeldError } from './data-folder-error.ts';
import { makeDeployment, readDeployment } from './deployment-file.ts';
import { emptyLedger } from './empty-ledger.ts';
import { findLiveHost, type HostFile } from './host-file.ts';
import { defaultMaxConcurrentAgents } from './machine-settings.ts';
import { openMachine } from './open-machine.ts';
import { programVersion } from './program-version.ts';
import type { ReadWorkflow } from './read-workflow.ts';
import { pingHost, remoteOperations } from './remote-operations.ts';
import { runTick } from './run-tick.ts';
import { readWorkflows, servedBoards } from './served-boards.ts';
import { traceFile } from './trace-file.ts';
import { wirePorts } from './wire-ports.ts';

export interface ConnectOptions {
  readonly dataDir: string;
  /** The boards, where no host is running that knows them. */
  readonly workflowFiles: readonly string[];
  /** Plan with these files instead of those that are served. */
  readonly planWith?: readonly string[] | undefined;
  readonly maxConcurrentAgents?: number | undefined;
}

export interface Connection {
  readonly operations: Operations;
  /** A running host, the store of the data folder, or an empty ledger because there is none yet. */
  readonly kind: 'host' | 'store' | 'empty';
  close(): Promise<void>;
}

/**
 * The operations of a data folder: asked of the running host, else over its store under the lock, else over an empty
 * ledger, where only what has to be kept (a tick, a pause) makes the data folder. Throws a `DataFolderError` or a
 * `WorkflowError`.
 */
export async function connectOperations(options: ConnectOptions): Promise<Connection> {
  const dataDir = resolve(options.dataDir);
  const planWith = options.planWith?.map((file) => resolve(file));
  const candidates = planWith && (await readWorkflows(planWith));
  const host = await findHost(dataDir);
  if (host?.answers)
    return { operations: remoteOperations(host, planWith), kind: 'host', close: async () => {} };
  const workflows = candidates ?? (await readWorkflows(options.workflowFiles.map((file) => resolve(file))));
  const opening: Opening = {
    dataDir,
    workflows,
    maxConcurrentAgents: options.maxConcurrentAgents ?? defaultMaxConcurrentAgents,
  };
  if (!(await exists(join(dataDir, 'state')))) return overEmptyLedger(opening);
  return openStore(opening).catch((error: unknown) => {
    throw host !== undefined && error instanceof DataFolderHeldError ? silentHost(dataDir, host) : error;
  });
}

interface Opening {
  readonly dataDir: string;
  readonly workflows: readonly ReadWorkflow[];
  readonly maxConcurrentAgents: number;
}

/** Where nobody triggers ticks, asking for one early has no meaning. */
const offline = { intervalMs: 5_000, trigger: { requestTick: async () => {} } } as const;

/** The process that calls itself the host of the folder, and whether it answers as one. */
async function findHost(dataDir: string): Promise<(HostFile & { readonly answers: boolean }) | undefined> {
  const host = await findLiveHost(dataDir);
  if (host === undefined) return undefined;
  const version = await pingHost(host);
  if (version === undefined) return { ...host, answers: false };
  if (version === programVersion) return { ...host, answers: true };
  throw new Error(
    `The running host is evenkeel ${version} and this is ${programVersion}. Restart the host, or use its version.`,
  );
}

function silentHost(dataDir: string, { pid }: HostFile): Error {
  return new Error(
    `The host of ${dataDir} (pid ${pid}) does not answer: it is stopped or very busy. Ask again; or end it with kill ${pid}, or kill -9 ${pid} where that does nothing, and start it again, which adopts what runs.`,
  );
}

async function openStore(opening: Opening): Promise<Connection> {
  const trace = traceFile(opening.dataDir, () => {});
  const { ports, store, owner } = await openMachine({
    ...opening,
    ...offline,
    reporter: trace,
    isServing: false,
  });
  return {
    operations: portsOperations(ports, async () => {
      if (opening.workflows.length === 0) throw new Error(noBoard);
      await owner.take(foldersOf(opening.workflows));
      try {
        return await runTick(ports, 'scheduled');
      } finally {
        await owner.release();
      }
    }),
    kind: 'store',
    close: async () => {
      await store.close();
      trace.close();
    },
  };
}

async function overEmptyLedger(opening: Opening): Promise<Connection> {
  const { dataDir, workflows } = opening;
  // The store may be lost while turns live on; they are known by what the deployment is called.
  const deployment = (await readDeployment(dataDir)) ?? makeDeployment();
  const nameOf = boardNamer(deployment.boards);
  const { boards } = await servedBoards(workflows, { nameOf });
  const ports = await wirePorts({
    ...opening,
    ...offline,
    deployment,
    ledger: emptyLedger(),
    boards,
    reporter: { report: () => {} },
  });
  const kept = inStore(opening);
  const reading = portsOperations(ports, () => Promise.reject(new Error('nothing is kept here')));
  return {
    operations: {
      ...reading,
      tick: () =>
        workflows.length === 0 ? Promise.reject(new Error(noBoard)) : kept((operations) => operations.tick()),
      pause: (board) => kept((operations) => operations.pause(board)),
      resume: (board) => kept((operations) => operations.resume(board)),
    },
    kind: 'empty',
    close: async () => {},
  };
}

const noBoard =
  'There is no board here: no WORKFLOW.md in this folder, and no board was served from this data folder. Name one with --workflow path/WORKFLOW.md, or the data folder with --data.';

/** Opens the store for one operation that needs it. */
function inStore(opening: Opening) {
  return async <Answer>(act: (operations: Operations) => Promise<Answer>): Promise<Answer> => {
    const { operations, close } = await openStore(opening);
    try {
      return await act(operations);
    } finally {
      await close();
    }
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

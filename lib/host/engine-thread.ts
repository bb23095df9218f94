import { Worker } from 'node:worker_threads';
import { DataFolderError } from './data-folder-error.ts';

/** The thread that serves the embedded database. */
export interface EngineThread {
  /** Why it is not serving any more; undefined while it is. */
  failure(): DataFolderError | undefined;
  /** Answers with the failure; never rejects. */
  readonly failed: Promise<DataFolderError>;
  stop(): Promise<void>;
}

/**
 * Serves the database under `state` on a local socket. The thread ends at the first write that its files do not take, so
 * that nothing is answered that may be lost; the answer to that write is never given.
 */
export async function startEngine(state: string, socketPath: string, dataDir: string): Promise<EngineThread> {
  const thread = new Worker(new URL('./embedded-engine.js', import.meta.url), {
    workerData: { path: state, socketPath },
  });
  let stopping = false;
  let failure: DataFolderError | undefined;
  const failed = new Promise<DataFolderError>((resolve) => {
    const fail = (problem: string) => {
      if (stopping || failure !== undefined) return;
      failure = describeFailure(dataDir, problem);
      resolve(failure);
    };
    thread.on('error', (error) => fail(error instanceof Error ? error.message : String(error)));
    thread.on('exit', () => fail('the engine ended'));
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const serving = new Promise<'serving'>((resolve) => thread.once('message', () => resolve('serving')));
  const first = await Promise.race([serving, failed]);
  if (first !== 'serving') throw first;
  return {
    failure: () => failure,
    failed,
    stop: async () => {
      stopping = true;
      thread.postMessage('stop');
      await ended;
    },
  };
}

function describeFailure(dataDir: string, problem: string): DataFolderError {
  return new DataFolderError(
    `The ledger in ${dataDir} cannot be kept any more (${problem}). Make room on the disk or raise the limit on file sizes, and start again: nothing that was answered is lost, and turns that still run are adopted.`,
  );
}

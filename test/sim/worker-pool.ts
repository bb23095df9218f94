import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Work, Worked } from './seed-worker.ts';

/** Threads that run worlds, one per core, each with a bundle of its own. */
export interface WorkerPool {
  readonly size: number;
  /** Done in the order in which threads become free. */
  run(work: Work): Promise<Worked>;
  close(): Promise<void>;
}

export function workerPool(bundle: string, size = availableParallelism()): WorkerPool {
  const workers = Array.from({ length: size }, () => new Worker(bundle));
  const idle = [...workers];
  const waiting: ((worker: Worker) => void)[] = [];

  const take = () => {
    const worker = idle.pop();
    return worker === undefined
      ? new Promise<Worker>((resolve) => waiting.push(resolve))
      : Promise.resolve(worker);
  };
  const giveBack = (worker: Worker) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(worker);
    else next(worker);
  };

  return {
    size,
    async run(work) {
      const worker = await take();
      try {
        return await ask(worker, work);
      } finally {
        giveBack(worker);
      }
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, work: Work): Promise<Worked> {
  return new Promise((resolve, reject) => {
    const done = (worked: Worked) => {
      worker.off('error', fail);
      resolve(worked);
    };
    const fail = (error: unknown) => {
      worker.off('message', done);
      reject(error);
    };
    worker.once('message', done);
    worker.once('error', fail);
    worker.postMessage(work);
  });
}

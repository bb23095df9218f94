import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import * as z from 'zod';
import { DataFolderError, DataFolderHeldError } from './data-folder-error.ts';
import { hostFilePath, isAlive } from './host-file.ts';
import { makeDataFolder } from './make-data-folder.ts';

export interface DataLock {
  /** The file that is locked. */
  readonly path: string;
  release(): Promise<void>;
}

/** How long a holder is waited for that is no host: a command that asks the store is done sooner, also on a busy machine. */
const patienceMs = 10_000;

/**
 * Takes the data folder for this process. A small store of its own is the lock: the kernel frees it when the process dies,
 * however it dies, and Node has no lock on files. Throws a `DataFolderError` while another process holds it; at once where
 * that is a running host.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const lock = await tryLock(dataDir);
    if (lock !== undefined) return lock;
    const holder = await readHolder(dataDir);
    if (holder !== undefined || performance.now() > deadline)
      throw new DataFolderHeldError(describeHolder(dataDir, holder));
    await sleep(50);
  }
}

/** Undefined while another process has the lock. */
async function tryLock(dataDir: string): Promise<DataLock | undefined> {
  await makeDataFolder(dataDir);
  const folder = join(dataDir, 'lock');
  const lock = new ClassicLevel(folder);
  try {
    await lock.open();
  } catch (error) {
    const cause = causeOf(error);
    if (cause.code === 'LEVEL_LOCKED') return undefined;
    throw new DataFolderError(
      `The data folder ${dataDir} cannot be locked (${cause.message}). Make sure that it can be written and that the disk is not full. If nothing else uses it, ${folder} may be removed: it holds no data.`,
    );
  }
  return { path: join(folder, 'LOCK'), release: () => lock.close() };
}

/** What the store itself said: opening wraps it. */
export function causeOf(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code } = inner as { readonly code?: unknown };
  return {
    code: typeof code === 'string' ? code : undefined,
    message: inner instanceof Error ? inner.message : String(inner),
  };
}

function describeHolder(dataDir: string, pid: number | undefined): string {
  const who = pid === undefined ? 'another running process' : `another running process (pid ${pid})`;
  const stop = pid === undefined ? 'Stop that one first' : `Stop that one first (kill ${pid})`;
  return `The data folder ${dataDir} is in use by ${who}. It serves its boards already, and \`evenkeel status --data ${dataDir}\` asks it. ${stop}, or choose another folder with --data for other boards.`;
}

/** The process that calls itself the host of this folder; whatever else stands in its file does not matter here. */
async function readHolder(dataDir: string): Promise<number | undefined> {
  try {
    const { pid } = holderSchema.parse(JSON.parse(await readFile(hostFilePath(dataDir), 'utf8')));
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

const holderSchema = z.object({ pid: z.number().int().positive() });

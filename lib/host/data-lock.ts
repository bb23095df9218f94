import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import * as z from 'zod';
import { DataFolderError } from './data-folder-error.ts';

export interface DataLock {
  /** The file that is locked. */
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Takes the data folder for this process. A small store of its own is the lock: the kernel frees it when the process dies,
 * however it dies, and Node has no lock on files. Throws a `DataFolderError` while another process holds it.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  const folder = join(dataDir, 'lock');
  const lock = new ClassicLevel(folder);
  try {
    await mkdir(dataDir, { recursive: true });
    await lock.open();
  } catch (error) {
    const cause = causeOf(error);
    if (cause.code === 'LEVEL_LOCKED') throw new DataFolderError(await describeHolder(dataDir));
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

async function describeHolder(dataDir: string): Promise<string> {
  const pid = await readHolder(join(dataDir, 'host.json'));
  const who = pid === undefined ? 'another running process' : `another running process (pid ${pid})`;
  return `The data folder ${dataDir} is in use by ${who}. Stop that one first, or choose another folder with --data.`;
}

/** Only a hint for people: the file may be missing, or left over. */
async function readHolder(file: string): Promise<number | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, 'utf8'))).pid;
  } catch {
    return undefined;
  }
}

const holderSchema = z.object({ pid: z.number().int().positive() });

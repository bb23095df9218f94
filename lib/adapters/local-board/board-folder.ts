import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printOf } from './aside-file.ts';
import { recoverLeftovers } from './recover-leftovers.ts';

/** What was found where an issue's file should be. */
export type Found =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly print: string;
      readonly bornAt: number;
    }
  /** No such file in a folder that is a board, also at a second and a third look. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** The file that makes a folder a board, and without which its emptiness means nothing: it may not be mounted. */
export const statesFile = 'board.yaml';

const largestFile = 1024 * 1024;

/** Editors that save by deleting and creating leave a moment without a file. */
const looksMs = [0, 40, 120];

/**
 * The keys of the board's issues: the names of its Markdown files without `.md`. Not among them are status comments,
 * a README, and what is hidden or made by an editor for itself. Throws when the folder cannot be read or is no board.
 * What killed processes left behind is cleared away on the occasion.
 */
export async function listKeys(folder: string, now: number): Promise<readonly string[]> {
  const names = await readNames(folder);
  recoverLeftovers(folder, names, now);
  const files = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
  return files.filter(isKey).sort();
}

/** Whether an issue may be called so: a file name that says nothing about folders and is not one of the exceptions. */
function isKey(key: string): boolean {
  return /^[^.#~/\\\0][^/\\\0]*$/.test(key) && !key.endsWith('.status') && key.toLowerCase() !== 'readme';
}

/** Looks for the file until it is found or certainly gone. Never throws. */
export async function findFile(folder: string, key: string): Promise<Found> {
  for (const waitMs of looksMs) {
    if (waitMs > 0) await sleep(waitMs);
    const found = openFile(folder, key);
    if (found !== 'absent') return found;
  }
  try {
    const names = await readNames(folder);
    if (!names.includes(`${key}.md`)) return { kind: 'gone' };
    return { kind: 'unreadable', problem: 'it comes and goes; it may be just being written' };
  } catch (error) {
    return { kind: 'unreadable', problem: `the board cannot be read: ${(error as Error).message}` };
  }
}

/** The file as it is at this moment. Not following a link at the open is what makes the check of it final. */
export function openFile(folder: string, key: string): Exclude<Found, { kind: 'gone' }> | 'absent' {
  if (!isKey(key)) return { kind: 'unreadable', problem: 'no issue of a local board can be called so' };
  const path = join(folder, `${key}.md`);
  try {
    return readOpen(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'absent';
    if (code === 'ELOOP' || code === 'EMLINK') return followLink(folder, path);
    return { kind: 'unreadable', problem: `its file cannot be read (${code ?? message})` };
  }
}

function followLink(folder: string, path: string): Exclude<Found, { kind: 'gone' }> {
  try {
    const target = realpathSync(path);
    const home = realpathSync(folder) + sep;
    const name = target.slice(home.length);
    if (target.startsWith(home))
      return name.endsWith('.md') && isKey(name.slice(0, -'.md'.length))
        ? { kind: 'unreadable', problem: describeDouble([name]) }
        : readOpen(target);
    return {
      kind: 'unreadable',
      problem: 'its file is a link that leaves the folder; put the file itself there',
    };
  } catch {
    return { kind: 'unreadable', problem: 'its file is a link to nothing that can be read' };
  }
}

/** Two issues of one file would be two turns on one piece of work. */
export function describeDouble(others: readonly string[]): string {
  return `it is the same file as ${others.join(' and ')}; a file is one issue, so remove the link, or put a file of its own there`;
}

function readOpen(path: string): Exclude<Found, { kind: 'gone' }> {
  // Without O_NONBLOCK the open of a pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'unreadable', problem: 'it is not a file' };
    if (stat.size > largestFile) return { kind: 'unreadable', problem: 'it is larger than 1 MiB' };
    const bytes = readFileSync(file);
    return {
      kind: 'file',
      path,
      bytes,
      print: printOf(bytes),
      bornAt: Math.floor(stat.birthtimeMs || stat.mtimeMs),
    };
  } finally {
    closeSync(file);
  }
}

async function readNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `the board's folder ${folder} does not exist. Make or mount it, or correct tracker.project.`,
    );
  });
  if (names.includes(statesFile)) return names;
  throw new Error(`${folder} is no board: it has no ${statesFile}. Is the folder mounted?`);
}

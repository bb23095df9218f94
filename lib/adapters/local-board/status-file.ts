import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commented } from '../../controller/ports.ts';
import { newPath } from './aside-file.ts';

/**
 * Writes the one status comment, `KEY.status.md`: as a whole, and not at all when it says the same already.
 * Answers the file's name, or why it cannot be written.
 */
export async function writeStatus(folder: string, key: string, body: string): Promise<Commented> {
  const name = `${key}.status.md`;
  const path = join(folder, name);
  const text = body.endsWith('\n') ? body : `${body}\n`;
  try {
    if ((await readText(path)) !== text) await replaceText(path, text);
    return { ref: name };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { problem: `${path}: ${code}; ${remedies[code] ?? folderRemedy}` };
  }
}

const folderRemedy = 'make the folder writable, with room on its disk, for the user who runs this';
const remedies: Readonly<Record<string, string>> = {
  EISDIR: 'move the folder of that name away',
  ENAMETOOLONG: "shorten the name of the card's file",
};

async function readText(path: string): Promise<string | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  return stat?.isFile() ? readFile(path, 'utf8') : undefined;
}

/** By a rename, which replaces a link instead of writing through it. */
async function replaceText(path: string, text: string): Promise<void> {
  const fresh = newPath(path);
  try {
    const file = await open(fresh, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

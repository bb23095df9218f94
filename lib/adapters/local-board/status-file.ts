import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newPath } from './aside-file.ts';

/**
 * Writes the one status comment, `KEY.status.md`: as a whole, and not at all when it says the same already.
 * Returns the file's name. Throws when it is not known whether it was written.
 */
export async function writeStatus(folder: string, key: string, body: string): Promise<string> {
  const name = `${key}.status.md`;
  const path = join(folder, name);
  const text = body.endsWith('\n') ? body : `${body}\n`;
  try {
    if ((await readText(path)) !== text) await replaceText(path, text);
    return name;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy = 'make the folder writable, with room on its disk, for the user who runs this';
    throw new Error(`${name} cannot be written (${code ?? message}); ${remedy}.`, { cause: error });
  }
}

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

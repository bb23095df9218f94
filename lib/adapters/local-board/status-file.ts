import { open, readFile, rename, rm } from 'node:fs/promises';
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
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return name;
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
  return name;
}

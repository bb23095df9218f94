import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Fails, saying how to go on, where a file is and must not be replaced. */
export async function refuseExisting(path: string, shown: string, isForced: boolean): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || (isForced && found.isFile())) return;
  throw new Error(
    found.isFile()
      ? `${shown} is there already. Nothing was written. Name another file with --output, or replace it with --force.`
      : `${shown} is no file. Nothing was written. Name a file with --output.`,
  );
}

/** Writes a file, all of it or nothing, and none that came to be there meanwhile unless it is to be replaced. */
export async function layFile(path: string, text: string, isForced: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!isForced) return writeFile(path, text, { flag: 'wx' });
  const draft = `${path}.${process.pid}.new`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes a file that was just laid, and its folder where nothing else is in it. */
export async function takeAway(path: string): Promise<void> {
  await rm(path, { force: true });
  await rmdir(dirname(path)).catch(() => undefined);
}

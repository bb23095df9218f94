import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Whether anything below the folder changed since that moment, by the change time that a program cannot set. At most
 * `mostEntries` are looked at, those near the top first.
 */
export async function changedSince(folder: string, sinceMs: number, mostEntries = 20_000): Promise<boolean> {
  let looked = 0;
  const waiting = [folder];
  for (let next = waiting.shift(); next !== undefined && looked < mostEntries; next = waiting.shift()) {
    for (const { name, isFolder } of await listFolder(next)) {
      const path = join(next, name);
      looked += 1;
      if (looked > mostEntries) return false;
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && found.ctimeMs > sinceMs) return true;
      if (isFolder) waiting.push(path);
    }
  }
  return false;
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A folder that vanished or is closed has no entries. */
async function listFolder(path: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  try {
    for await (const entry of await opendir(path)) {
      entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } catch {
    // It went away while it was read.
  }
  return entries;
}

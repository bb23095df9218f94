import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findKept } from '../adapters/local-process/folder-sweep.ts';
import { turnFolders } from '../adapters/local-process/turn-folders.ts';

/** Work that is in folders of ended turns and nowhere else; they stay until a person removes them. */
export interface KeptWork {
  /** Where the folders are. */
  readonly folder: string;
  readonly turns: readonly string[];
  readonly bytes: number;
  /** Whether there are so many files that not all were counted: then `bytes` is the least. */
  readonly isPart: boolean;
}

const mostFiles = 50_000;

/** Looks for it in a data folder; turns that are `running` are not ended. A folder that cannot be read holds nothing. */
export async function findKeptWork(dataDir: string, running: readonly string[]): Promise<KeptWork> {
  const folders = turnFolders(dataDir);
  const turns = keptIn(folders).filter((turnId) => !running.includes(turnId));
  const seen = { bytes: 0, files: 0 };
  for (const turnId of turns) await measure(folders.pathOf(turnId), seen);
  return { folder: join(dataDir, 'turns'), turns, bytes: seen.bytes, isPart: seen.files >= mostFiles };
}

function keptIn(folders: ReturnType<typeof turnFolders>) {
  try {
    return findKept(folders);
  } catch {
    return [];
  }
}

async function measure(folder: string, seen: { bytes: number; files: number }): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (seen.files >= mostFiles) return;
    seen.files += 1;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await measure(path, seen);
    else
      seen.bytes += await lstat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
}

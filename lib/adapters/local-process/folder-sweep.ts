import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnId } from '../../core/issue.ts';
import type { TurnFolders } from './turn-folders.ts';

export interface SweepRequest {
  /** Whether the turn is still needed: it holds a lease, or a person may want its bundle. */
  readonly keep: (turnId: TurnId) => boolean;
  /** Folders whose own files were written later than this stay. */
  readonly olderThanMs: number;
}

export interface Sweep {
  readonly removed: readonly TurnId[];
  readonly problems: readonly string[];
}

/** Removes the folders of turns that ended long ago. One that cannot be removed is named and does not keep the others. */
export async function sweepFolders(
  folders: TurnFolders,
  { keep, olderThanMs }: SweepRequest,
  now: number,
  isLive: (turnId: TurnId) => boolean,
): Promise<Sweep> {
  const removed: TurnId[] = [];
  const problems: string[] = [];
  for (const turnId of folders.names()) {
    if (isLive(turnId) || keep(turnId) || now - folders.lastSignOf(turnId) < olderThanMs) continue;
    try {
      await removeFolder(folders.pathOf(turnId));
      removed.push(turnId);
    } catch (error) {
      problems.push(
        `the folder of turn ${turnId} cannot be removed: ${(error as Error).message}; remove it by hand`,
      );
    }
  }
  return { removed, problems };
}

/** Tools make folders of their caches read-only, and nothing can be removed from such a folder until it is writable. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // Links are no directories here, so that nothing outside of the folder is touched.
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}

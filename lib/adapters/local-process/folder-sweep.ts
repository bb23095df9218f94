import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnId } from '../../core/issue.ts';
import { turnFolderNames } from '../../core/turn-protocol.ts';
import type { TurnFolders } from './turn-folders.ts';

export interface SweepRequest {
  /** Whether the turn is still needed: it holds a lease, or a person is to look at it. */
  readonly keep: (turnId: TurnId) => boolean;
  /** Folders whose own files were written later than this stay. */
  readonly olderThanMs: number;
}

export interface Sweep {
  readonly removed: readonly TurnId[];
  readonly problems: readonly string[];
}

/**
 * Removes the folders of turns that ended long ago; `removed` are those that are gone as a whole. Of one that holds the only
 * copy of work, or names where it is, no more than the checkouts. What cannot be removed is named and does not keep the others.
 */
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
    const spare = findSpare(folders, turnId);
    try {
      if (spare === 'checkouts')
        for (const name of checkouts) await removeFolder(join(folders.pathOf(turnId), name));
      if (spare !== 'all') continue;
      await removeFolder(folders.pathOf(turnId));
      removed.push(turnId);
    } catch (error) {
      const { message } = error as Error;
      problems.push(
        spare === 'all'
          ? `the folder of turn ${turnId} cannot be removed: ${message}; remove it by hand`
          : `the checkouts of turn ${turnId} cannot be removed: ${message}; remove them by hand, and keep ${workBundle}`,
      );
    }
  }
  return { removed, problems };
}

/** The turns whose folder holds work, or names where it is, that is nowhere else: no sweep removes these folders. */
export function findKept(folders: TurnFolders): readonly TurnId[] {
  return folders
    .names()
    .filter((turnId) => findSpare(folders, turnId) === 'nothing' || folders.holds(turnId, workBundle));
}

const { workspace, repository, gates, temporary, handover, workBundle, rescued } = turnFolderNames;
const checkouts = [workspace, repository, gates, temporary, handover];

/**
 * What of the folder nobody misses. Work is in the workspace alone when the result says so, and when a killed turn left no
 * result and no later turn of its issue has taken over what it had done.
 */
function findSpare(folders: TurnFolders, turnId: TurnId): 'all' | 'checkouts' | 'nothing' {
  const outcome = folders.outcome(turnId);
  const wasRescued = folders.holds(turnId, rescued);
  const isElsewhere = outcome.kind === 'found' ? outcome.value.inWorkspaceOnly !== true : wasRescued;
  if (!isElsewhere && folders.holds(turnId, workspace)) return 'nothing';
  // The history of a turn without a result names its folder, where the note of the rescue stays.
  return wasRescued || folders.holds(turnId, workBundle) ? 'checkouts' : 'all';
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

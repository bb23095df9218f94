import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { mostFileBytes } from './large-file.ts';
import { type Staging, splitEntries, stage, tryToStage } from './staging.ts';
import type { Turn } from './turn.ts';

/**
 * Which of the folder's files are larger than may be delivered, before any of them is read: reading could take longer than
 * there is time. One that was committed as large as that may stay so.
 */
export async function findLargeFiles(
  turn: Turn,
  staging: Staging,
  untracked: readonly string[],
): Promise<readonly string[]> {
  const tracked = splitEntries(await stage(turn, staging, ['ls-files', '-z']));
  const grown: string[] = [];
  for (const name of tracked.filter((file) => sizeOf(staging, file) > mostFileBytes)) {
    const committed = await tryToStage(turn, staging, ['cat-file', '-s', `:0:${name}`]);
    // Twice, since the lines of a text may end in one byte there and in two here.
    if (sizeOf(staging, name) > Math.max(mostFileBytes, 2 * Number(committed.stdout))) grown.push(name);
  }
  return [...untracked.filter((file) => sizeOf(staging, file) > mostFileBytes), ...grown];
}

/** In bytes; nothing for what is no plain file. */
function sizeOf({ folder }: Staging, name: string): number {
  const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

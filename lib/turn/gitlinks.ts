import { type Staging, splitEntries, stage } from './staging.ts';
import type { Turn } from './turn.ts';

/** An entry that stands for a commit of another repository, as a submodule does. */
export interface Gitlink {
  readonly sha: string;
  readonly path: string;
}

/** Takes every such entry out of the index: git would look into what stands there by that repository's own configuration. */
export async function takeGitlinks(turn: Turn, staging: Staging): Promise<readonly Gitlink[]> {
  const links = await listGitlinks(turn, staging);
  const lines = links.map(({ sha, path }) => `0 ${'0'.repeat(sha.length)}\t${path}\0`);
  if (links.length > 0)
    await stage(turn, staging, ['update-index', '-z', '--index-info'], { input: lines.join('') });
  return links;
}

/** Submodules stay as the agent committed them, whatever has taken their place in the folder. */
export async function restoreGitlinks(
  turn: Turn,
  staging: Staging,
  links: readonly Gitlink[],
): Promise<void> {
  const lines = links.map(({ sha, path }) => `160000 ${sha}\t${path}\0`);
  const update = ['update-index', '--replace', '-z', '--index-info'];
  if (links.length > 0) await stage(turn, staging, update, { input: lines.join('') });
}

export async function listGitlinks(turn: Turn, staging: Staging): Promise<readonly Gitlink[]> {
  return splitEntries(await stage(turn, staging, ['ls-files', '--stage', '-z']))
    .map((entry) => /^160000 ([0-9a-f]+) \d\t(.*)$/s.exec(entry))
    .flatMap((found) => (found === null ? [] : [{ sha: found[1] ?? '', path: found[2] ?? '' }]));
}

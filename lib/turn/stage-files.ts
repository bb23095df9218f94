import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readLineEndings } from './agent-git.ts';
import { diskTrouble, GitFault } from './failure.ts';
import { findLargeFiles } from './find-large-files.ts';
import { findModuleWork } from './find-module-work.ts';
import { restoreGitlinks, takeGitlinks } from './gitlinks.ts';
import { readSmallFile } from './read-small-file.ts';
import { restoreUnchanged } from './restore-unchanged.ts';
import { type Staging, splitEntries, stage, takeOver, tryToStage, withStaging } from './staging.ts';
import type { Turn } from './turn.ts';
import { identify } from './workspace.ts';

/** The files of the workspace as a tree of the turn program's repository, and what of them is not in it. */
export interface Staged {
  readonly tree: string;
  /** Files that are larger than any that may be delivered; none of them was read. */
  readonly large: readonly string[];
  /** How many folders were left out because they are repositories from elsewhere. */
  readonly foreign: number;
  /** Whether some files could not be read. */
  readonly isPartial: boolean;
  /** Submodules whose folders hold something else than the commits that the tree names for them. */
  readonly modules: readonly string[];
}

/**
 * Makes a tree of what the workspace holds and git does not ignore, as changes on top of `head`. A repository that the agent
 * made in a folder is its work like any other; one that it cloned is left out, and a submodule stays as it was committed.
 * Throws a `GitFault` when git fails.
 */
export async function stageFiles(turn: Turn, head: string): Promise<Staged> {
  const settings = await readLineEndings(turn);
  return withStaging(turn, (index) =>
    stageAll(turn, { folder: turn.folder.workspace, index, prefix: '', settings }, head),
  );
}

async function stageAll(turn: Turn, top: Staging, head: string): Promise<Staged> {
  await stage(turn, top, ['read-tree', head]);
  const links = await takeGitlinks(turn, top);
  const modules = links.map(({ path }) => path);
  const left: LeftOut = { large: [], foreign: 0, isPartial: false, nested: 0, modules };
  await fill(turn, top, left);
  await takeGitlinks(turn, top);
  await restoreGitlinks(turn, top, links);
  await restoreUnchanged(turn, top, head);
  const tree = (await stage(turn, top, ['write-tree'])).trim();
  await takeOver(turn, top, tree, head);
  const { large, foreign, isPartial } = left;
  return { tree, large, foreign, isPartial, modules: await findModuleWork(turn, top, links) };
}

interface LeftOut {
  readonly large: string[];
  foreign: number;
  isPartial: boolean;
  /** How many repositories of the agent's own were looked into. */
  nested: number;
  /** Where submodules are, seen from the workspace. */
  readonly modules: readonly string[];
}

const mostNested = 20;

async function fill(turn: Turn, staging: Staging, left: LeftOut): Promise<void> {
  for (const name of await addFiles(turn, staging, left)) {
    const folder = join(staging.folder, name);
    if (left.nested >= mostNested || !(await isOwn(turn, folder))) left.foreign += 1;
    else {
      left.nested += 1;
      await addNested(turn, staging, name, (inner) => fill(turn, inner, left));
    }
  }
}

/** Adds what is plain work to the index. Tells the folders that are repositories. */
async function addFiles(turn: Turn, staging: Staging, left: LeftOut): Promise<readonly string[]> {
  const modules = left.modules
    .filter((path) => path.startsWith(staging.prefix))
    .map((path) => `:(exclude,literal)${path.slice(staging.prefix.length)}`);
  const list = ['ls-files', '--others', '--exclude-standard', '-z', '--', '.', ...modules];
  const listed = await stage(turn, staging, list);
  const others = splitEntries(listed);
  const nested = others.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const large = await findLargeFiles(
    turn,
    staging,
    others.filter((name) => !name.endsWith('/')),
  );
  left.large.push(...large.map((name) => `${staging.prefix}${name}`));

  const without = [...modules, ...[...nested, ...large].map((name) => `:(exclude,literal)${name}`)];
  const add = ['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'];
  const input = ['.', ...without, ''].join('\0');
  const added = await tryToStage(turn, staging, add, { input });
  // Files that cannot be read are passed over, of which this code tells.
  const isUsable = added.ok || (added.code === 1 && !diskTrouble.test(added.stderr));
  if (!isUsable) throw new GitFault('the files of the workspace could not be collected', added);
  left.isPartial ||= !added.ok;
  return nested;
}

/** The agent's own is a repository that was made here: one with a remote was cloned, one without a folder of its own is linked. */
async function isOwn({ user }: Turn, folder: string): Promise<boolean> {
  const gitFolder = join(folder, '.git');
  if ((await identify(gitFolder)) === undefined) return false;
  const config = await readSmallFile(join(gitFolder, 'config'), longestConfigBytes, user?.uid);
  return config !== undefined && !/^\s*\[\s*remote\b/im.test(config);
}

const longestConfigBytes = 64 * 1024;

/** Puts the files of a nested repository into the index as if they were plain files of that folder. */
async function addNested(
  turn: Turn,
  outer: Staging,
  name: string,
  fillInner: (inner: Staging) => Promise<void>,
): Promise<void> {
  const inner: Staging = {
    folder: join(outer.folder, name),
    index: `${outer.index}.nested`,
    prefix: `${outer.prefix}${name}/`,
    // What the workspace ignores in every folder it ignores here, too.
    settings: [...outer.settings, '-c', `core.excludesFile=${join(turn.folder.workspace, '.gitignore')}`],
  };
  await rm(inner.index, { force: true });
  await fillInner(inner);
  const isEmpty = (await stage(turn, inner, ['ls-files', '-z'])) === '';
  const tree = (await stage(turn, inner, ['write-tree'])).trim();
  if (!isEmpty) await stage(turn, outer, ['read-tree', `--prefix=${name}/`, tree]);
}

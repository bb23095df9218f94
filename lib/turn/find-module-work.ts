import { chmod, copyFile, lstat, readdir, rm, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Gitlink, listGitlinks } from './gitlinks.ts';
import { readSmallFile } from './read-small-file.ts';
import { type Staging, tryToStage } from './staging.ts';
import type { Turn } from './turn.ts';
import { identify } from './workspace.ts';

/**
 * Which of these submodules have something in their folders that is not in the commits named for them, or something of
 * which git cannot tell. Nothing that is set in their repositories is obeyed: git runs on our own, and only reads theirs.
 */
export async function findModuleWork(
  turn: Turn,
  staging: Staging,
  links: readonly Gitlink[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const link of links) {
    if (!(await isAsCommitted(turn, staging, link, deepest))) found.push(link.path);
  }
  return found;
}

/** How many submodules within each other are looked into. */
const deepest = 5;

async function isAsCommitted(
  turn: Turn,
  { folder: outer, settings }: Staging,
  { path, sha }: Gitlink,
  depth: number,
): Promise<boolean> {
  const folder = join(outer, path);
  if ((await identify(folder)) === undefined) return false;
  // Git makes the folder and leaves it empty until somebody wants the submodule.
  if ((await readdir(folder).catch(() => ['unreadable'])).length === 0) return true;
  const owner = turn.user?.uid;
  const gitFolder = await findGitFolder(folder, owner);
  const index = join(turn.folder.staging, `module-${depth}.index`);
  if (depth === 0 || gitFolder === undefined || !(await copyPlain(join(gitFolder, 'index'), index, owner)))
    return false;
  const inner: Staging = { folder, index, prefix: '', settings, objects: join(gitFolder, 'objects') };
  // Only that a nested submodule stands at its commit: what it holds would be asked of a git that obeys its settings.
  const diff = ['diff', '--quiet', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', sha, '--'];
  if (!(await tryToStage(turn, inner, diff)).ok) return false;
  const others = await tryToStage(turn, inner, ['ls-files', '--others', '--exclude-standard', '-z']);
  if (!others.ok || others.stdout !== '') return false;
  for (const link of await listGitlinks(turn, inner)) {
    if (!(await isAsCommitted(turn, inner, link, depth - 1))) return false;
  }
  return true;
}

/** The folder of a repository, or the one that its `.git` file names. */
async function findGitFolder(folder: string, owner: number | undefined): Promise<string | undefined> {
  const path = join(folder, '.git');
  if ((await identify(path)) !== undefined) return path;
  const [, named] =
    /^gitdir: (.+)\n?$/.exec((await readSmallFile(path, longestPathBytes, owner)) ?? '') ?? [];
  return named === undefined ? undefined : resolve(folder, named);
}

const longestPathBytes = 4096;

/** Git may write into an index that it only reads, and waits for a pipe. By its age it tells which files to look at again. */
async function copyPlain(from: string, to: string, owner: number | undefined): Promise<boolean> {
  try {
    const found = await lstat(from);
    if (!found.isFile() || found.uid !== (owner ?? found.uid)) return false;
    await rm(to, { force: true });
    await copyFile(from, to);
    await chmod(to, 0o644);
    await utimes(to, found.atime, Math.floor(found.mtimeMs / 1000));
    return true;
  } catch {
    return false;
  }
}

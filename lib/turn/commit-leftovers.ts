import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitEnd } from './git.ts';
import { readSmallFile } from './read-small-file.ts';
import type { Turn } from './turn.ts';

/**
 * Commits what the agent changed and did not commit, as far as git does not ignore it, on top of `head`. Tells the new
 * commit, or `head` when there was nothing. Git runs on the turn program's repository, its configuration and an index of
 * its own, and only reads files of the workspace, so that nothing planted there can run. Undefined when git failed.
 */
export async function commitLeftovers(turn: Turn, head: string): Promise<string | undefined> {
  const { folder, git } = turn;
  const options = { cwd: folder.workspace, env: { ...identity, GIT_INDEX_FILE: folder.index } };
  const run = (args: readonly string[], input?: string): Promise<GitEnd> =>
    git.run(
      [`--work-tree=${folder.workspace}`, ...args],
      input === undefined ? options : { ...options, input },
    );

  await rm(folder.index, { force: true });
  await ignoreWhatTheAgentIgnores(turn);
  if (!(await run(['read-tree', head])).ok) return undefined;
  // Git would look into nested repositories by their own configuration, so it must not know of any.
  const nested = await listNested(run);
  await removeFromIndex(run, nested);
  // Files that cannot be read are passed over; the exit code tells of them and says nothing about the rest.
  const added = await run(['add', '--all', '--ignore-errors', '--', '.']);
  if (added.cut !== undefined) return undefined;
  await removeFromIndex(run, await listNested(run));
  await restoreNested(run, nested);

  const tree = (await run(['write-tree'])).stdout.trim();
  const before = (await run(['rev-parse', '--verify', `${head}^{tree}`])).stdout.trim();
  if (tree === '' || before === '') return undefined;
  if (tree === before) return head;
  const commit = await run(['commit-tree', tree, '-p', head, '-F', '-'], writeMessage(turn.instructions));
  return commit.ok ? commit.stdout.trim() : undefined;
}

/** The key comes from a tracker: it stays on its line, and leaves the subject short. */
function writeMessage({ key, turnId }: Turn['instructions']): string {
  const name = key.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const short = [...name].slice(0, longestKey).join('');
  const head = short === '' ? '' : `${short}: `;
  return `${head}keep work that the agent did not commit\n\nTurn: ${turnId}\n`;
}

const longestKey = 30;

const identity = {
  GIT_AUTHOR_NAME: 'evenkeel',
  GIT_AUTHOR_EMAIL: 'evenkeel@evenkeel.invalid',
  GIT_COMMITTER_NAME: 'evenkeel',
  GIT_COMMITTER_EMAIL: 'evenkeel@evenkeel.invalid',
};

const longestExcludeBytes = 256 * 1024;

/** The agent's repository may ignore more than the committed files say; the patterns are taken over as text. */
async function ignoreWhatTheAgentIgnores({ folder }: Turn): Promise<void> {
  const patterns = await readSmallFile(
    join(folder.workspace, '.git', 'info', 'exclude'),
    longestExcludeBytes,
  );
  const info = join(folder.repository, 'info');
  // A link in its place would lead elsewhere.
  await rm(info, { recursive: true, force: true });
  await mkdir(info);
  await writeFile(join(info, 'exclude'), patterns ?? '');
}

interface Nested {
  readonly sha: string;
  readonly path: string;
}
type Run = (args: readonly string[], input?: string) => Promise<GitEnd>;

/** Entries that stand for another repository: submodules, or a repository that the agent cloned into its own. */
async function listNested(run: Run): Promise<readonly Nested[]> {
  const listed = await run(['ls-files', '--stage', '-z']);
  return listed.stdout
    .split('\0')
    .map((entry) => /^160000 ([0-9a-f]+) \d\t(.*)$/s.exec(entry))
    .flatMap((found) => (found === null ? [] : [{ sha: found[1] ?? '', path: found[2] ?? '' }]));
}

async function removeFromIndex(run: Run, entries: readonly Nested[]): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.map(({ sha, path }) => `0 ${'0'.repeat(sha.length)}\t${path}\0`);
  await run(['update-index', '-z', '--index-info'], lines.join(''));
}

/** Submodules stay as the agent committed them, unless files of its own have taken their place. */
async function restoreNested(run: Run, entries: readonly Nested[]): Promise<void> {
  for (const { sha, path } of entries) {
    const inPlace = await run(['ls-files', '-z', '--', `:(literal)${path}`]);
    if (inPlace.stdout !== '') continue;
    await run(['update-index', '-z', '--index-info'], `160000 ${sha}\t${path}\0`);
  }
}

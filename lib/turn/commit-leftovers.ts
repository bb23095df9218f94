import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFault } from './failure.ts';
import { readSmallFile } from './read-small-file.ts';
import { type Staged, stageFiles } from './stage-files.ts';
import type { Turn } from './turn.ts';

export interface Leftovers extends Omit<Staged, 'tree'> {
  /** The new commit, or the one it would have stood on when there was nothing. */
  readonly headSha: string;
}

/** Commits what the agent changed and did not commit, on top of `head`. Throws when that cannot be done. */
export async function commitLeftovers(turn: Turn, head: string): Promise<Leftovers> {
  await ignoreWhatTheAgentIgnores(turn);
  const { tree, ...rest } = await stageFiles(turn, head);
  const before = await turn.git.run(['rev-parse', '--verify', `${head}^{tree}`]);
  if (!before.ok) throw new GitFault('the committed files could not be looked at', before);
  if (tree === before.stdout.trim()) return { ...rest, headSha: head };
  const args = ['commit-tree', tree, '-p', head, '-F', '-'];
  const commit = await turn.git.run(args, { env: identity, input: writeMessage(turn.instructions) });
  if (!commit.ok) throw new GitFault('the files of the workspace could not be committed', commit);
  return { ...rest, headSha: commit.stdout.trim() };
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
async function ignoreWhatTheAgentIgnores({ folder, user }: Turn): Promise<void> {
  const patterns = await readSmallFile(
    join(folder.workspace, '.git', 'info', 'exclude'),
    longestExcludeBytes,
    user?.uid,
  );
  const info = join(folder.repository, 'info');
  // A link in its place would lead elsewhere.
  await rm(info, { recursive: true, force: true });
  await mkdir(info);
  await writeFile(join(info, 'exclude'), patterns ?? '');
}

import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Failure } from './failure.ts';
import { branchCheckedOut, hopelessPush } from './git-trouble.ts';
import type { Turn } from './turn.ts';

/**
 * Tells before the work begins that it could not be delivered: the repository is somebody's working copy on this machine,
 * and the branch is checked out there. Undefined also when git cannot tell; then the push will.
 */
export async function findCheckout({ git, instructions }: Turn): Promise<Failure | undefined> {
  const folder = folderOf(instructions.repository);
  if (folder === undefined) return undefined;
  const listed = await git.plain(['-C', folder, 'worktree', 'list', '--porcelain']);
  const isOut = listed.stdout.split('\n').includes(`branch refs/heads/${instructions.branch}`);
  if (!listed.ok || !isOut) return undefined;
  const set = await git.plain(['-C', folder, 'config', '--get', 'receive.denyCurrentBranch']);
  const isTaken = takingSettings.includes(set.stdout.trim().toLowerCase());
  return isTaken ? undefined : hopelessPush(branchCheckedOut);
}

function folderOf(repository: string): string | undefined {
  if (isAbsolute(repository)) return repository;
  return /^file:\/\//i.test(repository) && URL.canParse(repository) ? fileURLToPath(repository) : undefined;
}

/** With these the repository takes a push to a branch that is checked out. */
const takingSettings: readonly string[] = ['updateinstead', 'ignore', 'warn', 'false', 'no', 'off', '0'];

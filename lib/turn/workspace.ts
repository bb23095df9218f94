import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { runAgentGit } from './agent-git.ts';
import { type Failure, failure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { withoutCredentials } from './git-access.ts';
import type { Turn } from './turn.ts';
import { lendFolder } from './turn-folder.ts';

/** The agent's checkout: which folder it is, and the commit it began with. */
export interface Workspace {
  readonly startSha: string;
  /** Device and number of the folder, by which another one in its place is told apart. */
  readonly identity: string;
}

/**
 * Hands the repository over to the agent as a bundle, so that nothing of the turn program's own repository need be open to
 * it, and checks the branch out. Submodules and large files kept elsewhere are not fetched.
 */
export async function layOutWorkspace(turn: Turn, origin: Origin): Promise<Workspace | Failure> {
  const { git, folder, instructions, user } = turn;
  const startSha = origin.expectedSha ?? origin.baseSha;
  const whole = { timeoutMs: turn.timing.fetchMs };
  const inWorkspace = ['-C', folder.workspace];
  const clone = ['clone', '--quiet', '--no-checkout', '--template=', ...workspaceSettings];
  const address = withoutCredentials(instructions.repository);
  await lendFolder(folder.workspace, user);
  const steps = [
    () => git.run(['bundle', 'create', '--quiet', folder.handover, 'HEAD', '--branches'], whole),
    () => runAgentGit(turn, [...clone, folder.handover, folder.workspace], whole),
    () => runAgentGit(turn, [...inWorkspace, 'config', 'remote.origin.url', address]),
    () =>
      runAgentGit(
        turn,
        [...inWorkspace, 'checkout', '--quiet', '--no-track', '-B', instructions.branch, startSha],
        whole,
      ),
  ];
  for (const step of steps) {
    const end = await step();
    if (!end.ok) {
      return failure(
        'infrastructure',
        'workspace',
        `The workspace could not be made: ${end.stderr.trim().slice(0, 300)}`,
      );
    }
  }
  // Tools expect these folders, and we lay out no template from which they would come.
  for (const name of ['info', 'hooks']) await lendFolder(join(folder.workspace, '.git', name), user);
  return { startSha, identity: (await identify(folder.workspace)) ?? '' };
}

/** The name of a folder that is really one: undefined for a link, a file, or nothing. */
export async function identify(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
}

/** Commits work without the user's identity and keys; pushing is not the agent's business, and says so. */
const workspaceSettings: readonly string[] = [
  'user.name=evenkeel agent',
  'user.email=agent@evenkeel.invalid',
  'commit.gpgSign=false',
  'gc.auto=0',
  'remote.origin.pushurl=evenkeel-delivers-the-commits-of-this-turn',
].flatMap((setting) => ['--config', setting]);

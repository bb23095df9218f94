import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, failure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { withoutCredentials } from './git-access.ts';
import type { Turn } from './turn.ts';

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
  const { git, folder, instructions } = turn;
  const startSha = origin.expectedSha ?? origin.baseSha;
  const inWorkspace = ['-C', folder.workspace];
  const steps: ReadonlyArray<() => ReturnType<typeof git.run>> = [
    () =>
      git.run(['bundle', 'create', '--quiet', folder.handover, 'HEAD', '--branches'], {
        timeoutMs: turn.timing.fetchMs,
      }),
    () => git.plain(['clone', '--quiet', '--no-checkout', '--template=', folder.handover, folder.workspace]),
    ...workspaceSettings(instructions.repository).map(
      (setting) => () => git.plain([...inWorkspace, 'config', ...setting]),
    ),
    () =>
      git.plain([...inWorkspace, 'checkout', '--quiet', '--no-track', '-B', instructions.branch, startSha]),
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
  for (const name of ['info', 'hooks'])
    await mkdir(join(folder.workspace, '.git', name), { recursive: true });
  return { startSha, identity: (await identify(folder.workspace)) ?? '' };
}

/** The name of a folder that is really one: undefined for a link, a file, or nothing. */
export async function identify(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
}

/** Commits work without the user's identity and keys; pushing is not the agent's business, and says so. */
function workspaceSettings(repository: string): readonly (readonly string[])[] {
  return [
    ['user.name', 'evenkeel agent'],
    ['user.email', 'agent@evenkeel.invalid'],
    ['commit.gpgSign', 'false'],
    ['gc.auto', '0'],
    ['remote.origin.url', withoutCredentials(repository)],
    ['remote.origin.pushurl', 'evenkeel-delivers-the-commits-of-this-turn'],
  ];
}

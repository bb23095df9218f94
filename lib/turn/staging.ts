import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { readersGid } from './agent-user.ts';
import { GitFault } from './failure.ts';
import type { GitEnd, GitOptions } from './git.ts';
import type { Command } from './mark-command.ts';
import type { Turn } from './turn.ts';
import { lendFolder } from './turn-folder.ts';

/**
 * A folder of the agent's with an index of ours, in which its files become a tree. Git runs on the turn program's
 * repository and configuration, so that nothing planted there can run, and with the agent's authority, so that no link and
 * no further name of a file gets at what the agent could not read. So it cannot write into that repository either: what it
 * makes lies apart until it is taken over.
 */
export interface Staging {
  readonly folder: string;
  readonly index: string;
  /** What stands before the names of its files, seen from the workspace: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Arguments of every command here. */
  readonly settings: readonly string[];
  /** Where objects are looked for besides our own. */
  readonly objects?: string;
}

/** Makes the place in which trees are staged for as long as `act` takes. No process of the agent may be alive. */
export async function withStaging<Result>(
  turn: Turn,
  act: (index: string) => Promise<Result>,
): Promise<Result> {
  const { staging } = turn.folder;
  await rm(staging, { recursive: true, force: true });
  try {
    await lendFolder(staging, turn.user, 0o700);
    await lendFolder(join(staging, 'objects'), turn.user, 0o700);
    return await act(join(staging, 'index'));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export async function tryToStage(
  { git, timing, family, user, folder: { staging, repository } }: Turn,
  { folder, index, settings, objects }: Staging,
  args: readonly string[],
  stream: Pick<GitOptions, 'input' | 'output'> = {},
): Promise<GitEnd> {
  const others = [join(repository, 'objects'), ...(objects === undefined ? [] : [objects])];
  const env = {
    ...(user === undefined ? {} : { HOME: user.home }),
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: join(staging, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quote).join(delimiter),
  };
  const as = (command: Command): Command => ({
    ...family.mark(command),
    ...(user === undefined ? {} : { gid: readersGid }),
  });
  return git.run([...settings, `--work-tree=${folder}`, ...args], {
    cwd: folder,
    env,
    as,
    timeoutMs: timing.fetchMs,
    ...stream,
  });
}

/** A path in a list of paths, whatever it holds. */
function quote(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}

/** The same, for what has to succeed: its output, or a `GitFault`. */
export async function stage(
  turn: Turn,
  staging: Staging,
  args: readonly string[],
  stream: Pick<GitOptions, 'input' | 'output'> = {},
): Promise<string> {
  const end = await tryToStage(turn, staging, args, stream);
  if (!end.ok) throw new GitFault('the files of the workspace could not be collected', end);
  return end.stdout;
}

/** Brings a tree into the turn program's repository, with what of it `head` does not hold. */
export async function takeOver(turn: Turn, staging: Staging, tree: string, head: string): Promise<void> {
  const { git, folder, timing } = turn;
  if ((await git.run(['cat-file', '-e', tree])).ok) return;
  // A link or a pipe in its place would lead elsewhere, or hold us up.
  await rm(folder.handover, { recursive: true, force: true });
  const pack = ['pack-objects', '--revs', '--stdout', '--quiet', '--window=0'];
  await stage(turn, staging, pack, { input: `${tree}\n^${head}\n`, output: folder.handover });
  const options = { inputFile: folder.handover, timeoutMs: timing.fetchMs };
  const taken = await git.run(['index-pack', '--stdin'], options);
  if (!taken.ok) throw new GitFault('the files of the workspace could not be taken over', taken);
}

/** A list as git prints it with `-z`. */
export function splitEntries(printed: string): readonly string[] {
  return printed.split('\0').filter((entry) => entry !== '');
}

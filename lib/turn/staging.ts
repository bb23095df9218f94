import { GitFault } from './failure.ts';
import type { GitEnd } from './git.ts';
import type { Turn } from './turn.ts';

/**
 * A folder of the agent's with an index of ours, in which its files become a tree. Git runs on the turn program's
 * repository and configuration and only reads files of the folder, so that nothing planted there can run.
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

export async function tryToStage(
  { git, timing }: Turn,
  { folder, index, settings, objects }: Staging,
  args: readonly string[],
  input?: string,
): Promise<GitEnd> {
  const env = {
    GIT_INDEX_FILE: index,
    ...(objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }),
  };
  const options = { cwd: folder, env, timeoutMs: timing.fetchMs };
  return git.run(
    [...settings, `--work-tree=${folder}`, ...args],
    input === undefined ? options : { ...options, input },
  );
}

/** The same, for what has to succeed: its output, or a `GitFault`. */
export async function stage(
  turn: Turn,
  staging: Staging,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const end = await tryToStage(turn, staging, args, input);
  if (!end.ok) throw new GitFault('the files of the workspace could not be collected', end);
  return end.stdout;
}

/** A list as git prints it with `-z`. */
export function splitEntries(printed: string): readonly string[] {
  return printed.split('\0').filter((entry) => entry !== '');
}

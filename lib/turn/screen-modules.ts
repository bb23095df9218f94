import type { Work } from './collect-work.ts';
import type { Git } from './git.ts';
import type { Change } from './list-changes.ts';

/**
 * Whether the commits name a submodule whose address leads into the machine that checks it out, or makes git run a program
 * there: a path, a `file:` address, one with a helper of its own such as `ext::`, or an update by a command. What the
 * agent found in the file is not held against it.
 */
export async function hasUnfitModule(git: Git, work: Work, changes: readonly Change[]): Promise<boolean> {
  const blobs = changes.filter(({ path, mode }) => isModulesFile(path) && mode !== removed);
  if (blobs.length === 0) return false;
  const before = await Promise.all(
    work.known.map((known) => listSettings(git, `${known.replace(/^\^/, '')}:.gitmodules`)),
  );
  const known = new Set(before.flatMap((settings) => settings ?? []));
  for (const { sha } of blobs) {
    const settings = await listSettings(git, sha);
    // A file that git cannot read names nothing to anybody.
    if (settings?.some((setting) => !known.has(setting) && isUnfitModule(setting))) return true;
  }
  return false;
}

const removed = '000000';

/** A file system that ignores case would take the one for the other. */
function isModulesFile(path: string): boolean {
  return path.toLowerCase() === '.gitmodules';
}

/** `key\nvalue` for each setting; undefined when there is no such file or it is none. */
async function listSettings(git: Git, blob: string): Promise<readonly string[] | undefined> {
  const listed = await git.run(['config', `--blob=${blob}`, '--no-includes', '--list', '-z']);
  return listed.ok ? listed.stdout.split('\0') : undefined;
}

/** Whether one setting, as `key\nvalue`, keeps the file from being delivered. */
export function isUnfitModule(setting: string): boolean {
  const [key = '', ...lines] = setting.split('\n');
  const value = lines.join('\n').trim();
  if (/^submodule\..*\.url$/is.test(key)) return !fitAddress.test(value);
  return /^submodule\..*\.update$/is.test(key) && value.startsWith('!');
}

/** An address on the network, or one beside that of this repository. */
const fitAddress =
  /^(?:(?:https?|ssh|git|git\+ssh):\/\/|\.\.?\/|[\w.~-]+@[\w.-]+:(?!:)|[\w-]+(?:\.[\w-]+)+:(?!:))/i;

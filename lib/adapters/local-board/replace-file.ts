import { linkSync, lstatSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { oldPath, printOf, rescuePath } from './aside-file.ts';

/** The moments of a replacement, for those who want to act in between. */
export type SwapMoment = 'locked' | 'prepared' | 'linked' | 'checked' | 'replaced' | 'looked' | 'put-back';
export type Tell = (moment: SwapMoment) => void;

/**
 * Gives the file a second name, `old`, under which it stays within reach when it is replaced, also for an editor that
 * has it open. The name says what the file held before (the print `before`) and what is to take its place.
 */
export function nameOld(path: string, before: string, after: string, tell: Tell): string {
  const old = oldPath(path, before, after);
  linkSync(path, old);
  tell('linked');
  return old;
}

/**
 * Puts `source` in the place of `path` if that is still the file called `old` and still has the content `before`. With a
 * stamp of the folder it is `busy` when the folder has changed since. Nothing yields in here: between the last look and
 * the rename lie two system calls.
 */
export function replaceFile(
  source: string,
  path: string,
  old: string,
  before: string,
  stamp: bigint | undefined,
  tell: Tell,
): 'replaced' | 'changed' | 'busy' {
  const isAsRead = printOf(readFileSync(old)) === before;
  tell('checked');
  if (!isAsRead) return 'changed';
  if (stamp !== undefined && stampOf(path) !== stamp) return 'busy';
  if (!isSameFile(old, path)) return 'changed';
  renameSync(source, path);
  tell('replaced');
  return 'replaced';
}

/** No content has this print: what was put back is a person's, and gives way to nobody. */
const neverGivesWay = 'never';

/**
 * Looks whether a replaced file, `old`, was edited since its content was `before`. If so the edit is put back, unless
 * the file that took its place (`after`) has been edited as well: then the older edit is kept beside it, under a name
 * that shows. Returns whether there was an edit; if so, `old` is gone.
 */
export function reclaimEdit(old: string, path: string, before: string, after: string, tell: Tell): boolean {
  const edited = printOf(readFileSync(old));
  if (edited === before) return false;
  const replaced = putBack(old, path, after, tell);
  tell('put-back');
  if (replaced === undefined) renameSync(old, rescuePath(path));
  else if (!reclaimEdit(replaced, path, after, neverGivesWay, tell)) unlinkSync(replaced);
  return true;
}

/** When something was last made, renamed or deleted in the file's folder. */
export function stampOf(path: string): bigint {
  return statSync(dirname(path), { bigint: true }).mtimeNs;
}

/** Returns the second name of the file that had to give way, or undefined if it was edited too, or is gone. */
function putBack(source: string, path: string, expected: string, tell: Tell): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const old = nameOld(path, expected, neverGivesWay, tell);
  if (replaceFile(source, path, old, expected, undefined, tell) === 'replaced') return old;
  unlinkSync(old);
  return undefined;
}

function isSameFile(old: string, path: string): boolean {
  const known = lstatSync(old);
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now !== undefined && now.ino === known.ino && now.dev === known.dev;
}

import { closeSync, openSync, rmSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockPath, newPath, printOf } from './aside-file.ts';
import { nameOld, reclaimEdit, replaceFile, stampOf, type Tell } from './replace-file.ts';

export type Swap =
  | { readonly kind: 'swapped' }
  /** The file is not as expected, or someone edited it meanwhile: it is as that person left it. */
  | { readonly kind: 'changed' }
  /** Certainly nothing was written. */
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly error: NodeJS.ErrnoException;
  /** Whether nothing can be written in the whole folder, as far as that shows. */
  readonly ofFolder: boolean;
}

export interface SwapTiming {
  /** How long nothing may have happened in the folder before the file is replaced. */
  readonly quietMs: number;
  /** How long after the replacement the old file is looked at again, for an editor that was slow to write. */
  readonly lookAgainMs: number;
}

/** A folder in which something happens all the time is not waited for any longer. */
const quietTries = 4;

/**
 * Replaces a file's content if it still has the content with the print `expected`: compare-and-set, as far as a file
 * system goes. The file is there, whole, at every moment, also if this process is killed at any of them.
 *
 * The new text is written beside the file. The file gets a second name, is compared under it, and is then replaced by a
 * rename. Whoever had opened it before the rename writes into what now has only the second name; so that is read again,
 * and put back with an edit in it.
 *
 * What remains is a gap of two system calls, from the last look at which file stands there to the rename: a deletion or
 * a save by rename that falls into it is overwritten. Nothing in POSIX closes it while the name stays present. It is
 * made unlikely: a save by rename begins with a new file in the folder, so the folder must have been quiet just before.
 * Also, an editor that opened the file before the rename, and first writes after the second look, writes into nothing.
 *
 * The file is a new one afterwards: owner and permissions are kept, extended attributes and further hard links are not.
 * Throws when something fails after the rename: then the outcome is not known.
 */
export async function swapFile(
  path: string,
  expected: string,
  next: Uint8Array,
  timing: SwapTiming,
  tell: Tell = () => undefined,
): Promise<Swap> {
  const lock = takeLock(path);
  if (lock !== 'taken') return lock;
  const fresh = newPath(path);
  const after = printOf(next);
  try {
    tell('locked');
    const old = await replaceByNew(path, fresh, expected, next, timing, tell);
    if (typeof old !== 'string') return old;
    if (reclaimEdit(old, path, expected, after, tell)) return { kind: 'changed' };
    tell('looked');
    await sleep(timing.lookAgainMs);
    if (reclaimEdit(old, path, expected, after, tell)) return { kind: 'changed' };
    unlinkSync(old);
    return { kind: 'swapped' };
  } finally {
    await rm(fresh, { force: true });
    await rm(lockPath(path), { force: true });
  }
}

/** Keeps our own processes apart; a person's editor knows nothing of it. */
function takeLock(path: string): 'taken' | Swap {
  try {
    closeSync(openSync(lockPath(path), 'wx', 0o600));
    return 'taken';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? { kind: 'changed' }
      : explainRefusal(error, true);
  }
}

/** Returns the second name of the file that was replaced. What fails in here fails before the rename. */
async function replaceByNew(
  path: string,
  fresh: string,
  expected: string,
  next: Uint8Array,
  timing: SwapTiming,
  tell: Tell,
): Promise<string | Swap> {
  let old: string | undefined;
  try {
    await prepare(path, fresh, next);
    tell('prepared');
    old = nameOld(path, expected, printOf(next), tell);
    for (let tries = 1; ; tries += 1) {
      const stamp = stampOf(path);
      await sleep(timing.quietMs);
      const outcome = replaceFile(fresh, path, old, expected, tries < quietTries ? stamp : undefined, tell);
      if (outcome === 'replaced') return old;
      if (outcome === 'changed') break;
    }
    unlinkSync(old);
    return { kind: 'changed' };
  } catch (error) {
    if (old !== undefined) rmSync(old, { force: true });
    return explainRefusal(error, false);
  }
}

/** Writes the text to come, with the owner and the permissions of the file it is to replace, down to the disk. */
async function prepare(path: string, fresh: string, next: Uint8Array): Promise<void> {
  // A rename would replace a read-only file, too.
  await (await open(path, 'r+')).close();
  const stat = statSync(path);
  const file = await open(fresh, 'wx', 0o600);
  try {
    await file.writeFile(next);
    await keepOwner(file, stat);
    await file.chmod(stat.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Where the owner cannot be kept, the group must be: it is what lets both of them write. */
async function keepOwner(file: FileHandle, { uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return;
  await file.chown(uid, gid).catch(() => file.chown(own.uid, gid));
}

/** A file that has gone was changed by a person. */
function explainRefusal(error: unknown, isLock: boolean): Swap {
  const failed = error as NodeJS.ErrnoException;
  if (failed.code === 'ENOENT') return { kind: 'changed' };
  const ofFolder = ofMachine.has(failed.code ?? '') || (isLock && failed.code !== 'ENAMETOOLONG');
  return { kind: 'refused', error: failed, ofFolder };
}

const ofMachine = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO']);

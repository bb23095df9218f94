import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type AsideFile, parseAside } from './aside-file.ts';
import { reclaimEdit } from './replace-file.ts';

/** Whatever is older belongs to a process that was killed: a swap takes a fraction of a second. */
const abandonedAfterMs = 10_000;

/**
 * Clears away what killed processes left beside the issues, once it is too old to belong to a write under way. An edit
 * that a person made during such a write, and that nobody was left to put back, is put back now. Never throws: what
 * cannot be mended is found again the next time, and harms nobody meanwhile.
 */
export function recoverLeftovers(folder: string, names: readonly string[], now: number): void {
  for (const name of names) {
    const aside = parseAside(name);
    if (aside === undefined) continue;
    try {
      recover(folder, name, aside, now);
    } catch {
      // Another process may be clearing the same file away, or the folder may be read-only.
    }
  }
}

function recover(folder: string, name: string, aside: AsideFile, now: number): void {
  const path = join(folder, name);
  const found = lstatSync(path);
  // The inode's change time, since a second name does not touch the time of the last edit.
  if (now - found.ctimeMs < abandonedAfterMs) return;
  const target = join(folder, aside.target);
  const stillThere = lstatSync(target, { throwIfNoEntry: false })?.ino === found.ino;
  if (
    aside.kind === 'old' &&
    !stillThere &&
    reclaimEdit(path, target, aside.before, aside.after, () => undefined)
  )
    return;
  unlinkSync(path);
}

import { createHash, randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/**
 * A file that a write keeps beside an issue's file for some milliseconds: `lock` while it lasts, `new` with the text to
 * come, and `old`, a second name of the file that was replaced. Hidden, so that nobody takes it for an issue, and named
 * so that whoever finds it after a crash knows what to do with it.
 */
export interface AsideFile {
  readonly kind: 'lock' | 'new' | 'old';
  /** The name of the file that was to be written. */
  readonly target: string;
  /** For `old`: the print of what was there before, and of what took its place. */
  readonly before: string;
  readonly after: string;
}

/** One lock per file, so that its name is the mutual exclusion. */
export function lockPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.evenkeel-lock`);
}

export function newPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.evenkeel-new.${randomName()}`);
}

export function oldPath(path: string, before: string, after: string): string {
  return join(dirname(path), `.${basename(path)}.evenkeel-old.${before}.${after}.${randomName()}`);
}

/** Where an edit is kept that nothing else could be done with; no `.md`, so that it is no issue. */
export function rescuePath(path: string): string {
  return join(dirname(path), `${basename(path, '.md')}.rescued-${randomName()}.txt`);
}

/** What a file's name says about it; undefined for a file that is not one of ours. */
export function parseAside(name: string): AsideFile | undefined {
  const found = /^\.(.+)\.evenkeel-(lock|new|old)(?:\.([\w-]+)\.([\w-]+))?(?:\.\w+)?$/.exec(name);
  if (found === null) return undefined;
  const [, target = '', kind, before = '', after = ''] = found;
  return { kind: kind as AsideFile['kind'], target, before, after };
}

/** A short name of a content: 96 bits of its SHA-256, which is plenty against accidents. */
export function printOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

function randomName(): string {
  return randomBytes(6).toString('hex');
}

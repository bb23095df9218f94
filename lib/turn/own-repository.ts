import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The turn program's own bare repository, in which an agent of the same user may write. */
export interface OwnRepository {
  /** Takes note of it as it was made. */
  note(): void;
  /**
   * Puts back what git obeys in it: its configuration and everything else that is neither an object nor a branch. Says why
   * it cannot be used; undefined when it can, and while it has not been made.
   */
  restore(): string | undefined;
}

/** Git obeys these before anything that a command says. */
const obeyed = ['config', 'HEAD'] as const;
/** What a bare repository has besides; a file in the making ends with `.lock`. */
const harmless = ['objects', 'refs', 'packed-refs', 'info'];
/** The only one of `info` that we write ourselves. */
const harmlessInfo = ['exclude'];

export function ownRepository(gitDir: string): OwnRepository {
  let made:
    | { readonly identity: string | undefined; readonly files: ReadonlyMap<string, Buffer> }
    | undefined;

  return {
    note() {
      const files = new Map(obeyed.map((name) => [name, readFileSync(join(gitDir, name))]));
      made = { identity: identifyFolder(gitDir), files };
    },
    restore() {
      if (made === undefined) return undefined;
      try {
        // Nothing is removed behind a link: that may be anybody's.
        if (identifyFolder(gitDir) !== made.identity || identifyFolder(join(gitDir, 'objects')) === undefined)
          return 'the repository of the turn was removed or replaced';
        for (const [name, text] of made.files) putBack(join(gitDir, name), text);
        removeOthers(gitDir, [...obeyed, ...harmless]);
        removeOthers(join(gitDir, 'info'), harmlessInfo);
        removeOthers(join(gitDir, 'objects', 'info'), []);
        return undefined;
      } catch (error) {
        return `the repository of the turn cannot be used: ${(error as Error).message}`;
      }
    },
  };
}

/** Undefined for a link, a file, or nothing. */
function identifyFolder(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
}

function putBack(path: string, text: Buffer): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).equals(text)) return;
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text, { flag: 'wx' });
}

function removeOthers(folder: string, known: readonly string[]): void {
  if (identifyFolder(folder) === undefined) {
    rmSync(folder, { force: true });
    return;
  }
  const others = readdirSync(folder).filter((name) => !known.includes(name) && !name.endsWith('.lock'));
  for (const name of others) rmSync(join(folder, name), { recursive: true, force: true });
}

import { type Staging, splitEntries, stage, tryToStage } from './staging.ts';
import type { Turn } from './turn.ts';

/**
 * Puts back the entry of every file that stands in the folder byte for byte as it was committed. Where the attributes of a
 * repository want other line ends than its commits have, adding such a file would change what nobody changed.
 */
export async function restoreUnchanged(turn: Turn, staging: Staging, head: string): Promise<void> {
  const diff = ['diff-index', '--cached', '--raw', '--no-renames', '--no-abbrev', '-z', head];
  const changed = listModified(await stage(turn, staging, diff));
  if (changed.length === 0) return;
  const hash = ['hash-object', '--no-filters', '--stdin-paths'];
  const input = changed.map(({ path }) => `${path}\n`).join('');
  const hashed = await tryToStage(turn, staging, hash, { input });
  const shas = hashed.stdout.split('\n');
  const same = changed.filter(({ sha }, at) => shas[at] === sha);
  const lines = same.map(({ mode, sha, path }) => `${mode} ${sha}\t${path}\0`);
  if (same.length > 0)
    await stage(turn, staging, ['update-index', '-z', '--index-info'], { input: lines.join('') });
}

interface Modified {
  readonly path: string;
  /** As it is now. */
  readonly mode: string;
  /** As it was. */
  readonly sha: string;
}

/** Names that git would not take as they are from a list of lines. */
const unlisted = /^"|[\r\n]/;

/** Plain files of another content. */
function listModified(raw: string): readonly Modified[] {
  const entries = splitEntries(raw);
  return entries.flatMap((entry, at) => {
    const [, mode = '', sha = ''] = /^:100\d{3} (100\d{3}) ([0-9a-f]+) [0-9a-f]+ M$/.exec(entry) ?? [];
    const path = entries[at + 1] ?? '';
    return mode === '' || at % 2 === 1 || unlisted.test(path) ? [] : [{ path, mode, sha }];
  });
}

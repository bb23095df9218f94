import type { Work } from './collect-work.ts';
import { GitFault } from './failure.ts';
import type { Git } from './git.ts';

/** One path as one commit left it. */
export interface Change {
  readonly commit: string;
  readonly path: string;
  /** `120000` is a link; `000000` a removal. */
  readonly mode: string;
  readonly sha: string;
}

/**
 * What each new commit changed. Of a merge only what differs from all its parents is its own change; the rest is judged
 * where it was made. Throws when git cannot tell.
 */
export async function listChanges(git: Git, work: Work): Promise<readonly Change[]> {
  const shape = [
    '--format=%x00%H',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--no-ext-diff',
    '--diff-merges=combined',
    '--root',
    '-z',
  ];
  const log = await git.run(['log', ...shape, work.headSha, ...work.known, '--']);
  if (!log.ok) throw new GitFault('the new commits could not be listed', log);
  const tokens = log.stdout.split('\0').values();
  const changes: Change[] = [];
  let commit = '';
  for (const token of tokens) {
    commit = /^\n?([0-9a-f]{40,64})\n*$/.exec(token)?.[1] ?? commit;
    // `:<modes> <shas> <letters>`, with one colon, mode and sha for each parent before those of the result.
    const parents = /^\n?(:+)/.exec(token)?.[1]?.length;
    if (parents === undefined) continue;
    const fields = token.replace(/^\n?:+/, '').split(' ');
    const path = tokens.next().value ?? '';
    changes.push({ commit, mode: fields[parents] ?? '', sha: fields[2 * parents + 1] ?? '', path });
  }
  return changes;
}

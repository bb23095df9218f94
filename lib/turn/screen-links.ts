import type { Work } from './collect-work.ts';
import { GitFault } from './failure.ts';
import { followPath, nameAliases } from './follow-links.ts';
import type { Git } from './git.ts';
import type { Change } from './list-changes.ts';
import { linkMode, listTree, type Tree } from './list-tree.ts';

export interface LinkTrouble {
  readonly kind: 'leaves' | 'hides' | 'tangled';
  /** The link that leads out, or the path that it makes reachable. */
  readonly path: string;
}

/**
 * Judges the links of each new commit with all links of its tree in view, as one of them may lead over another: none may
 * leave the repository, nor give a changed path a name that is denied. What the agent found there is not held against it.
 */
export async function screenLinks(
  git: Git,
  work: Work,
  changes: readonly Change[],
  isDenied: (path: string) => boolean,
): Promise<LinkTrouble | undefined> {
  const found = await Promise.all(work.known.map((known) => listTree(git, known.replace(/^\^/, ''))));
  const isNew = changes.some(({ mode }) => mode === linkMode);
  if (!isNew && found.every(({ links }) => links.size === 0)) return undefined;
  const leavingBefore = new Set(found.flatMap((tree) => listLeaving(tree)));
  const listed = await git.run(['rev-list', work.headSha, ...work.known]);
  if (!listed.ok) throw new GitFault('the new commits could not be listed', listed);
  // A merge may change nothing of its own and still bring links together.
  for (const commit of listed.stdout.split('\n').filter((sha) => sha !== '')) {
    const tree = await listTree(git, commit);
    const changed = new Set(changes.filter((change) => change.commit === commit).map(({ path }) => path));
    const leaving = listLeaving(tree).find((path) => changed.has(path) || !leavingBefore.has(path));
    if (leaving !== undefined) return { kind: 'leaves', path: leaving };
    const hidden = findHidden(tree, changed, isDenied);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

function listLeaving({ links }: Tree): readonly string[] {
  return [...links.keys()].filter((path) => followPath(links, path).kind === 'outside');
}

/** A path that has a denied name by way of a link, if the path or one of those links is new. */
function findHidden(
  { paths, links }: Tree,
  changed: ReadonlySet<string>,
  isDenied: (path: string) => boolean,
): LinkTrouble | undefined {
  const aliasesOf = nameAliases(links);
  const isRelinked = [...changed].some((path) => links.has(path));
  for (const path of isRelinked ? paths : paths.filter((name) => changed.has(name))) {
    if (isDenied(path)) continue;
    const aliases = aliasesOf(path);
    if (aliases === undefined) return { kind: 'tangled', path };
    const isHidden = aliases.some(
      ({ name, by }) => (changed.has(path) || by.some((link) => changed.has(link))) && isDenied(name),
    );
    if (isHidden) return { kind: 'hides', path };
  }
  return undefined;
}

import type { Work } from './collect-work.ts';
import { GitFault } from './failure.ts';
import type { Git } from './git.ts';
import { splitEntries } from './staging.ts';

/** Paths at which a commit of another repository is named, as it is for a submodule. */
export interface ChangedLinks {
  /** The work names another commit there than what was known before. */
  readonly named: readonly string[];
  /** Files of the work stand there instead. */
  readonly replaced: readonly string[];
}

/** What the work changed of them, as a whole: not what it took over from its base. Throws when git cannot tell. */
export async function listChangedLinks(git: Git, { headSha, known }: Work): Promise<ChangedLinks> {
  const found: ChangedLinks[] = [];
  for (const sha of known) found.push(await compare(git, sha.replace(/^\^/, ''), headSha));
  return {
    named: intersect(found.map(({ named }) => named)),
    replaced: intersect(found.map(({ replaced }) => replaced)),
  };
}

async function compare(git: Git, before: string, after: string): Promise<ChangedLinks> {
  const shape = ['-r', '--raw', '--no-renames', '-z'];
  const listed = await git.run(['diff-tree', ...shape, before, after]);
  if (!listed.ok) throw new GitFault('the work could not be compared with what was known before', listed);
  const tokens = splitEntries(listed.stdout);
  const changes = tokens.flatMap((token, at) => {
    const [, from = '', to = ''] = /^:(\d{6}) (\d{6}) /.exec(token) ?? [];
    return at % 2 === 0 ? [{ from, to, path: tokens[at + 1] ?? '' }] : [];
  });
  const named = changes.filter(({ to }) => to === linkMode);
  const gone = changes.filter(({ from, to }) => from === linkMode && to !== linkMode);
  const added = changes.filter(({ to }) => to !== removed);
  const replaced = gone.filter(({ path }) =>
    added.some((change) => change.path === path || change.path.startsWith(`${path}/`)),
  );
  return { named: named.map(({ path }) => path), replaced: replaced.map(({ path }) => path) };
}

const linkMode = '160000';
const removed = '000000';

function intersect([first = [], ...rest]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((path) => rest.every((paths) => paths.includes(path)));
}

import { GitFault } from './failure.ts';
import type { Links } from './follow-links.ts';
import type { Git } from './git.ts';

export interface Tree {
  readonly paths: readonly string[];
  readonly links: Links;
}

/** Everything in the tree of a commit, with what its links say. Throws when git cannot tell. */
export async function listTree(git: Git, commit: string): Promise<Tree> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit]);
  if (!listed.ok) throw new GitFault('a commit could not be listed', listed);
  const entries = listed.stdout.split('\0').flatMap((entry) => {
    const [, mode = '', sha = '', path = ''] = /^(\d+) \S+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return path === '' ? [] : [{ mode, sha, path }];
  });
  const links = entries.filter(({ mode }) => mode === linkMode);
  const texts = await readBlobs(git, [...new Set(links.map(({ sha }) => sha))]);
  return {
    paths: entries.map(({ path }) => path),
    links: new Map(links.map(({ path, sha }) => [path, texts.get(sha) ?? ''])),
  };
}

/** How git marks a symbolic link. */
export const linkMode = '120000';

/** What blobs hold, by their names. Throws when one of them cannot be read. */
async function readBlobs(git: Git, shas: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const chunks: Uint8Array[] = [];
  const asked = {
    input: shas.map((sha) => `${sha}\n`).join(''),
    onStdout: (chunk: Uint8Array) => void chunks.push(chunk),
  };
  if (shas.length === 0) return new Map();
  const read = await git.run(['cat-file', '--batch'], asked);
  const bytes = Buffer.concat(chunks);
  const found = new Map<string, string>();
  for (let from = 0; from < bytes.length; ) {
    const headEnd = bytes.indexOf('\n', from);
    const [sha = '', , size] = bytes.toString('utf8', from, headEnd).split(' ');
    found.set(sha, bytes.toString('utf8', headEnd + 1, headEnd + 1 + Number(size)));
    from = headEnd + 1 + Number(size) + 1;
  }
  if (!read.ok || found.size < shas.length) throw new GitFault('links could not be read', read);
  return found;
}

import picomatch from 'picomatch';

/**
 * Tells which paths the patterns of `deny_paths` forbid. A pattern that ends in a plain name or in a slash forbids that file or
 * the whole tree below that folder; a slash at the beginning changes nothing, as every pattern begins at the root.
 */
export function matchDenied(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  // A file system that ignores case would take the one path for the other.
  const isDenied = picomatch(patterns.flatMap(coverTree), { dot: true, nocase: true });
  return (path) => isDenied(level(path));
}

function coverTree(pattern: string): readonly string[] {
  const rooted = level(pattern).replace(/^\/+/, '');
  const bare = rooted.replace(/\/+$/, '');
  if (bare === '') return ['**'];
  const last = bare.slice(bare.lastIndexOf('/') + 1);
  const isTree = bare !== rooted || !/[*?[\]{}()!]/.test(last);
  return isTree ? [bare, `${bare}/**`] : [bare];
}

/** One form for spellings that look the same, and nothing in it that a glob takes for the end of a line. */
function level(text: string): string {
  return text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

import type { SourceFacts } from './source-facts.ts';

/** What starts by itself: programs, Lambda entries, scripts and tests. */
const isEntry = (path: string) => /^(bin|functions|scripts|test)\//.test(path);
/** Entries that make a file part of the product; one that only tests reach is dead. */
const isProductEntry = (path: string) => /^(bin|functions|scripts)\//.test(path);

/** Files of the product that no entry of the product leads to. */
export function unreachableFrom(files: readonly SourceFacts[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = files.filter(({ path }) => isProductEntry(path)).map(({ path }) => path);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(
      ...(byPath.get(path)?.imports ?? []).map(({ target }) => target).filter((target) => byPath.has(target)),
    );
  }
  return files.map(({ path }) => path).filter((path) => !isEntry(path) && !reached.has(path));
}

/** Values that a file of the product exports and no other file imports, tests included. */
export function unusedExports(
  files: readonly SourceFacts[],
): { readonly path: string; readonly name: string }[] {
  const used = new Set(
    files.flatMap(({ imports }) =>
      imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`)),
    ),
  );
  return files
    .filter(({ path }) => !isEntry(path))
    .flatMap(({ path, exportedValues }) => exportedValues.map((name) => ({ path, name })))
    .filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`));
}

/** The links of a tree: from the path of each to where it points, as written in it. */
export type Links = ReadonlyMap<string, string>;

/** Where a path leads when every link on the way is followed; '' is the tree itself. A circle leads nowhere. */
export type Destination =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside' | 'nowhere' };

/** Follows a path as the system would, and leaves the tree with it as soon as it does. */
export function followPath(links: Links, path: string): Destination {
  const waiting = path.split('/').reverse();
  const at: string[] = [];
  let followed = 0;
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return { kind: 'outside' };
      continue;
    }
    const target = links.get([...at, part].join('/'));
    if (target === undefined) at.push(part);
    else if (target.startsWith('/') || target.length > longestTarget) return { kind: 'outside' };
    else if (++followed > mostFollowed) return { kind: 'nowhere' };
    else waiting.push(...target.split('/').reverse());
  }
  return { kind: 'inside', path: at.join('/') };
}

/** As many as Linux follows. */
const mostFollowed = 40;

/** No system can follow longer ones. */
const longestTarget = 4_096;

export interface Alias {
  readonly name: string;
  /** The links that are used for it. */
  readonly by: readonly string[];
}

/** Makes a function that tells by which other names a path of the tree can be reached; undefined when these are too many. */
export function nameAliases(links: Links): (path: string) => readonly Alias[] | undefined {
  const linksTo = new Map<string, string[]>();
  for (const link of links.keys()) {
    const end = followPath(links, link);
    if (end.kind === 'inside') linksTo.set(end.path, [...(linksTo.get(end.path) ?? []), link]);
  }

  function namesOnce({ name, by }: Alias): readonly Alias[] {
    return listBeginnings(name).flatMap((beginning) =>
      (linksTo.get(beginning) ?? [])
        .filter((link) => !by.includes(link))
        .map((link) => {
          const rest = beginning === '' ? `/${name}` : name.slice(beginning.length);
          return { name: `${link}${rest}`, by: [...by, link] };
        }),
    );
  }

  return (path) => {
    const found: Alias[] = [{ name: path, by: [] }];
    for (let next = 0; next < found.length; next += 1) {
      found.push(...namesOnce(found[next] as Alias));
      if (found.length > mostAliases) return undefined;
    }
    return found.slice(1);
  };
}

const mostAliases = 10_000;

/** `a/b` begins with '', `a` and `a/b`. */
function listBeginnings(path: string): readonly string[] {
  const parts = path.split('/');
  return ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))];
}

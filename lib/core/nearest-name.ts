/**
 * The name that was probably meant, or undefined when none is near: at most half of the longer name may differ. Case and
 * surrounding space do not count. Among equally near names the first wins.
 */
export function nearestName<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  let best: { readonly name: Name; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(normalise(name), normalise(candidate));
    const near = distance * 2 <= Math.max(name.length, candidate.length);
    if (near && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

function normalise(name: string): string {
  return name.trim().normalize('NFC').toLocaleLowerCase('en-US');
}

/** Insertions, deletions and replacements from one text to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[to.length]!;
}

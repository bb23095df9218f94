/** A set of small numbers, as bits. */
export type NumberSet = number;

export const zero: NumberSet = 1;
export const setOf = (number: number): NumberSet => 1 << number;

/** Whether the numbers follow one another from 0, so that each one is its own rank. */
export function isRanked(used: NumberSet): boolean {
  return (used & (used + 1)) === 0;
}

/** How many of the numbers in use are smaller. */
export function rankOf(number: number, used: NumberSet): number {
  let rank = 0;
  for (let smaller = used & ((1 << number) - 1); smaller !== 0; smaller &= smaller - 1) rank += 1;
  return rank;
}

/** The same array when it is in order already, as it nearly always is. */
export function sortedBy<Item>(items: readonly Item[], key: (item: Item) => number): readonly Item[] {
  for (let at = 1; at < items.length; at += 1)
    if (key(items[at - 1]!) > key(items[at]!)) return [...items].sort((a, b) => key(a) - key(b));
  return items;
}

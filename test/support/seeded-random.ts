/** Chance that can be had again: the same seed gives the same choices. */
export interface SeededRandom {
  /** A number from 0 up to 1. */
  next(): number;
  /** A whole number from `low` up to and including `high`. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  /** Another source with choices of its own, so that two parties do not disturb each other's. */
  fork(): SeededRandom;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const random: SeededRandom = {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    between: (low, high) => low + Math.floor(random.next() * (high - low + 1)),
    pick: (items) => items[random.between(0, items.length - 1)]!,
    chance: (probability) => random.next() < probability,
    fork: () => seededRandom(random.between(0, 2 ** 31)),
  };
  return random;
}

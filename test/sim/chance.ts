/**
 * Keyed randomness: what happens at one occasion depends on the seed and on that occasion alone, so that taking one fault
 * out of a run leaves all other draws as they were.
 */
export function chance(seed: number, stream: number, ordinal: number, salt = 0): number {
  let mixed = mix((seed | 0) ^ Math.imul(stream, 0x9e3779b1));
  mixed = mix(mixed ^ Math.imul(ordinal + 1, 0x85ebca6b));
  mixed = mix(mixed ^ Math.imul(salt + 1, 0xc2b2ae35));
  return mixed / 2 ** 32;
}

/** A source of draws in a row, for what is laid out before a run begins. */
export interface Dice {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True once in so many draws. */
  happens(share: number): boolean;
}

export function makeDice(seed: number, name: string): Dice {
  const stream = hashOf(name);
  let ordinal = 0;
  const next = () => {
    ordinal += 1;
    return chance(seed, stream, ordinal);
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    happens: (share) => next() < share,
  };
}

/** A stream of occasions by its name. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

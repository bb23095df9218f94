import { allows, applyChange, type Change, carriedOut } from '../../../lib/core/change.ts';

/**
 * Every form that one item of the ledger takes, by number, so that a state holds the product's own item in a few bits.
 * Number 0 is no item. What a conditional write makes of an item is asked of the product once and remembered.
 */
export interface ItemBook<Item extends object> {
  numberOf(item: Item | undefined): number;
  item(number: number): Item | undefined;
  /** A write that is evaluated on the items of this book. */
  write(title: string, change: Change<Item>, mine: (stored: Item | undefined) => boolean): BookWrite;
  /** The item after a renaming that `key`, below 2^20, stands for. */
  amend(number: number, key: number, to: (item: Item) => Item): number;
}

export interface BookWrite {
  readonly title: string;
  /** The item's number after the write, or `refused`. */
  on(item: number): number;
  /** What is wrong with the write on this item although its condition holds, if anything. */
  faultOn(item: number): string | undefined;
  /** Whether a look at the item shows that this very write is what is stored. */
  mine(item: number): boolean;
}

export const refused = -1;

/**
 * `tidy` takes away what a model leaves out, such as times and versions, so that items that behave alike are one.
 * `fault` judges a write that was carried out, on the items before and after it.
 */
export function itemBook<Item extends object>(
  tidy: (item: Item) => Item,
  fault: (before: Item | undefined, after: Item, change: Change<Item>) => string | undefined = () =>
    undefined,
): ItemBook<Item> {
  const items: (Item | undefined)[] = [undefined];
  const numbers = new Map<string, number>();
  const amended = new Map<number, number>();

  function numberOf(item: Item | undefined): number {
    if (item === undefined) return 0;
    const tidied = tidy(item);
    const key = JSON.stringify(Object.entries(tidied).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, items.length);
    items.push(tidied);
    return items.length - 1;
  }

  return {
    numberOf,
    item: (number) => items[number],
    amend(number, key, to) {
      const item = items[number];
      if (item === undefined) return 0;
      const at = number * 2 ** 20 + key;
      const known = amended.get(at);
      if (known !== undefined) return known;
      const result = numberOf(to(item));
      amended.set(at, result);
      return result;
    },
    write(title, asked, isMine) {
      const change = carriedOut(asked);
      const results: (number | undefined)[] = [];
      const faults: (string | undefined)[] = [];
      const mines: (boolean | undefined)[] = [];
      function evaluate(number: number): number {
        const before = items[number];
        if (!allows(change, before)) return refused;
        const after = applyChange(change, before);
        faults[number] = fault(before, after, change);
        return numberOf(after);
      }
      const on = (number: number): number => {
        results[number] ??= evaluate(number);
        return results[number];
      };
      return {
        title,
        on,
        faultOn: (number) => (on(number) === refused ? undefined : faults[number]),
        mine(number) {
          mines[number] ??= isMine(items[number]);
          return mines[number];
        },
      };
    },
  };
}

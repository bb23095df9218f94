/**
 * A conditional write as data: what must hold of the stored item, and what then changes. The same value is turned into
 * a condition expression by the database adapter and evaluated by the in-memory ledger, so that the conditions of the
 * lease protocol stand in one place and cannot differ between hosts.
 */
export type Test =
  | { readonly field: string; readonly is: 'absent' }
  | { readonly field: string; readonly is: 'present' }
  | { readonly field: string; readonly is: 'equal'; readonly value: string | number }
  | { readonly field: string; readonly is: 'one-of'; readonly values: readonly (string | number)[] }
  | { readonly field: string; readonly is: 'at-most'; readonly value: number }
  /** Compares two fields of the same item; both must be present. */
  | { readonly field: string; readonly is: 'same-as'; readonly other: string }
  | { readonly field: string; readonly is: 'differs-from'; readonly other: string };

/** One alternative holds when all its tests hold. A field may be a path of two names: `pending.by`. */
export type Alternative = readonly Test[];

export interface Change<Item> {
  /** For logs and for the explored protocol; never interpreted. */
  readonly operation: string;
  /** At least one alternative must hold. An item that does not exist has no fields; `pk` is absent then. */
  readonly when: readonly Alternative[];
  readonly set: Partial<Item>;
  readonly remove: readonly (keyof Item & string)[];
  /** Added to numbers; an absent one counts as zero. */
  readonly add: Readonly<Partial<Record<keyof Item & string, number>>>;
  /** Appended to lists; an absent one counts as empty. */
  readonly append: Readonly<Partial<Record<keyof Item & string, readonly unknown[]>>>;
}

/** Whether the change may be made of this item, `undefined` when there is none. */
export function allows(change: Pick<Change<never>, 'when'>, item: object | undefined): boolean {
  return change.when.some((alternative) => alternative.every((test) => holds(test, item)));
}

/** The item after the change. Call it only when `allows` said so. */
export function applyChange<Item extends object>(change: Change<Item>, item: Partial<Item> | undefined): Item {
  const next: Record<string, unknown> = { ...item };
  for (const [field, value] of Object.entries(change.set)) if (value !== undefined) next[field] = value;
  for (const field of change.remove) delete next[field];
  for (const [field, amount] of Object.entries(change.add)) next[field] = Number(next[field] ?? 0) + Number(amount);
  for (const [field, values] of Object.entries(change.append)) {
    next[field] = [...((next[field] as readonly unknown[] | undefined) ?? []), ...(values as readonly unknown[])];
  }
  return next as Item;
}

function holds(test: Test, item: object | undefined): boolean {
  const value = valueAt(item, test.field);
  switch (test.is) {
    case 'absent':
      return value === undefined;
    case 'present':
      return value !== undefined;
    case 'equal':
      return value === test.value;
    case 'one-of':
      return test.values.some((one) => one === value);
    case 'at-most':
      return typeof value === 'number' && value <= test.value;
    case 'same-as':
      return value !== undefined && value === valueAt(item, test.other);
    case 'differs-from': {
      const other = valueAt(item, test.other);
      return value !== undefined && other !== undefined && value !== other;
    }
  }
}

function valueAt(item: object | undefined, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], item as unknown);
}

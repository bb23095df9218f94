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
  /** At least one alternative must hold. An item that does not exist has no fields; `v` is absent then. */
  readonly when: readonly Alternative[];
  readonly set: Partial<Item>;
  readonly remove: readonly (keyof Item & string)[];
  /** Added to numbers; an absent one counts as zero. */
  readonly add: Readonly<Partial<Record<keyof Item & string, number>>>;
  /** Appended to lists; an absent one counts as empty. */
  readonly append: Readonly<Partial<Record<keyof Item & string, readonly unknown[]>>>;
  /** The item is taken away, and nothing else of the change is carried out. */
  readonly deletes?: true | undefined;
}

/**
 * The change as every store carries it out: an undefined value is left out, and so is the version `v`, to which the store
 * itself adds 1 with every change. Throws for a change that names one field twice: no store can carry that out.
 */
export function carriedOut<Item>(change: Change<Item>): Change<Item> {
  const set = clause(change.set);
  const add = clause(change.add);
  const append = clause(change.append);
  const remove = [...new Set(change.remove)];
  const named = [...Object.keys(set), ...remove, ...Object.keys(add), ...Object.keys(append)];
  const twice = named.find((field, at) => named.indexOf(field) !== at);
  if (twice !== undefined)
    throw new Error(`the change "${change.operation}" names the field "${twice}" twice`);
  return { ...change, set, remove, add, append };
}

/** Whether the change may be made of this item, `undefined` when there is none. */
export function allows(change: Pick<Change<never>, 'when'>, item: object | undefined): boolean {
  return change.when.some((alternative) => alternative.every((test) => holds(test, item)));
}

/** The item after a change that does not take it away. Call it only when `allows` said so. */
export function applyChange<Item extends object>(
  change: Change<Item>,
  item: Partial<Item> | undefined,
): Item {
  const next: Record<string, unknown> = { ...item };
  for (const [field, value] of Object.entries(change.set)) if (value !== undefined) next[field] = value;
  for (const field of change.remove) delete next[field];
  for (const [field, amount] of Object.entries(change.add))
    next[field] = Number(next[field] ?? 0) + Number(amount);
  for (const [field, values] of Object.entries(change.append)) {
    next[field] = [
      ...((next[field] as readonly unknown[] | undefined) ?? []),
      ...(values as readonly unknown[]),
    ];
  }
  return next as Item;
}

function clause<Fields extends object>(fields: Fields): Fields {
  const kept = Object.entries(fields).filter(([field, value]) => value !== undefined && field !== 'v');
  return Object.fromEntries(kept) as Fields;
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

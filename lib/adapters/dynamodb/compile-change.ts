import { type Alternative, type Change, carriedOut, type Test } from '../../core/change.ts';

/** The parts of an update that carry a change out. */
export interface CompiledChange extends Required<Omit<CompiledCondition, 'ConditionExpression'>> {
  /** Absent when the change is made whatever is stored. */
  readonly ConditionExpression?: string;
  readonly UpdateExpression: string;
}

/** What must hold of the item, with the placeholders that it uses; the database takes no empty lists of them. */
export interface CompiledCondition {
  /** Absent when the change is made whatever is stored. */
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * Turns a change into the database's expressions, and adds 1 to the item's version. `identity` is written with every
 * change. Every name is a placeholder, because many words of the protocol are reserved ones of the database. Answers
 * undefined when no item can satisfy the change, so that nothing needs to be asked.
 */
export function compileChange<Item>(
  asked: Change<Item>,
  identity: Readonly<Record<string, unknown>> = {},
): CompiledChange | undefined {
  const change = carriedOut(asked);
  const placeholders = collectPlaceholders();
  const condition = compileWhen(change.when, placeholders);
  if (condition === undefined) return undefined;
  return {
    ...condition,
    UpdateExpression: compileUpdate(change, identity, placeholders),
    ExpressionAttributeNames: placeholders.names,
    ExpressionAttributeValues: placeholders.values,
  };
}

/** The condition of a change that takes the item away, in the same way. */
export function compileDeletion<Item>({ when }: Pick<Change<Item>, 'when'>): CompiledCondition | undefined {
  const placeholders = collectPlaceholders();
  const condition = compileWhen(when, placeholders);
  if (condition === undefined) return undefined;
  const { names, values } = placeholders;
  return {
    ...condition,
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
  };
}

function compileWhen(
  when: readonly Alternative[],
  placeholders: Placeholders,
): Pick<CompiledCondition, 'ConditionExpression'> | undefined {
  const satisfiable = when.filter((alternative) => !alternative.some(neverHolds));
  if (satisfiable.length === 0) return undefined;
  return satisfiable.some((alternative) => alternative.length === 0)
    ? {}
    : { ConditionExpression: compileCondition(satisfiable, placeholders) };
}

interface Placeholders {
  /** Of a field, or of a path of two names. */
  name(field: string): string;
  value(value: unknown): string;
  readonly names: Record<string, string>;
  readonly values: Record<string, unknown>;
}

function collectPlaceholders(): Placeholders {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const known = new Map<string, string>();
  function nameOf(part: string): string {
    const placeholder = known.get(part) ?? `#n${known.size}`;
    known.set(part, placeholder);
    names[placeholder] = part;
    return placeholder;
  }
  return {
    names,
    values,
    name: (field) => field.split('.').map(nameOf).join('.'),
    value: (value) => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
  };
}

function neverHolds(test: Test): boolean {
  return test.is === 'one-of' && test.values.length === 0;
}

function compileCondition(when: readonly Alternative[], placeholders: Placeholders): string {
  return when
    .map((tests) => `(${tests.map((test) => compileTest(test, placeholders)).join(' AND ')})`)
    .join(' OR ');
}

function compileTest(test: Test, placeholders: Placeholders): string {
  const field = placeholders.name(test.field);
  switch (test.is) {
    case 'absent':
      return `attribute_not_exists(${field})`;
    case 'present':
      return `attribute_exists(${field})`;
    case 'equal':
      return `${field} = ${placeholders.value(test.value)}`;
    case 'one-of':
      return `${field} IN (${test.values.map((one) => placeholders.value(one)).join(', ')})`;
    case 'at-most':
      return `${field} <= ${placeholders.value(test.value)}`;
    case 'same-as':
      return compileComparison(test, '=', placeholders);
    case 'differs-from':
      return compileComparison(test, '<>', placeholders);
  }
}

/** Both must be there: databases take two absent attributes as equal, and an absent one as different from everything. */
function compileComparison(
  test: { readonly field: string; readonly other: string },
  operator: '=' | '<>',
  placeholders: Placeholders,
): string {
  const field = placeholders.name(test.field);
  const other = placeholders.name(test.other);
  return `attribute_exists(${field}) AND attribute_exists(${other}) AND ${field} ${operator} ${other}`;
}

function compileUpdate<Item>(
  change: Change<Item>,
  identity: Readonly<Record<string, unknown>>,
  placeholders: Placeholders,
): string {
  const { name, value } = placeholders;
  const set = Object.entries({ ...change.set, ...identity }).map(
    ([field, stored]) => `${name(field)} = ${value(stored)}`,
  );
  const append = Object.entries(change.append).map(
    ([field, more]) =>
      `${name(field)} = list_append(if_not_exists(${name(field)}, ${value([])}), ${value(more)})`,
  );
  const add = Object.entries({ ...change.add, v: 1 }).map(
    ([field, amount]) => `${name(field)} ${value(amount)}`,
  );
  return [
    clause('SET', [...set, ...append]),
    clause(
      'REMOVE',
      change.remove.map((field) => name(field)),
    ),
    clause('ADD', add),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function clause(keyword: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;
}

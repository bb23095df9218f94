import { describe, expect, test } from 'vitest';
import { allows, applyChange, type Change, carriedOut, type Test } from '../../lib/core/change.ts';

interface Item {
  readonly a?: number;
  readonly b?: string;
  readonly list?: readonly number[];
  readonly deep?: { readonly by: string };
}

const change = (fields: Partial<Change<Item>>): Change<Item> => ({
  operation: 'x',
  when: [[]],
  set: {},
  remove: [],
  add: {},
  append: {},
  ...fields,
});
const holds = (test: Test, item: object | undefined) => allows(change({ when: [[test]] }), item);

describe('a test of a stored item', () => {
  test.each<[Test, object | undefined, boolean]>([
    [{ field: 'a', is: 'absent' }, { b: 1 }, true],
    [{ field: 'a', is: 'absent' }, undefined, true],
    [{ field: 'a', is: 'absent' }, { a: 0 }, false],
    [{ field: 'a', is: 'present' }, { a: 0 }, true],
    [{ field: 'a', is: 'present' }, undefined, false],
    [{ field: 'a', is: 'equal', value: 1 }, { a: 1 }, true],
    [{ field: 'a', is: 'equal', value: 1 }, { a: '1' }, false],
    [{ field: 'a', is: 'equal', value: 1 }, undefined, false],
    [{ field: 'a', is: 'one-of', values: [1, 2] }, { a: 2 }, true],
    [{ field: 'a', is: 'one-of', values: [1, 2] }, { a: 3 }, false],
    [{ field: 'a', is: 'at-most', value: 2 }, { a: 2 }, true],
    [{ field: 'a', is: 'at-most', value: 2 }, { a: 3 }, false],
    [{ field: 'a', is: 'at-most', value: 2 }, {}, false],
    [{ field: 'a', is: 'same-as', other: 'b' }, { a: 1, b: 1 }, true],
    [{ field: 'a', is: 'same-as', other: 'b' }, { a: 1, b: 2 }, false],
    [{ field: 'a', is: 'same-as', other: 'b' }, {}, false],
    [{ field: 'a', is: 'differs-from', other: 'b' }, { a: 1, b: 2 }, true],
    [{ field: 'a', is: 'differs-from', other: 'b' }, { a: 1, b: 1 }, false],
    [{ field: 'a', is: 'differs-from', other: 'b' }, { a: 1 }, false],
    [{ field: 'a', is: 'differs-from', other: 'b' }, { b: 1 }, false],
    [{ field: 'deep.by', is: 'equal', value: 'me' }, { deep: { by: 'me' } }, true],
    [{ field: 'deep.by', is: 'equal', value: 'me' }, { deep: { by: 'you' } }, false],
    [{ field: 'deep.by', is: 'absent' }, {}, true],
  ])('%j of %j is %s', (one, item, expected) => {
    expect(holds(one, item)).toBe(expected);
  });

  test('counts with all others of its alternative, and any alternative is enough', () => {
    const both: Test[] = [
      { field: 'a', is: 'present' },
      { field: 'b', is: 'present' },
    ];
    expect(allows(change({ when: [both] }), { a: 1 })).toBe(false);
    expect(allows(change({ when: [both, [{ field: 'a', is: 'equal', value: 1 }]] }), { a: 1 })).toBe(true);
    expect(allows(change({ when: [] }), { a: 1 })).toBe(false);
  });
});

test('a change sets, removes, adds and appends, and keeps all else', () => {
  const after = applyChange(
    change({ set: { b: 'new' }, remove: ['deep'], add: { a: 2 }, append: { list: [3] } }),
    { a: 1, b: 'old', deep: { by: 'x' }, list: [1], kept: 1 } as Item,
  );
  expect(after).toEqual({ a: 3, b: 'new', list: [1, 3], kept: 1 });
});

test('what is absent counts as zero and as empty, and an undefined value changes nothing', () => {
  expect(
    applyChange(change({ set: { b: undefined }, add: { a: 2 }, append: { list: [3] } }), { b: 'old' }),
  ).toEqual({ a: 2, b: 'old', list: [3] });
  expect(applyChange(change({ add: { a: 1 } }), undefined)).toEqual({ a: 1 });
});

test('a change that names a field twice is refused before any store sees it', () => {
  expect(() => carriedOut(change({ set: { a: 1 }, remove: ['a'] }))).toThrow('names the field "a" twice');
  expect(() => carriedOut(change({ set: { a: 1 }, add: { a: 1 } }))).toThrow('twice');
});

test('a store carries out what a change says but its version, and nothing that is undefined', () => {
  const item = { a: 1, b: undefined, v: 3 } as Partial<Item>;
  expect(carriedOut(change({ set: item, remove: ['deep', 'deep'], add: { v: 1 } as never }))).toEqual(
    change({ set: { a: 1 }, remove: ['deep'] }),
  );
  expect('b' in carriedOut(change({ set: item })).set).toBe(false);
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileChange } from '../../../lib/adapters/dynamodb/compile-change.ts';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../../lib/adapters/dynamodb/ensure-table.ts';
import type { BoardRecord, Ledger } from '../../../lib/controller/ports.ts';
import type { Change, Test } from '../../../lib/core/change.ts';
import type { BoardId } from '../../../lib/core/issue.ts';
import { type DynaliteServer, startDynalite } from '../../support/dynalite-server.ts';
import { aChange } from '../../support/ledger-records.ts';
import { memoryLedger } from '../../support/memory-ledger.ts';

let server: DynaliteServer;
let database: Ledger;
beforeAll(async () => {
  server = await startDynalite();
  await ensureTable(server.client, 'ledger');
  database = dynamodbLedger({ client: server.client, table: 'ledger' });
});
afterAll(() => server.stop());

it('the database carries any change out exactly as the in-memory ledger does', async () => {
  let boards = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: 2, maxLength: 6 }), async (sequence) => {
      const board = `b${boards++}` as BoardId;
      const memory = memoryLedger();
      for (const change of sequence) {
        expect(await database.changeBoard(board, change)).toBe(await memory.changeBoard(board, change));
        expect(await database.board(board)).toEqual(await memory.board(board));
      }
    }),
    { numRuns: 150 },
  );
});

it('no name stands in an expression as it is, because many are reserved words of the database', () => {
  const reserved = aChange<Record<'from' | 'to' | 'by' | 'end' | 'minute', unknown>>({
    when: [
      [
        { field: 'pending.by', is: 'equal', value: 'x' },
        { field: 'from', is: 'same-as', other: 'to' },
      ],
    ],
    set: { to: 1 },
    remove: ['end'],
    add: { minute: 1 },
    append: { by: [1] },
  });
  const { ConditionExpression, UpdateExpression } = compileChange(reserved, { owner: 1 }) ?? {};
  for (const expression of [ConditionExpression, UpdateExpression]) {
    expect(expression).not.toMatch(/(?<![#:\w])(pending|by|from|to|end|minute|owner|v)\b/);
  }
});

it('a change of whatever is stored carries no condition', () => {
  expect(compileChange(aChange({}))).not.toHaveProperty('ConditionExpression');
});

/** Few names and values, so that conditions often hold and fields often meet. */
const fields = fc.constantFrom('n1', 'n2', 's1', 'm1', 'm1.a', 'm1.b', 'v');
const values = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', 'y', ''));

/** The embedded engine finds an empty text in no list, unlike the database that it stands for. No list of ours holds one. */
const filledValues = values.filter((value) => value !== '');

const tests: fc.Arbitrary<Test> = fc.oneof(
  fc.record({ field: fields, is: fc.constantFrom('absent' as const, 'present' as const) }),
  fc.record({ field: fields, is: fc.constant('equal' as const), value: values }),
  fc.record({
    field: fields,
    is: fc.constant('one-of' as const),
    values: fc.array(filledValues, { maxLength: 3 }),
  }),
  fc.record({ field: fields, is: fc.constant('at-most' as const), value: fc.integer({ min: 0, max: 3 }) }),
  fc
    .record({
      field: fields,
      is: fc.constantFrom('same-as' as const, 'differs-from' as const),
      other: fields,
    })
    .filter(({ field, other }) => field !== other),
);

const changes: fc.Arbitrary<Change<BoardRecord>> = fc
  .record({
    when: fc.oneof(
      { weight: 1, arbitrary: fc.constant([[]]) },
      { weight: 3, arbitrary: fc.array(fc.array(tests, { maxLength: 2 }), { maxLength: 3 }) },
    ),
    set: fc.record(
      {
        s1: values,
        n1: fc.integer({ min: 0, max: 3 }),
        m1: fc.record({ a: values, b: fc.option(values, { nil: undefined }) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    remove: fc.uniqueArray(fc.constantFrom('r1', 'l1')),
    add: fc.record({ n2: fc.integer({ min: -2, max: 2 }) }, { requiredKeys: [] }),
    append: fc.record({ l2: fc.array(values, { maxLength: 2 }) }, { requiredKeys: [] }),
  })
  .map((change) => aChange<BoardRecord>(change as Partial<Change<BoardRecord>>));

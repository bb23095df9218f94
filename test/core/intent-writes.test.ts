import { expect, test } from 'vitest';
import { allows, applyChange } from '../../lib/core/change.ts';
import {
  clearPending,
  intend,
  noteWritten,
  stampPending,
  takeOverPending,
} from '../../lib/core/intent-writes.ts';
import type { StateName, TurnId } from '../../lib/core/issue.ts';
import type { Lease, Pending } from '../../lib/core/lease.ts';
import { unclaimedLease } from '../../lib/core/lease.ts';
import { aBoard, anIssue } from '../support/ledger-records.ts';

const turnId = '1-a' as TurnId;
const [todo, doing] = ['Todo', 'Doing'] as unknown as readonly StateName[];
const pending: Pending = { turnId, to: doing!, from: todo, by: 'me' };
const others: Pending = { ...pending, by: 'somebody else' };

function lease(fields: Partial<Lease>): Lease {
  return {
    ...unclaimedLease(aBoard, anIssue, 'web#1' as Lease['key']),
    v: 3,
    turnId,
    phase: 'launching',
    ...fields,
  };
}

test('a move is announced once, by the turn that has not made one yet', () => {
  const { change, mine } = intend(lease({}), pending, 'ender');
  expect(allows(change, lease({}))).toBe(true);
  expect(allows(change, lease({ writtenState: doing }))).toBe(false);
  expect(allows(change, lease({ pending: others }))).toBe(false);
  expect(applyChange(change, lease({}))).toMatchObject({ pending });
  const stored = [
    undefined,
    {},
    { pending: others },
    { pending: { ...pending, turnId: '2-b' as TurnId } },
    { pending },
  ];
  expect(stored.map((fields) => mine(fields === undefined ? undefined : lease(fields)))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('what is done about an announced move holds for that announcement alone', () => {
  const writes = [stampPending(pending, 5), takeOverPending(pending, 'next'), noteWritten(pending)];
  const clearing = clearPending(pending, { set: {}, remove: [] });
  for (const { change } of [...writes, clearing]) {
    expect(allows(change, lease({ pending }))).toBe(true);
    expect(allows(change, lease({ pending: others }))).toBe(false);
    expect(allows(change, lease({}))).toBe(false);
  }
});

test('an open move is stamped once, so that its hold-down begins once', () => {
  const { change, mine } = stampPending(pending, 5);
  expect(allows(change, lease({ pending: { ...pending, seenAt: 4 } }))).toBe(false);
  expect(
    [undefined, lease({}), lease({ pending: { ...pending, seenAt: 4 } })].map((one) => mine(one)),
  ).toEqual([false, false, true]);
});

test('that a move was made is noted with where it left the issue', () => {
  const { change, mine } = noteWritten(pending);
  expect(applyChange(change, lease({ pending }))).toMatchObject({
    writtenState: doing,
    seenState: doing,
    pending,
  });
  expect([undefined, lease({ pending }), lease({ writtenState: doing })].map((one) => mine(one))).toEqual([
    false,
    false,
    true,
  ]);
});

test('a move that is taken over bears the new name, and is known by it', () => {
  const { change, mine } = takeOverPending(pending, 'next');
  expect(applyChange(change, lease({ pending }))).toMatchObject({ pending: { ...pending, by: 'next' } });
  expect(
    [undefined, lease({}), lease({ pending }), lease({ pending: { ...pending, by: 'next' } })].map((one) =>
      mine(one),
    ),
  ).toEqual([false, false, false, true]);
});

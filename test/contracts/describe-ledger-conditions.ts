import { expect } from 'vitest';
import type { Alternative, Test } from '../../lib/core/change.ts';
import type { StateName } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import { aBoard, aChange, aLeaseWith, anIssue, aTurnId } from '../support/ledger-records.ts';
import type { LedgerTest } from './describe-ledger.ts';

type Case = readonly [
  title: string,
  fields: Partial<Lease> | undefined,
  when: readonly Alternative[],
  holds: boolean,
];

/** Each kind of test, in a case where it holds and in each way in which it does not. */
export function describeConditions(test: LedgerTest): void {
  for (const [title, fields, when, holds] of [...presence, ...values, ...comparisons, ...combinations]) {
    test(title, async (ledger) => {
      if (fields !== undefined) await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith(fields));
      const before = await ledger.lease('g1', aBoard, anIssue);

      const change = aChange<Lease>({ ...aLeaseWith({ ...fields, feedback: 'changed' }), when });
      const answer = await ledger.changeLease('g1', aBoard, anIssue, change);

      expect(answer).toBe(holds ? 'done' : 'refused');
      const after = await ledger.lease('g1', aBoard, anIssue);
      if (holds) expect(after?.feedback).toBe('changed');
      else expect(after).toEqual(before);
    });
  }
}

const pending = { turnId: aTurnId, to: 'Doing' as StateName, from: undefined, by: 'inv-1' };

const presence: readonly Case[] = [
  ['absent holds where there is no item', undefined, [[{ field: 'v', is: 'absent' }]], true],
  ['absent holds for a field that is not there', {}, [[{ field: 'nextAt', is: 'absent' }]], true],
  [
    'absent fails for a field that is there, zero too',
    { nextAt: 0 },
    [[{ field: 'nextAt', is: 'absent' }]],
    false,
  ],
  ['absent holds inside a field that is not there', {}, [[{ field: 'pending.by', is: 'absent' }]], true],
  [
    'absent holds inside a field that is there',
    { pending },
    [[{ field: 'pending.seenAt', is: 'absent' }]],
    true,
  ],
  ['absent fails for a nested field', { pending }, [[{ field: 'pending.by', is: 'absent' }]], false],
  ['present fails where there is no item', undefined, [[{ field: 'v', is: 'present' }]], false],
  [
    'present holds for a field that is there, zero too',
    { nextAt: 0 },
    [[{ field: 'nextAt', is: 'present' }]],
    true,
  ],
  ['present fails for a field that is not there', {}, [[{ field: 'nextAt', is: 'present' }]], false],
  ['present holds for a nested field', { pending }, [[{ field: 'pending.by', is: 'present' }]], true],
  ['present fails for a nested undefined', { pending }, [[{ field: 'pending.from', is: 'present' }]], false],
];

const values: readonly Case[] = [
  ['equal holds for the same text', { boot: 'a' }, [[{ field: 'boot', is: 'equal', value: 'a' }]], true],
  ['equal fails for another text', { boot: 'a' }, [[{ field: 'boot', is: 'equal', value: 'b' }]], false],
  ['equal holds for the same number', { epoch: 7 }, [[{ field: 'epoch', is: 'equal', value: 7 }]], true],
  [
    'equal tells a number from its text',
    { epoch: 7 },
    [[{ field: 'epoch', is: 'equal', value: '7' }]],
    false,
  ],
  ['equal fails for a field that is not there', {}, [[{ field: 'epoch', is: 'equal', value: 7 }]], false],
  [
    'equal holds for a nested field',
    { pending },
    [[{ field: 'pending.by', is: 'equal', value: 'inv-1' }]],
    true,
  ],
  [
    'equal fails for another nested field',
    { pending },
    [[{ field: 'pending.by', is: 'equal', value: 'x' }]],
    false,
  ],
  ['one-of holds for a member', { epoch: 2 }, [[{ field: 'epoch', is: 'one-of', values: [1, 2] }]], true],
  ['one-of fails for a stranger', { epoch: 3 }, [[{ field: 'epoch', is: 'one-of', values: [1, 2] }]], false],
  [
    'one-of fails for a field that is not there',
    {},
    [[{ field: 'epoch', is: 'one-of', values: [1] }]],
    false,
  ],
  ['one-of fails without members', { epoch: 3 }, [[{ field: 'epoch', is: 'one-of', values: [] }]], false],
  ['at-most holds below', { nextAt: 9 }, [[{ field: 'nextAt', is: 'at-most', value: 10 }]], true],
  ['at-most holds at the limit', { nextAt: 10 }, [[{ field: 'nextAt', is: 'at-most', value: 10 }]], true],
  ['at-most fails above', { nextAt: 11 }, [[{ field: 'nextAt', is: 'at-most', value: 10 }]], false],
  [
    'at-most fails for a field that is not there',
    {},
    [[{ field: 'nextAt', is: 'at-most', value: 10 }]],
    false,
  ],
  ['at-most fails for a text', { boot: '1' }, [[{ field: 'boot', is: 'at-most', value: 10 }]], false],
];

const sameHb: Test = { field: 'hb', is: 'same-as', other: 'hbSeen' };
const otherHb: Test = { field: 'hb', is: 'differs-from', other: 'hbSeen' };

const comparisons: readonly Case[] = [
  ['same-as holds for equal fields', { hb: 3, hbSeen: 3 }, [[sameHb]], true],
  ['same-as fails for different fields', { hb: 3, hbSeen: 2 }, [[sameHb]], false],
  ['same-as fails when one field is not there', { hb: 3 }, [[sameHb]], false],
  ['same-as fails when neither field is there', {}, [[sameHb]], false],
  ['differs-from holds for different fields', { hb: 3, hbSeen: 2 }, [[otherHb]], true],
  ['differs-from fails for equal fields', { hb: 3, hbSeen: 3 }, [[otherHb]], false],
  ['differs-from fails when the first field is not there', { hbSeen: 3 }, [[otherHb]], false],
  ['differs-from fails when the second field is not there', { hb: 3 }, [[otherHb]], false],
  ['differs-from fails when neither field is there', {}, [[otherHb]], false],
  ['differs-from fails where there is no item', undefined, [[otherHb]], false],
];

const idle: Test = { field: 'phase', is: 'equal', value: 'idle' };
const running: Test = { field: 'phase', is: 'equal', value: 'running' };
const named: Test = { field: 'boot', is: 'equal', value: 'a' };

const combinations: readonly Case[] = [
  ['an alternative holds when all its tests hold', { phase: 'idle', boot: 'a' }, [[idle, named]], true],
  ['an alternative fails when one of its tests fails', { phase: 'idle', boot: 'b' }, [[idle, named]], false],
  ['one alternative that holds is enough', { phase: 'idle', boot: 'b' }, [[running], [idle]], true],
  ['no alternative that holds refuses', { phase: 'ending', boot: 'a' }, [[running, named], [idle]], false],
  ['an alternative without tests always holds', { phase: 'ending' }, [[idle], []], true],
  ['no alternatives at all refuse', { phase: 'idle' }, [], false],
];

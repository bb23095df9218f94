import { describe, expect, it } from 'vitest';
import type { BoardRecord, Ledger, TickRecord } from '../../lib/controller/ports.ts';
import type { BoardId, IssueId, IssueKey, TurnId } from '../../lib/core/issue.ts';
import { type Lease, unclaimedLease } from '../../lib/core/lease.ts';
import {
  aBoard,
  aChange,
  aLeaseWith,
  anIssue,
  aSettlement,
  aTurn,
  aTurnId,
} from '../support/ledger-records.ts';
import { describeChanges } from './describe-ledger-changes.ts';
import { describeConditions } from './describe-ledger-conditions.ts';

export interface MadeLedger {
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** A test over an empty ledger of its own. */
export type LedgerTest = (title: string, body: (ledger: Ledger) => Promise<void>) => void;

/** What every ledger promises, whatever stores it. `make` answers with an empty one. */
export function describeLedger(name: string, make: () => Promise<MadeLedger>): void {
  const test: LedgerTest = (title, body) =>
    it(title, async () => {
      const { ledger, close } = await make();
      await body(ledger).finally(close);
    });
  describe(`${name} as a ledger`, () => {
    describe('conditions', () => describeConditions(test));
    describe('changes', () => describeChanges(test));
    describe('leases', () => describeLeases(test));
    describe('the tick and the boards', () => describeSingleItems(test));
    describe('turns and history', () => describeRecords(test));
  });
}

function describeLeases(test: LedgerTest): void {
  const issues = (count: number) => Array.from({ length: count }, (_, at) => `I_${at}` as IssueId);

  test('of 50 claims at once exactly one wins', async (ledger) => {
    const claims = issues(50).map((_, at) => {
      const { when } = aChange<Lease>({
        when: [[{ field: 'v', is: 'absent' }], [{ field: 'phase', is: 'equal', value: 'idle' }]],
      });
      const turnId = `${at}-x` as TurnId;
      return ledger.changeLease('g1', aBoard, anIssue, { ...aLeaseWith({ phase: 'claimed', turnId }), when });
    });
    const answers = await Promise.all(claims);
    expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
    const lease = await ledger.lease('g1', aBoard, anIssue);
    expect(lease).toMatchObject({ turnId: `${answers.indexOf('done')}-x`, v: 1 });
  });

  test('of 50 heartbeats at once none is lost', async (ledger) => {
    await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({}));
    await Promise.all(
      issues(50).map(() => ledger.changeLease('g1', aBoard, anIssue, aChange<Lease>({ add: { hb: 1 } }))),
    );
    expect(await ledger.lease('g1', aBoard, anIssue)).toMatchObject({ hb: 50, v: 51 });
  });

  test('a lease is read as the last answered write left it', async (ledger) => {
    for (let hb = 1; hb <= 20; hb += 1) {
      await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ hb }));
      expect(await ledger.lease('g1', aBoard, anIssue)).toMatchObject({ hb });
      expect((await ledger.leases('g1')).map((lease) => lease.hb)).toEqual([hb]);
    }
  });

  test('an item says whose it is, and an absent one is absent', async (ledger) => {
    const expected = { ...unclaimedLease(aBoard, anIssue, 'web#1' as IssueKey), v: 1 };
    await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({}));
    expect(await ledger.lease('g1', aBoard, anIssue)).toEqual(expected);
    expect(await ledger.leases('g1')).toEqual([expected]);
    expect(await ledger.lease('g1', aBoard, 'I_2' as IssueId)).toBeUndefined();
  });

  test('the leases of all boards are listed, and those of another generation are not', async (ledger) => {
    const other = 'acme/web#2%23' as BoardId;
    await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'one' }));
    await ledger.changeLease('g1', other, anIssue, aLeaseWith({ boot: 'two' }));
    await ledger.changeLease('g2', aBoard, anIssue, aLeaseWith({ boot: 'later' }));
    await ledger.changeLease('g11', aBoard, anIssue, aLeaseWith({ boot: 'alike' }));
    const leases = await ledger.leases('g1');
    expect(Object.fromEntries(leases.map(({ board, boot }) => [board, boot]))).toEqual({
      [aBoard]: 'one',
      [other]: 'two',
    });
    expect(await ledger.lease('g2', aBoard, anIssue)).toMatchObject({ boot: 'later' });
    expect(await ledger.leases('g3')).toEqual([]);
  });

  test('ids that hold a separator are not mixed up', async (ledger) => {
    await ledger.changeLease('g1', 'a#b' as BoardId, 'c' as IssueId, aLeaseWith({}));
    expect(await ledger.lease('g1', 'a' as BoardId, 'b#c' as IssueId)).toBeUndefined();
    expect(await ledger.leases('g1')).toMatchObject([{ board: 'a#b', issueId: 'c' }]);
  });

  test('a listing of more than a megabyte is complete', async (ledger) => {
    const feedback = 'x'.repeat(60_000);
    for (const issue of issues(24)) await ledger.changeLease('g1', aBoard, issue, aLeaseWith({ feedback }));
    const leases = await ledger.leases('g1');
    expect(leases.map((lease) => lease.issueId).sort()).toEqual([...issues(24)].sort());
    expect(leases.every((lease) => lease.feedback === feedback)).toBe(true);
  });
}

function describeSingleItems(test: LedgerTest): void {
  test('an empty ledger has no tick record, and a hint does not make one', async (ledger) => {
    expect(await ledger.tick()).toBeUndefined();
    const hint = aChange<TickRecord>({ when: [[{ field: 'epoch', is: 'present' }]], add: { dirty: 1 } });
    expect(await ledger.changeTick(hint)).toBe('refused');
    expect(await ledger.tick()).toBeUndefined();
  });

  test('a changed tick record is answered as this very change left it', async (ledger) => {
    await ledger.changeTick(aChange<TickRecord>({ set: { gen: 'g1' } }));
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => ledger.changeTick(aChange<TickRecord>({ add: { epoch: 1 } }))),
    );
    const epochs = taken.map((record) => (record === 'refused' ? record : record.epoch));
    expect(new Set(epochs)).toEqual(new Set(Array.from({ length: 20 }, (_, at) => at + 1)));
    expect(await ledger.tick()).toEqual({ gen: 'g1', epoch: 20, v: 21 });
  });

  test("a board's record is kept apart from other boards'", async (ledger) => {
    expect(await ledger.board(aBoard)).toBeUndefined();
    await ledger.changeBoard(aBoard, aChange<BoardRecord>({ set: { paused: { since: 5 }, later: 'kept' } }));
    const resume = aChange<BoardRecord>({
      when: [[{ field: 'paused.since', is: 'equal', value: 6 }]],
      remove: ['paused'],
    });
    expect(await ledger.changeBoard(aBoard, resume)).toBe('refused');
    expect(await ledger.board(aBoard)).toEqual({ board: aBoard, v: 1, paused: { since: 5 }, later: 'kept' });
    expect(await ledger.board('acme/other' as BoardId)).toBeUndefined();
  });
}

function describeRecords(test: LedgerTest): void {
  const second = '2-abcdefghijklmnopqrstuvwxyz' as TurnId;

  test("a turn's request is put once and never changed", async (ledger) => {
    expect(await ledger.turn(aTurnId)).toBeUndefined();
    expect(await ledger.putTurn(aTurn())).toBe('done');
    expect(await ledger.putTurn(aTurn({ repository: 'another' }))).toBe('refused');
    expect(await ledger.turn(aTurnId)).toEqual(aTurn());
  });

  test('of many settlements of one turn exactly one is kept', async (ledger) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        ledger.putHistory(aSettlement({ reason: `try ${at}`, endedAt: 2_000 + at })),
      ),
    );
    expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
    const kept = aSettlement({
      reason: `try ${answers.indexOf('done')}`,
      endedAt: 2_000 + answers.indexOf('done'),
    });
    expect(await ledger.historyOf(aBoard, anIssue, aTurnId, 1)).toEqual(kept);
    expect(await ledger.history(aBoard, anIssue)).toEqual([kept]);
    expect(await ledger.history(aBoard, undefined)).toEqual([kept]);
  });

  test("an issue's history comes oldest first, by attempt", async (ledger) => {
    for (const attempt of [10, 2, 1]) {
      await ledger.putHistory(aSettlement({ attempt, turnId: `${attempt}-a` as TurnId }));
    }
    await ledger.putHistory(aSettlement({ issueId: 'I_10' as IssueId, turnId: second }));
    expect((await ledger.history(aBoard, anIssue)).map((one) => one.attempt)).toEqual([1, 2, 10]);
    expect(await ledger.historyOf(aBoard, anIssue, second, 2)).toBeUndefined();
  });

  test('of attempts that were counted anew the later ones come last', async (ledger) => {
    for (const [attempt, turnId, endedAt] of [
      [1, '1-a', 10],
      [2, '2-a', 20],
      [1, '1-b', 30],
    ] as const)
      await ledger.putHistory(aSettlement({ attempt, turnId: turnId as TurnId, endedAt }));
    expect((await ledger.history(aBoard, anIssue)).map((one) => one.turnId)).toEqual(['1-a', '2-a', '1-b']);
  });

  test("a board's history comes oldest first over all its issues, and without other boards'", async (ledger) => {
    const other = 'I_2' as IssueId;
    await ledger.putHistory(aSettlement({ issueId: other, turnId: '1-c' as TurnId, endedAt: 9 }));
    await ledger.putHistory(aSettlement({ turnId: '1-a' as TurnId, endedAt: 10 }));
    await ledger.putHistory(aSettlement({ turnId: '2-b' as TurnId, attempt: 2, endedAt: 8 }));
    await ledger.putHistory(
      aSettlement({ board: 'acme/webshop' as BoardId, turnId: '1-d' as TurnId, endedAt: 1 }),
    );
    expect((await ledger.history(aBoard, undefined)).map((one) => one.turnId)).toEqual(['2-b', '1-c', '1-a']);
    expect(await ledger.history('acme/none' as BoardId, undefined)).toEqual([]);
  });

  test('a long history is complete', async (ledger) => {
    for (let attempt = 1; attempt <= 120; attempt += 1) {
      await ledger.putHistory(aSettlement({ attempt, turnId: `${attempt}-a` as TurnId, endedAt: attempt }));
    }
    const attempts = Array.from({ length: 120 }, (_, at) => at + 1);
    expect((await ledger.history(aBoard, undefined)).map((one) => one.attempt)).toEqual(attempts);
    expect((await ledger.history(aBoard, anIssue)).map((one) => one.attempt)).toEqual(attempts);
  });
}

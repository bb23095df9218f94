import { expect } from 'vitest';
import type { Ledger } from '../../lib/controller/ports.ts';
import { type Lease, protocolVersion } from '../../lib/core/lease.ts';
import { aBoard, aChange, aLeaseWith, anIssue, aTurnId } from '../support/ledger-records.ts';
import type { LedgerTest } from './describe-ledger.ts';

/** What each clause of a change does to an item. */
export function describeChanges(test: LedgerTest): void {
  const stored = (ledger: Ledger) => ledger.lease('g1', aBoard, anIssue);
  const makeLease = (ledger: Ledger, fields: Partial<Lease>) =>
    ledger.changeLease('g1', aBoard, anIssue, aLeaseWith(fields));
  const make = (ledger: Ledger, says: Parameters<typeof aChange<Lease>>[0]) =>
    ledger.changeLease('g1', aBoard, anIssue, aChange<Lease>(says));

  test('set replaces a field as a whole and leaves the others alone', async (ledger) => {
    await makeLease(ledger, { boot: 'a', missing: { since: 1, count: 1, hb: 1, lastAt: 1 } });
    await make(ledger, { set: { missing: { since: 2, count: 2, hb: 2, lastAt: 2 } } });
    expect(await stored(ledger)).toMatchObject({
      boot: 'a',
      missing: { since: 2, count: 2, hb: 2, lastAt: 2 },
    });
  });

  test('an undefined value is not set, and is dropped at any depth', async (ledger) => {
    await makeLease(ledger, { boot: 'a' });
    await make(ledger, {
      set: { boot: undefined, pending: { ...aPending, from: undefined, seenAt: undefined } },
    });
    expect(await stored(ledger)).toMatchObject({ boot: 'a' });
    expect(Object.keys((await stored(ledger))?.pending ?? {}).sort()).toEqual(['by', 'to', 'turnId']);
  });

  test('remove takes fields away, also one that is not there', async (ledger) => {
    await makeLease(ledger, { boot: 'a', hb: 1 });
    await make(ledger, { remove: ['boot', 'parked'] });
    expect(await stored(ledger)).not.toHaveProperty('boot');
    expect(await stored(ledger)).toHaveProperty('hb', 1);
  });

  test('add counts up and down, from zero where there is nothing', async (ledger) => {
    await makeLease(ledger, { turns: 2, spendUsd: 0.5 });
    await make(ledger, { add: { turns: 3, hb: 1, spendUsd: -0.25 } });
    expect(await stored(ledger)).toMatchObject({ turns: 5, hb: 1, spendUsd: 0.25 });
  });

  test('append goes to the end of a list, and begins one where there is none', async (ledger) => {
    await makeLease(ledger, { transitions: [aStep('one')] });
    await make(ledger, { append: { transitions: [aStep('two'), aStep('three')], capStates: ['todo'] } });
    const lease = await stored(ledger);
    expect(lease?.transitions.map((step) => step.reason)).toEqual(['one', 'two', 'three']);
    expect(lease?.capStates).toEqual(['todo']);
  });

  test('every change adds one to the version, whatever the change says of it', async (ledger) => {
    await makeLease(ledger, {});
    expect((await stored(ledger))?.v).toBe(1);
    await make(ledger, { set: { v: 70 } });
    await make(ledger, { add: { v: 70 } });
    await make(ledger, { when: [[{ field: 'v', is: 'equal', value: 1 }]], set: { boot: 'refused' } });
    expect((await stored(ledger))?.v).toBe(3);
  });

  test('a change that deletes leaves no item, and the next one begins anew', async (ledger) => {
    const deletes = (when: Parameters<typeof aChange<Lease>>[0]['when']) =>
      make(ledger, { when: when ?? [[]], deletes: true });
    await makeLease(ledger, { boot: 'a' });
    await ledger.changeLease('g2', aBoard, anIssue, aLeaseWith({ boot: 'b' }));
    expect(await deletes([[{ field: 'v', is: 'equal', value: 2 }]])).toBe('refused');
    expect(await deletes([[{ field: 'boot', is: 'absent' }]])).toBe('refused');
    expect(await deletes([[{ field: 'phase', is: 'one-of', values: [] }]])).toBe('refused');
    expect(await stored(ledger)).toMatchObject({ boot: 'a', v: 1 });

    expect(await deletes([[{ field: 'boot', is: 'present' }]])).toBe('done');
    expect(await stored(ledger)).toBeUndefined();
    expect(await ledger.leases('g1')).toEqual([]);
    expect(await ledger.lease('g2', aBoard, anIssue)).toMatchObject({ boot: 'b' });
    expect(await deletes([[{ field: 'boot', is: 'present' }]])).toBe('refused');

    await makeLease(ledger, { hb: 1 });
    expect(await stored(ledger)).toMatchObject({ hb: 1, v: 1 });
    expect(await stored(ledger)).not.toHaveProperty('boot');
    expect(await deletes(undefined)).toBe('done');
    expect(await stored(ledger)).toBeUndefined();
  });

  test('a change that names a field twice is an error and changes nothing', async (ledger) => {
    await makeLease(ledger, { boot: 'a' });
    const before = await stored(ledger);
    await expect(make(ledger, { set: { boot: 'b' }, remove: ['boot'] })).rejects.toThrow(/"test".*"boot"/);
    expect(await stored(ledger)).toEqual(before);
  });

  test('fields and a protocol version of a newer program are kept and given back', async (ledger) => {
    const newer = { pv: protocolVersion + 1, mood: { deep: ['kept'] } } as Partial<Lease>;
    await makeLease(ledger, newer);
    await make(ledger, { set: { boot: 'a' } });
    expect(await stored(ledger)).toMatchObject({ ...newer, boot: 'a' });
    expect((await ledger.leases('g1'))[0]).toMatchObject({ ...newer, boot: 'a' });
  });
}

const aPending = { turnId: aTurnId, to: 'Doing', by: 'inv-1' } as NonNullable<Lease['pending']>;

function aStep(reason: string): Lease['transitions'][number] {
  return { from: 'claimed', to: 'launching', at: 1, actor: 'tick', reason };
}

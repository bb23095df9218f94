import { expect, it } from 'vitest';
import type { Lease } from '../../lib/core/lease.ts';
import { aBoard, aChange, aLeaseWith, anIssue } from '../support/ledger-records.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { describeLedger } from './describe-ledger.ts';

describeLedger('the in-memory double', async () => ({ ledger: memoryLedger(), close: async () => {} }));

it('a write whose answer is lost stands all the same', async () => {
  const ledger = memoryLedger({
    afterWrite: () => {
      throw new Error('no answer');
    },
  });
  await expect(ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'a' }))).rejects.toThrow(
    'no answer',
  );
  expect(await ledger.lease('g1', aBoard, anIssue)).toMatchObject({ boot: 'a' });
});

it('a write that fails before it is made leaves nothing, and may still land later', async () => {
  const late: (() => unknown)[] = [];
  const ledger = memoryLedger({
    beforeWrite: (write) => {
      late.push(write.land);
      throw new Error('no answer');
    },
  });
  await expect(ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'a' }))).rejects.toThrow(
    'no answer',
  );
  expect(await ledger.lease('g1', aBoard, anIssue)).toBeUndefined();
  expect(late.map((land) => land())).toEqual(['done']);
  expect(await ledger.lease('g1', aBoard, anIssue)).toMatchObject({ boot: 'a' });
});

it('what a caller does to its own objects does not reach the store', async () => {
  const ledger = memoryLedger();
  const capStates = ['todo'] as unknown as NonNullable<Lease['capStates']>;
  await ledger.changeLease('g1', aBoard, anIssue, aChange({ ...aLeaseWith({ capStates }) }));
  (capStates as unknown as string[]).push('doing');
  expect(await ledger.lease('g1', aBoard, anIssue)).toMatchObject({ capStates: ['todo'] });
});

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../../lib/adapters/dynamodb/ensure-table.ts';
import { type ItemKey, leaseKey, tickKey, turnKey } from '../../../lib/adapters/dynamodb/table.ts';
import type { TickRecord } from '../../../lib/controller/ports.ts';
import type { IssueId, TurnId } from '../../../lib/core/issue.ts';
import { describeLedger } from '../../contracts/describe-ledger.ts';
import { clientOf, type DynaliteServer, startDynalite } from '../../support/dynalite-server.ts';
import { aBoard, aChange, aLeaseWith, anIssue, aSettlement, aTurn } from '../../support/ledger-records.ts';

let server: DynaliteServer;
beforeAll(async () => {
  server = await startDynalite();
});
afterAll(() => server.stop());

let tables = 0;
async function emptyTable(pageSize?: number) {
  const table = `ledger-${tables++}`;
  await ensureTable(server.client, table);
  const ledger = dynamodbLedger({ client: server.client, table, pageSize });
  /** Puts an item that this program would not write. */
  const putForeign = (key: ItemKey, item: object) =>
    server.client.send(new PutCommand({ TableName: table, Item: { ...item, ...key } }));
  return { ledger, table, putForeign };
}

describeLedger('dynamodb', async () => ({ ledger: (await emptyTable()).ledger, close: async () => {} }));
describeLedger('dynamodb with pages of one item', async () => ({
  ledger: (await emptyTable(1)).ledger,
  close: async () => {},
}));

describe('a table that others wrote to', () => {
  it('a lease that cannot be understood hides no other lease and leaves no slot free', async () => {
    const { ledger, putForeign } = await emptyTable();
    const odd = 'I#odd' as IssueId;
    await ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'a' }));
    await putForeign(leaseKey('g1', aBoard, odd), {
      key: 'web#9',
      phase: 'dreaming',
      pv: 2,
      v: 4,
      capStates: ['todo'],
    });

    const leases = await ledger.leases('g1');

    expect(leases).toHaveLength(2);
    expect(leases.find((lease) => lease.issueId === anIssue)).toMatchObject({ boot: 'a' });
    expect(leases.find((lease) => lease.issueId === odd)).toMatchObject({
      board: aBoard,
      key: 'web#9',
      v: 4,
      phase: 'running',
      capStates: ['todo'],
      pv: Number.MAX_SAFE_INTEGER,
      unreadable: expect.stringMatching(/LEASE#acme\/web#I%23odd.*phase/),
    });
  });

  it('an item that cannot be understood is an error that names it, and is never taken for absent', async () => {
    const { ledger, putForeign } = await emptyTable();
    await putForeign(leaseKey('g1', aBoard, anIssue), { phase: 'idle' });
    await putForeign(tickKey, { gen: 7, v: 1 });
    await putForeign(turnKey('1-a' as TurnId), { turnId: '1-a' });
    await expect(ledger.lease('g1', aBoard, anIssue)).rejects.toThrow(/LEASE#acme\/web#I_1/);
    await expect(ledger.tick()).rejects.toThrow(/TICK.*gen/);
    await expect(ledger.turn('1-a' as TurnId)).rejects.toThrow(/T#1-a TURN/);
  });

  it('fields of a newer version inside a strict part of an item are kept', async () => {
    const { ledger } = await emptyTable();
    const turn = aTurn();
    const newer = {
      ...turn,
      workflow: { ...turn.workflow, later: true },
      issue: { ...turn.issue, later: 1 },
    };
    await ledger.putTurn(newer);
    expect(await ledger.turn(turn.turnId)).toEqual(newer);
  });

  it('a turn that was recorded before assignees were kept goes on without any', async () => {
    const { ledger, putForeign } = await emptyTable();
    const turn = aTurn();
    const { assignees: _, ...issue } = turn.issue;
    await putForeign(turnKey(turn.turnId), JSON.parse(JSON.stringify({ ...turn, issue })));
    expect(await ledger.turn(turn.turnId)).toEqual({ ...turn, issue: { ...issue, assignees: [] } });
  });

  it("another version's summary of a tick does not make the record of ticks unreadable", async () => {
    const { ledger, putForeign } = await emptyTable();
    await putForeign(tickKey, { gen: 'g1', v: 3, epoch: 2, summary: { words: 'unknown' } });
    expect(await ledger.tick()).toMatchObject({ gen: 'g1', epoch: 2 });
  });

  it("a pointer whose history was never put does not disturb a board's history", async () => {
    const { ledger, putForeign } = await emptyTable();
    await ledger.putHistory(aSettlement());
    await putForeign(
      { pk: 'H#acme/web', sk: '000000000000001#9-z' },
      { board: aBoard, issueId: anIssue, turnId: '9-z', attempt: 9 },
    );
    expect(await ledger.history(aBoard, undefined)).toEqual([aSettlement()]);
  });
});

describe('a database that does not answer', () => {
  it('a missing table is an error and no absence', async () => {
    const ledger = dynamodbLedger({ client: server.client, table: 'missing' });
    await expect(ledger.tick()).rejects.toThrow(/ledger.*reading of EVENKEEL TICK/);
    await expect(ledger.leases('g1')).rejects.toThrow(/ledger.*listing/);
    await expect(ledger.changeTick(aChange<TickRecord>({ add: { epoch: 1 } }))).rejects.toThrow(
      /ledger.*test of EVENKEEL TICK/,
    );
    await expect(ledger.putTurn(aTurn())).rejects.toThrow(/ledger.*put of T#/);
    await expect(ledger.history(aBoard, undefined)).rejects.toThrow(/ledger/);
  });

  it('an item beyond the size that a database takes is an error that names it', async () => {
    const { ledger } = await emptyTable();
    const turn = aTurn();
    const huge = { ...turn, issue: { ...turn.issue, description: 'x'.repeat(410_000) } };
    await expect(ledger.putTurn(huge)).rejects.toThrow(/T#1-.*size/i);
    expect(await ledger.turn(turn.turnId)).toBeUndefined();
  });
});

it('making a table that is there already changes nothing', async () => {
  const { ledger, table } = await emptyTable();
  await ledger.putTurn(aTurn());
  const another = clientOf(server.endpoint);
  await Promise.all([ensureTable(another, table), ensureTable(another, table)]);
  another.destroy();
  expect(await ledger.turn(aTurn().turnId)).toBeDefined();
});

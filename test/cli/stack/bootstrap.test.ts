import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../../lib/adapters/dynamodb/ensure-table.ts';
import { renewLedger } from '../../../lib/cli/stack/renew-ledger.ts';
import type { Ledger } from '../../../lib/controller/ports.ts';
import type { IssueId } from '../../../lib/core/issue.ts';
import {
  finishTick,
  openTick,
  putTickClosed,
  renewGeneration,
  stampClosed,
} from '../../../lib/core/tick-writes.ts';
import { type AskedStack, answerOf, askedStack, askedTable } from '../../support/aws/asked-stack.ts';
import { aBoard, aLeaseWith, aSettlement } from '../../support/ledger-records.ts';

let asked: AskedStack;
beforeEach(async () => {
  asked = await askedStack();
});
afterEach(() => asked.dispose());

const command = ['bootstrap', '--stack', 'keel'];

test('a table without a tick record gets one: closed, under a generation of its own', async () => {
  const { code, stdout, stderr } = await asked.run(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('The tick record is put, closed.');
  expect(await asked.ledger.tick()).toEqual({ v: 1, gen: expect.stringMatching(/^[a-z2-7]{26}$/) });
  expect(await asked.items()).toHaveLength(1);
});

test('two at once put one record, and only one says that it did', async () => {
  const both = await Promise.all([asked.run([...command, '--json']), asked.run([...command, '--json'])]);
  const generation = (await asked.ledger.tick())?.gen;
  const told = both.map(answerOf) as { ledger: string; generation: string }[];
  expect(told.map(({ ledger }) => ledger).sort()).toEqual(['closed', 'put']);
  expect(told.map((one) => one.generation)).toEqual([generation, generation]);
});

test('a record that is closed is left alone, and said to be waited for', async () => {
  await asked.ledger.changeTick(putTickClosed('old'));
  const unseen = await asked.runHere(command);
  expect(unseen).toMatchObject({ code: 0, stdout: expect.stringContaining('No tick has seen it yet') });
  await asked.ledger.changeTick(stampClosed('old', Date.now() - 200_000));
  const before = await asked.items();
  const seen = await asked.runHere(command);
  expect(seen).toMatchObject({ code: 0, stdout: expect.stringContaining('Ticks have waited for 4 min') });
  expect(await asked.items()).toEqual(before);
});

test('a record that is open is refused, and left alone', async () => {
  await asked.ledger.changeTick(putTickClosed('old'));
  await asked.ledger.changeTick(openTick('old'));
  const before = await asked.items();
  const { code, stdout, stderr } = await asked.runHere(command);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(
    'The ledger is there and open (no tick has ended yet): nothing was lost, and nothing was changed.',
  );
  expect(await asked.items()).toEqual(before);
});

describe('a table that was restored from a backup', () => {
  const other = 'Keel-Ledger-Restored';
  const restored = [...command, '--restored'];
  const open = async (ledger: Ledger) => {
    await ledger.changeTick(putTickClosed('old'));
    await ledger.changeTick(openTick('old'));
    await ledger.changeTick(finishTick({ gen: 'old', epoch: 0 }, 0, { finishedAt: Date.now() - 10_000_000 }));
    const park = { reason: 'failures', since: 1, detail: 'it failed', toResume: 'mend it' } as const;
    await ledger.changeLease('old', aBoard, 'a' as IssueId, aLeaseWith({ phase: 'running' }));
    await ledger.changeLease('old', aBoard, 'b' as IssueId, aLeaseWith({ phase: 'idle', parked: park }));
    await ledger.putHistory(aSettlement());
  };
  const restore = async () => {
    await ensureTable(asked.dynalite.client, other);
    const ledger = dynamodbLedger({ client: asked.dynalite.client, table: other });
    await open(ledger);
    return ledger;
  };

  test('is left as it is without --yes: what it holds and what would follow is told', async () => {
    const ledger = await restore();
    const before = await asked.items(other);
    const { code, stdout, stderr } = await asked.run([...restored, '--table', other]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      `The table ${other} holds a ledger with 1 turn at work and 1 parked issue; the last tick ended 3 h ago.`,
    );
    expect(stdout).toContain(
      'Nothing is changed without --yes. With it the ledger is closed under a new generation, and then:',
    );
    expect(stdout).toContain(
      `The deployment uses ${askedTable}, until it is deployed again with \`-c table=${other}\`.`,
    );
    expect(await asked.items(other)).toEqual(before);
    expect((await ledger.tick())?.gen).toBe('old');
  });

  test('is closed under a generation of its own with --yes, and keeps its history', async () => {
    const ledger = await restore();
    const own = await asked.items();
    const { code, stdout, stderr } = await asked.runHere([...restored, '--table', other, '--yes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`The ledger in ${other} is closed, under a new generation. What follows:`);
    expect(stdout).toContain(`-c table=${other}`);
    const tick = (await ledger.tick())!;
    expect(tick).toMatchObject({ gen: expect.stringMatching(/^[a-z2-7]{26}$/), seen: 0 });
    expect([tick.epoch, tick.since]).toEqual([undefined, undefined]);
    expect(await ledger.leases(tick.gen)).toEqual([]);
    expect(await ledger.history(aSettlement().board, undefined)).toHaveLength(1);
    expect(await asked.items()).toEqual(own);
  });

  test('is not renewed by whom somebody else overtook, who says so', async () => {
    const ledger = await restore();
    const between: Ledger = {
      ...ledger,
      leases: async (gen) => {
        await ledger.changeTick(renewGeneration('old', 'theirs'));
        return ledger.leases(gen);
      },
    };
    expect(await renewLedger(between, { isConfirmed: true })).toEqual({
      kind: 'overtaken',
      generation: 'theirs',
    });
    expect((await ledger.tick())?.gen).toBe('theirs');
  });

  test('is renewed when the answer to that was lost and the repeat is refused', async () => {
    const ledger = await restore();
    const repeating: Ledger = {
      ...ledger,
      changeTick: async (change) => {
        await ledger.changeTick(change);
        return ledger.changeTick(change);
      },
    };
    const done = await renewLedger(repeating, { isConfirmed: true });
    expect(done).toMatchObject({ kind: 'renewed', generation: (await ledger.tick())!.gen });
  });

  test('in the place of the own table is renewed where it is', async () => {
    await open(asked.ledger);
    const { code, stdout } = await asked.runHere([...restored, '--yes', '--json']);
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      report: {
        ledger: 'renewed',
        table: askedTable,
        former: { generation: 'old', open: true, running: 1, parked: 1 },
      },
    });
    const told = await asked.runHere(restored);
    expect(told.stdout).toContain('0 turns at work and 0 parked issues, closed;');
    expect(told.stdout).toContain('It is the table that the deployment uses');
  });

  test('without a tick record is none, and is told so', async () => {
    const { code, stderr } = await asked.runHere([...restored, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain(`The table ${askedTable} has no tick record: it is no backup of a ledger.`);
    expect(await asked.items()).toEqual([]);
  });

  test('that is not there is named, not the one that the deployment uses', async () => {
    const { code, stderr } = await asked.runHere([...restored, '--table', 'Nowhere']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'There is no table called Nowhere in this account and region, or it is not ready yet',
    );
  });

  test('is asked for by --restored: --yes alone is wrong usage', async () => {
    expect(await asked.runHere([...command, '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes is for --restored'),
    });
  });
});

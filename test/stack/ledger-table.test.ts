import { PutItemCommand, type PutItemCommandInput, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../lib/adapters/dynamodb/ensure-table.ts';
import { openTick, putTickClosed } from '../../lib/core/tick-writes.ts';
import { type DynaliteServer, startDynalite } from '../support/dynalite-server.ts';
import { aSettlement, aTurn } from '../support/ledger-records.ts';
import { evenkeelStack, resourceOf, resourcesOf, templateOf } from '../support/stack-world.ts';

let server: DynaliteServer;
beforeAll(async () => {
  server = await startDynalite();
});
afterAll(() => server.stop());

const template = templateOf(evenkeelStack());

/** The call that the deployment makes when it has created the table, with the table's name and id in place. */
function callOf(event: 'Create' | 'Update', table: string, tableId: string): Record<string, unknown> {
  const record = resourceOf(template, 'Custom::AWS');
  const parts = record.Properties[event]['Fn::Join'][1] as readonly (string | { Ref?: string })[];
  const text = parts.map((part) => (typeof part === 'string' ? part : part.Ref ? table : tableId)).join('');
  return JSON.parse(text);
}

async function deployTable(name: string) {
  await ensureTable(server.client, name);
  const ledger = dynamodbLedger({ client: server.client, table: name });
  const put = async (event: 'Create' | 'Update', tableId: string) => {
    const call = callOf(event, name, tableId);
    expect([call.service, call.action]).toEqual(['DynamoDB', 'putItem']);
    try {
      await server.client.send(new PutItemCommand(call.parameters as PutItemCommandInput));
    } catch (error) {
      if (!new RegExp(String(call.ignoreErrorCodesMatching)).test((error as Error).name)) throw error;
    }
  };
  return { ledger, put };
}

describe('the tick record', () => {
  test('is put closed with the table, under the id that the table alone has', async () => {
    const { ledger, put } = await deployTable('new');
    expect(await ledger.tick()).toBeUndefined();
    await put('Create', 'id-of-the-table');
    expect(await ledger.tick()).toMatchObject({ v: 1, gen: 'id-of-the-table' });
    expect((await ledger.tick())?.epoch).toBeUndefined();
    expect(await ledger.changeTick(openTick('id-of-the-table'))).toMatchObject({ epoch: 0, v: 2 });
  });

  test('that is there already stays as it is, whatever the deployment repeats', async () => {
    const { ledger, put } = await deployTable('known');
    await put('Create', 'first');
    await ledger.changeTick(openTick('first'));
    const before = await ledger.tick();
    await put('Create', 'second');
    await put('Update', 'third');
    expect(await ledger.tick()).toEqual(before);
  });

  test('is put again when the deployment has to make a new table', async () => {
    const { ledger, put } = await deployTable('replaced');
    await put('Update', 'id-of-the-new-table');
    expect(await ledger.tick()).toMatchObject({ gen: 'id-of-the-new-table' });
  });
});

test('the table has the keys that the ledger writes under, and no index', () => {
  const table = resourceOf(template, 'AWS::DynamoDB::GlobalTable');
  expect(table.Properties.KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(table.Properties.GlobalSecondaryIndexes).toBeUndefined();
});

test('the table cleans itself of what the ledger marks as old, and of nothing else', async () => {
  await ensureTable(server.client, 'cleaned');
  const ledger = dynamodbLedger({ client: server.client, table: 'cleaned' });
  const turn = aTurn({ claimedAt: Date.parse('2026-06-01T00:00:00Z') });
  await ledger.putTurn(turn);
  await ledger.putHistory(aSettlement());
  await ledger.changeTick(putTickClosed('gen'));
  const { Items = [] } = await server.client.send(new ScanCommand({ TableName: 'cleaned' }));
  const { AttributeName, Enabled } = resourceOf(template, 'AWS::DynamoDB::GlobalTable').Properties
    .TimeToLiveSpecification;
  expect(Enabled).toBe(true);
  expect(Items).toHaveLength(4);
  expect(Items.flatMap((item) => item[AttributeName]?.N ?? [])).toEqual([
    String(Date.parse('2026-08-30T00:00:00Z') / 1_000),
  ]);
  expect(await ledger.turn(turn.turnId)).toEqual(turn);
});

test('a table that exists already takes the place of the own one, with the same rights and its record as it is', () => {
  const given = templateOf(evenkeelStack({ tableName: 'restored' }));
  expect(given.findResources('AWS::DynamoDB::GlobalTable')).toEqual({});
  expect(given.findResources('Custom::AWS')).toEqual({});
  const told = resourcesOf(given, 'AWS::Lambda::Function').map(
    ({ Properties }) => Properties.Environment.Variables.EVENKEEL_TABLE,
  );
  expect(told).toEqual(Array(4).fill('restored'));
  const rights = (of: typeof given) =>
    resourcesOf(of, 'AWS::IAM::Policy')
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('dynamodb:')))
      .map(({ Action }) => Action);
  const onlyAtCreation = 'dynamodb:PutItem';
  expect(rights(given)).toEqual(rights(template).filter((actions) => actions !== onlyAtCreation));
  const arns = JSON.stringify(given.findResources('AWS::IAM::Policy'));
  expect(arns).toContain(':table/restored');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../lib/adapters/dynamodb/ensure-table.ts';
import { type EngineThread, startEngine } from '../../lib/host/engine-thread.ts';
import { describeLedger } from '../contracts/describe-ledger.ts';

let folder: string;
let socketPath: string;
let engine: EngineThread;
let client: ReturnType<typeof dynamodbClient>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'));
  socketPath = join(folder, 'socket');
  engine = await startEngine(join(folder, 'state'), socketPath, folder);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = dynamodbClient({ endpoint: 'http://localhost', region: 'local', credentials, socketPath });
});
afterAll(async () => {
  await engine.stop();
  client.destroy();
  await rm(folder, { recursive: true });
});

let tables = 0;
describeLedger('the embedded engine on disk, over its socket,', async () => {
  const table = `ledger-${tables++}`;
  await ensureTable(client, table);
  return { ledger: dynamodbLedger({ client, table }), close: async () => {} };
});

it('a caller that hangs up in the middle of a request does not end the store', async () => {
  const table = 'after-the-hang-up';
  await ensureTable(client, table);
  const caller = connect(socketPath);
  const request =
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"Ta';
  await new Promise<void>((resolve) => caller.write(request, () => resolve()));
  // Answered on another connection after the request has begun, so that the engine has seen the caller when he leaves.
  await ensureTable(client, table);
  caller.destroy();
  for (let round = 0; round < 20; round += 1) await ensureTable(client, table);
  expect(engine.failure()).toBeUndefined();
});

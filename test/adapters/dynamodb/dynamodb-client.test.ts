import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { clientOf } from '../../support/dynalite-server.ts';
import { aTurn } from '../../support/ledger-records.ts';

/** A server in place of the database, and how often it was asked. */
async function ledgerOver(answer: RequestListener) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { ledger: dynamodbLedger({ client, table: 't' }), bodies };
}

it('a database that stays silent is given up after two tries of two seconds with the same bytes', async () => {
  const { ledger, bodies } = await ledgerOver(() => {});
  const start = performance.now();
  await expect(ledger.putTurn(aTurn())).rejects.toThrow(/ledger.*T#/);
  expect(performance.now() - start).toBeLessThan(6_000);
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toBe(bodies[1]);
});

it('an error of the database is unknown and no refusal', async () => {
  const { ledger, bodies } = await ledgerOver((_request, response) => {
    response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: 'InternalServerError', message: 'broken' }));
  });
  await expect(ledger.putTurn(aTurn())).rejects.toThrow(/broken/);
  expect(bodies).toHaveLength(2);
});

it('only the database refusing its condition is a refusal', async () => {
  const { ledger, bodies } = await ledgerOver((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(
      JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' }),
    );
  });
  expect(await ledger.putTurn(aTurn())).toBe('refused');
  expect(bodies).toHaveLength(1);
});

import type { AddressInfo } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';

export interface DynaliteServer {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  /** The names of the calls that came, in order. */
  readonly heard: readonly string[];
  stop(): Promise<void>;
}

/** The embedded engine in memory, spoken to over real HTTP as in production. */
export async function startDynalite(): Promise<DynaliteServer> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const heard: string[] = [];
  server.on('request', ({ headers }) => heard.push(String(headers['x-amz-target']).replace(/^.*\./, '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = clientOf(endpoint);
  return {
    endpoint,
    client,
    heard,
    stop: async () => {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client for a server that checks no credentials. */
export function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return dynamodbClient({ endpoint, region: 'local', credentials });
}

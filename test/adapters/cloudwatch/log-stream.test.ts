import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LogStream, logStream } from '../../../lib/adapters/cloudwatch/log-stream.ts';
import { type LogServer, startLogs } from '../../support/aws/log-server.ts';

let server: LogServer;
let client: CloudWatchLogsClient;
beforeEach(async () => {
  server = await startLogs();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new CloudWatchLogsClient({
    endpoint: server.endpoint,
    region: 'eu-west-1',
    credentials,
    maxAttempts: 1,
  });
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const open = () => logStream({ client, group: 'turns', stream: 'turn/1', pageSize: 2 });
const write = (...lines: readonly string[]) =>
  server.streams.set('turns turn/1', [...(server.streams.get('turns turn/1') ?? []), ...lines]);

async function pagesOf(log: LogStream): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for await (const page of log.readNew()) pages.push(page);
  return pages;
}

test('a log is read to its end, a bounded page at a time, also when a page in between is empty', async () => {
  write('1', '2', '3', '4', '5');
  expect(await pagesOf(open())).toEqual([['1', '2'], ['3', '4'], ['5']]);
  // An empty page before the second and the third, and the end.
  expect(server.heard).toHaveLength(6);
});

test('it is read on where it stopped, each line once', async () => {
  const log = open();
  write('1', '2', '3');
  await pagesOf(log);
  expect(await pagesOf(log)).toEqual([]);
  write('4');
  expect(await pagesOf(log)).toEqual([['4']]);
});

test('a log that nobody has written yet is empty, and is read once it is there', async () => {
  const log = open();
  expect(await pagesOf(log)).toEqual([]);
  write('1');
  expect(await pagesOf(log)).toEqual([['1']]);
});

test('a service that does not answer is no end of a log', async () => {
  const log = open();
  write('1');
  await pagesOf(log);
  await server.stop();
  await expect(pagesOf(log)).rejects.toThrow();
  server = await startLogs();
});

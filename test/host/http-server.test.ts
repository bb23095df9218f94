import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type HostWorld, makeHostWorld, type WatchedHost } from '../support/host-world.ts';

let world: HostWorld;
let host: WatchedHost;
beforeAll(async () => {
  world = await makeHostWorld();
  host = await world.start({ intervalMs: 3_600_000 });
});
afterAll(() => world.end());

function post(path: string, body = '{}', headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(host.url + path, { method: 'POST', body, headers });
}

function secretOf(name: 'token' | 'webhookSecret'): string {
  const file = name === 'token' ? 'host.json' : 'deployment.json';
  return JSON.parse(readFileSync(join(world.dataDir, file), 'utf8'))[name];
}

test('operations need the bearer of host.json', async () => {
  expect((await post('/operations/status')).status).toBe(401);
  expect((await post('/operations/status', '{}', { authorization: 'Bearer wrong' })).status).toBe(401);
  const authorization = `Bearer ${secretOf('token')}`;
  const answered = await post('/operations/status', '{}', { authorization });
  expect(answered.status).toBe(200);
  expect(await answered.json()).toMatchObject({ answer: { running: [] } });
  expect((await post('/operations/constructor', '{}', { authorization })).status).toBe(404);
  expect((await post('/operations/explain', '{"kee":1}', { authorization })).status).toBe(400);
  expect((await post('/operations/explain', '{', { authorization })).status).toBe(400);
});

test('what an operation refuses comes as one sentence, without where in the program it happened', async () => {
  const headers = { authorization: `Bearer ${secretOf('token')}` };
  const refused = await post('/operations/pause', '{"board":"other"}', headers);
  expect(refused.status).toBe(500);
  expect(await refused.json()).toEqual({ error: 'There is no board "other": the boards are board.' });
});

test('a signed hint brings an early tick, an unsigned one is refused', async () => {
  await eventually(
    () => world.trace().filter(({ fact }) => fact === 'tick-ended').length,
    (ticks) => ticks === 1,
  );
  const body = '{"whatever":"it says"}';
  const sign = (text: string) =>
    `sha256=${createHmac('sha256', secretOf('webhookSecret')).update(text).digest('hex')}`;
  expect((await post('/webhooks/local', body)).status).toBe(401);
  expect((await post('/webhooks/local', body, { 'x-evenkeel-signature': sign('other') })).status).toBe(401);
  expect((await post('/webhooks/github', body)).status).toBe(404);
  expect(world.trace().some(({ fact }) => fact === 'hint')).toBe(false);
  expect((await post('/webhooks/local', body, { 'x-evenkeel-signature': sign(body) })).status).toBe(202);
  await eventually(
    () => world.trace().filter(({ fact }) => fact === 'tick-ended').length,
    (ticks) => ticks === 2,
  );
});

test('a turn has to know its ticket', async () => {
  const turn = `/turns/1-${'a'.repeat(26)}/start`;
  const start = JSON.stringify({ arn: 'boot:1:1', key: 'k'.repeat(32) });
  expect((await post(turn, start)).status).toBe(401);
  expect((await post(turn, start, { authorization: 'Bearer guessed' })).status).toBe(401);
  expect((await post('/turns/../operations/status', start)).status).toBe(401);
});

test('other paths, methods and bodies of more than 1 MB are refused', async () => {
  expect((await post('/')).status).toBe(404);
  expect((await fetch(`${host.url}/operations/status`)).status).toBe(405);
  const large = await post('/webhooks/local', 'x'.repeat(1024 * 1024 + 1)).catch(() => undefined);
  expect(large?.status ?? 413).toBe(413);
  expect((await post('/')).status).toBe(404);
});

import { rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { settleIn } from '../../lib/turn/container.ts';
import { readOwnArn } from '../../lib/turn/process-identity.ts';
import { takeEnvironment } from '../../lib/turn/turn-environment.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** The platform's answers, in their order; the last one stays. */
async function containerTold(...answers: readonly (readonly [status: number, body: string])[]) {
  const left = [...answers];
  server = createServer((request, response) => {
    const [status, body] = (left.length > 1 ? left.shift() : left[0])!;
    response.writeHead(request.url === '/id/task' ? status : 404).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const env: NodeJS.ProcessEnv = {
    ECS_CONTAINER_METADATA_URI_V4: `http://127.0.0.1:${(server.address() as AddressInfo).port}/id`,
    EVENKEEL_TURN_ID: '1-a',
    EVENKEEL_TICKET: 'ticket',
    EVENKEEL_TURN_API: 'https://turns.example.com',
  };
  return env;
}

test('a program in a container of its own is named by its task, and makes its folder and its cookie itself', async () => {
  const env = await containerTold([503, ''], [200, '{"TaskARN":"arn:task/1","Family":"turn"}']);
  expect(await settleIn(env)).toBe('arn:task/1');
  const { dir, cookie } = takeEnvironment(env);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  expect(cookie).toMatch(/^[0-9a-f]{64}$/);
  await rm(dir, { recursive: true });
});

test('a container that does not say which task it is begins no turn', async () => {
  const env = await containerTold([200, '{"TaskARN":""}']);
  await expect(settleIn(env)).rejects.toThrow(/does not say which task it is/);
  await rm(env.EVENKEEL_TURN_DIR!, { recursive: true });
});

test('a program that a host started is named by its process, and keeps what it was told', async () => {
  const env = { EVENKEEL_TURN_DIR: '/turn' };
  expect(await settleIn(env)).toBe(readOwnArn());
  expect(env).toEqual({ EVENKEEL_TURN_DIR: '/turn' });
});

describe('the uid that an agent is to have', () => {
  const told = { EVENKEEL_TURN_ID: '1-a', EVENKEEL_TURN_DIR: '/turn', EVENKEEL_COOKIE: '0123456789abcdef' };
  const env = { ...told, EVENKEEL_TICKET: 'ticket', EVENKEEL_TURN_API: 'https://turns.example.com' };
  const container = { ECS_CONTAINER_METADATA_URI_V4: 'http://127.0.0.1/id' };

  test('counts in a container of its own only: on a machine with other programs it may be anybody’s', () => {
    expect(takeEnvironment({ ...env, ...container, EVENKEEL_AGENT_UID: '1000' }).agentUid).toBe(1000);
    expect(takeEnvironment({ ...env, EVENKEEL_AGENT_UID: '1000' }).agentUid).toBeUndefined();
    expect(takeEnvironment({ ...env, ...container }).agentUid).toBeUndefined();
  });

  test.each(['0', '-1', '01', 'node', ''])('is not %o', (uid) => {
    expect(() => takeEnvironment({ ...env, ...container, EVENKEEL_AGENT_UID: uid })).toThrow(
      /EVENKEEL_AGENT_UID: must be the number of a user other than root/,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reconcileHandler, TickFailedError, tickRequested } from '../../functions/reconcile.ts';
import { turnApiHandler } from '../../functions/turn-api.ts';
import { turnEndHandler } from '../../functions/turn-end.ts';
import { webhookHandler } from '../../functions/webhook.ts';
import type { Ports } from '../../lib/controller/ports.ts';
import { buildWorld, completed } from '../support/world.ts';

const issues = [{ id: 'A', state: 'Todo' }];
const scheduled = { 'detail-type': 'Scheduled Event' };

describe('the reconcile function', () => {
  test('makes a tick of a scheduled event, and of a hint only when something is unseen', async () => {
    const world = await buildWorld({ issues });
    const handler = reconcileHandler(world.ports);
    expect(await handler(scheduled)).toMatchObject({ kind: 'done' });
    expect(await handler({ 'detail-type': tickRequested })).toEqual({ kind: 'not-admitted' });
  });

  test('fails loudly at the end of a tick that could not do everything', async () => {
    const world = await buildWorld({ issues: [...issues, { id: 'B' }] });
    let launches = 0;
    const ports = {
      ...world.ports,
      ledger: {
        ...world.ledger,
        turn: async (...args: Parameters<typeof world.ledger.turn>) => {
          launches += 1;
          if (launches === 1) throw new Error('the store hiccuped');
          return world.ledger.turn(...args);
        },
      },
    };
    await expect(reconcileHandler(ports)(scheduled)).rejects.toThrow(TickFailedError);
    expect(world.runner.tasks()).toHaveLength(1);
  });

  test('refuses what is no event', async () => {
    const world = await buildWorld({ issues });
    await expect(reconcileHandler(world.ports)({})).rejects.toThrow();
  });
});

describe('the turn-end function', () => {
  const stopped = (turnId: string | undefined, taskArn: string) => ({
    detail: { taskArn, startedBy: turnId, lastStatus: 'STOPPED' },
  });

  test('settles the turn and asks for an early tick, because a slot is free', async () => {
    const world = await buildWorld({ issues });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    const { turnId } = (await world.leaseOf('A'))!;
    const hints = world.hints();

    expect(await turnEndHandler(world.ports)(stopped(turnId, await world.latestArn('A')))).toEqual({
      turn: 'settled',
    });

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.hints()).toBe(hints + 1);
  });

  test.each([undefined, 'ecs-svc/1234', 'someone'])(
    'passes over a task that was not started for a turn: %s',
    async (startedBy) => {
      const world = await buildWorld({ issues });
      expect(await turnEndHandler(world.ports)(stopped(startedBy, 'arn'))).toEqual({ turn: 'nothing' });
    },
  );

  test('takes the end of another task for no end of a turn that has not begun', async () => {
    const world = await buildWorld({ issues: [...issues, { id: 'B', state: 'Todo' }] });
    await world.tick();
    await world.exit('B');
    const { turnId } = (await world.leaseOf('A'))!;
    const event = stopped(turnId, await world.latestArn('B'));
    expect(await turnEndHandler(world.ports)(event)).toEqual({ turn: 'nothing' });
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching', turnId });
  });

  test('refuses the event of a task that has not stopped', async () => {
    const world = await buildWorld({ issues });
    await expect(
      turnEndHandler(world.ports)({ detail: { taskArn: 'arn', startedBy: 'x', lastStatus: 'RUNNING' } }),
    ).rejects.toThrow();
  });
});

describe('the webhook function', () => {
  const post = (
    rawPath: string,
    body: string,
    isBase64Encoded = false,
    headers: Record<string, string> = { 'X-Signature': 'good' },
  ) => ({ rawPath, body, isBase64Encoded, headers });
  async function served() {
    const world = await buildWorld({ issues });
    const bodies: string[] = [];
    const ports: Ports = {
      ...world.ports,
      webhooks: {
        test: {
          judge: async (headers: Readonly<Record<string, string>>, body: Uint8Array) => {
            bodies.push(Buffer.from(body).toString('utf8'));
            if (headers['x-signature'] !== 'good') return 'forged';
            return headers['x-event'] === 'push' ? 'irrelevant' : 'hint';
          },
        },
        broken: {
          judge: async () => {
            throw new Error('empty body');
          },
        },
        silent: { judge: async () => 'unjudged' },
      },
    };
    return { ...world, bodies, handler: webhookHandler(ports) };
  }

  test('asks for an early tick on an authentic delivery, whatever it says', async () => {
    const { handler, hints, bodies } = await served();
    expect(await handler(post('/webhooks/test', 'not even JSON'))).toEqual({ statusCode: 202 });
    expect(
      await handler(post('/webhooks/test', Buffer.from('{"emoji":"🚢"}').toString('base64'), true)),
    ).toEqual({ statusCode: 202 });
    expect(bodies).toEqual(['not even JSON', '{"emoji":"🚢"}']);
    expect(hints()).toBe(2);
  });

  test('takes what concerns no board, and asks for nothing', async () => {
    const { handler, hints } = await served();
    const headers = { 'X-Signature': 'good', 'X-Event': 'push' };
    expect(await handler(post('/webhooks/test', '{}', false, headers))).toEqual({ statusCode: 202 });
    expect(hints()).toBe(0);
  });

  test('asks the sender to come again when its own secret cannot be read', async () => {
    const { handler, hints } = await served();
    expect(await handler(post('/webhooks/silent', '{}'))).toEqual({ statusCode: 503 });
    expect(hints()).toBe(0);
  });

  test('refuses what is not authentic, and what its source fails over', async () => {
    const { handler, hints } = await served();
    expect(await handler(post('/webhooks/test', '{}', false, { 'X-Signature': 'bad' }))).toEqual({
      statusCode: 401,
    });
    expect(await handler(post('/webhooks/test', '{}', false, {}))).toEqual({ statusCode: 401 });
    expect(await handler(post('/webhooks/broken', ''))).toEqual({ statusCode: 401 });
    expect(hints()).toBe(0);
  });

  test.each(['/webhooks/unknown', '/webhooks/', '/webhooks/toString', '/other', '/webhooks/test/more'])(
    'knows no %s',
    async (path) => {
      const { handler } = await served();
      expect(await handler(post(path, '{}'))).toEqual({ statusCode: 404 });
    },
  );

  test('never answers 5xx, whatever comes', async () => {
    const { handler } = await served();
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        async (name, body, base64) => {
          const { statusCode } = await handler(post(`/webhooks/${name}`, body, base64));
          expect(statusCode).toBeLessThan(500);
        },
      ),
    );
  });
});

describe('the turn API', () => {
  const key = 'k'.repeat(40);
  async function launched() {
    const world = await buildWorld({ issues });
    await world.tick();
    const { turnId } = (await world.leaseOf('A'))!;
    const arn = await world.latestArn('A');
    const handler = turnApiHandler(world.ports);
    const post = (call: string, bearer: string | undefined, body: unknown, id: string = turnId!) =>
      handler({
        rawPath: `/turns/${id}/${call}`,
        headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        isBase64Encoded: false,
      });
    return { ...world, turnId, arn, post };
  }

  test('serves the four calls of a turn', async () => {
    const { post, turnId, arn } = await launched();
    const start = await post('start', `ticket-${turnId}`, { arn, key });
    expect(start).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(start.body!)).toMatchObject({ answer: 'go' });
    expect(await post('heartbeat', key, { step: 'agent', progress: 1, arn })).toMatchObject({
      statusCode: 200,
      body: '{"answer":"go"}',
    });
    expect(await post('git-token', key, { arn })).toMatchObject({
      statusCode: 200,
      body: '{"answer":"go"}',
    });
    expect(await post('result', key, { arn, result: completed })).toMatchObject({
      statusCode: 200,
      body: '{"answer":"go"}',
    });
  });

  test('refuses a missing or a wrong bearer', async () => {
    const { post, arn } = await launched();
    expect((await post('start', undefined, { arn, key })).statusCode).toBe(401);
    expect((await post('start', 'wrong', { arn, key })).statusCode).toBe(401);
  });

  test('says what is wrong with a body, and changes nothing', async () => {
    const { post, turnId, arn, leaseOf } = await launched();
    expect(await post('start', `ticket-${turnId}`, 'no JSON')).toMatchObject({ statusCode: 400 });
    expect((await post('start', `ticket-${turnId}`, { arn, key: 'short' })).body).toContain('key');
    expect(await post('start', `ticket-${turnId}`, { arn, key, more: 1 })).toMatchObject({ statusCode: 400 });
    expect((await leaseOf('A'))?.phase).toBe('launching');
  });

  test('knows no other calls and no other ids', async () => {
    const { post, turnId } = await launched();
    expect((await post('stop', 'x', {})).statusCode).toBe(404);
    expect((await post('constructor', 'x', {})).statusCode).toBe(404);
    expect((await post('start', `ticket-${turnId}`, {}, 'not-a-turn')).statusCode).toBe(404);
  });

  test('asks to come again when the ledger does not answer', async () => {
    const { post, turnId, arn, ledger } = await launched();
    ledger.faults.beforeRead = () => {
      throw new Error('down');
    };
    expect((await post('start', `ticket-${turnId}`, { arn, key })).statusCode).toBe(503);
  });

  test('tells why a call could not be answered', async () => {
    const { post, turnId, arn, ledger, facts } = await launched();
    ledger.faults.beforeRead = () => {
      throw new Error('not authorized to perform: dynamodb:GetItem');
    };
    await post('start', `ticket-${turnId}`, { arn, key });
    expect(facts).toContainEqual(
      expect.objectContaining({
        fact: 'refused',
        reason: 'call-failed',
        turnId,
        problem: 'start: not authorized to perform: dynamodb:GetItem',
      }),
    );
  });

  test('refuses a body that is larger than any turn sends, from whomever, before it is read', async () => {
    const { post } = await launched();
    const large = JSON.stringify({ arn: 'x', pad: 'x'.repeat(600_000) });
    expect(await post('result', 'anybody', large)).toMatchObject({ statusCode: 413 });
  });

  test.each(['verify', 'notes'] as const)(
    'says in a few words what is wrong with a long list, without a look at each entry: %s',
    async (field) => {
      const { post } = await launched();
      const entries = Array.from({ length: 200_000 }, () => 1);
      const body = { arn: 'x', result: { ...completed, [field]: entries } };
      const refused = await post('result', 'anybody', body);
      expect(refused).toMatchObject({ statusCode: 400, body: expect.stringContaining(field) });
      expect(refused.body!.match(/Invalid input/g) ?? []).toEqual([]);
      expect(refused.body!.length).toBeLessThan(3_000);
    },
  );

  test('says in a few words what is wrong with many unknown fields', async () => {
    const { post } = await launched();
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`unknown-${at}`, 1]));
    const refused = await post('heartbeat', 'anybody', many);
    expect(refused.statusCode).toBe(400);
    expect(refused.body!.length).toBeLessThan(3_000);
  });
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pingHost } from '../../lib/host/remote-operations.ts';
import { eventually } from '../support/eventually.ts';
import { appears, type HostWorld, makeHostWorld, standsIn } from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

const waitingAgent =
  'cat > /dev/null; touch ROOT/begun; until test -e ROOT/go; do sleep 0.1; done; echo ok > work.txt';

test('without a data folder a plan is made over an empty ledger, and nothing is made', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  world.addIssue('a-2', 'Backlog');
  const { operations, kind, close } = await world.connect();
  expect(kind).toBe('empty');
  expect(await operations.plan()).toMatchObject({
    boards: [
      {
        board: 'board',
        contract: { valid: true, problems: [] },
        decisions: [{ key: 'a-1', action: 'start', reason: 'start' }],
      },
    ],
  });
  expect(await operations.status()).toMatchObject({ lastTick: null, running: [], waiting: [], inReview: 0 });
  expect(await operations.explain('a-2')).toMatchObject({
    board: 'board',
    state: 'Backlog',
    decisions: [{ action: 'ignore', reason: 'not-active' }],
  });
  expect(await operations.history(undefined)).toEqual([]);
  await close();
  expect(existsSync(world.dataDir)).toBe(false);
});

test('a tick without a host does what the plan said, and the next start goes on with it', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  world.addIssue('a-2', 'Todo', 'blocked_by: [a-1]\n');
  const { operations, close } = await world.connect();
  const plan = await operations.plan();
  const tick = await operations.tick();
  expect(tick).toMatchObject({ kind: 'done', complete: true, boards: plan.boards });
  expect(plan.boards[0]?.decisions.map(({ key, action }) => `${key} ${action}`)).toEqual([
    'a-1 start',
    'a-2 wait',
  ]);
  await close();
  expect(world.stateOf('a-1')).toBe('In Progress');
  await world.start();
  await standsIn(world, 'a-1', 'In Review');
  expect(world.trace().filter(({ fact }) => fact === 'claimed')).toHaveLength(1);
});

test('beside a running host the host answers, also for a workflow file that it does not serve', async () => {
  world = await makeHostWorld({ command: waitingAgent, agentMore: '  max_concurrent_agents: 1\n' });
  world.addIssue('a-1', 'Todo');
  await world.start();
  await appears(world, 'begun');
  const served = await world.connect();
  expect(served.kind).toBe('host');
  expect((await served.operations.plan()).boards[0]?.decisions).toMatchObject([
    { key: 'a-1', action: 'keep', reason: 'running' },
  ]);
  expect(await served.operations.status()).toMatchObject({
    paused: false,
    running: [{ key: 'a-1', attempt: 1, phase: 'running', state: 'In Progress' }],
  });

  const other = join(world.root, 'OTHER.md');
  world.addIssue('a-2', 'Todo');
  const text = readFileSync(world.workflowFile, 'utf8');
  writeFileSync(other, text.replace('max_concurrent_agents: 1', 'max_concurrent_agents: 0'));
  const candidate = await world.connect([other]);
  const decisions = (await candidate.operations.plan()).boards[0]?.decisions;
  expect(decisions).toMatchObject([
    { key: 'a-1', action: 'keep' },
    { key: 'a-2', detail: '1 of 0 turns on this board are taken' },
  ]);
  world.put('go');
  await standsIn(world, 'a-2', 'In Review');
});

test('a paused board starts nothing until it is resumed, also over a restart', async () => {
  world = await makeHostWorld();
  const offline = await world.connect();
  expect(await offline.operations.pause(undefined)).toEqual(['board']);
  await offline.close();
  world.addIssue('a-1', 'Todo');
  const host = await world.start({ untilIdle: true });
  expect(await host.ended).toEqual({ kind: 'idle', trouble: [] });
  expect(world.stateOf('a-1')).toBe('Todo');

  await world.start();
  const { operations } = await world.connect();
  expect(await operations.status()).toMatchObject({
    paused: true,
    pausedBoards: ['board'],
    waiting: [{ key: 'a-1', reason: 'paused', toResume: 'evenkeel resume' }],
  });
  expect(await operations.resume('board')).toEqual(['board']);
  await standsIn(world, 'a-1', 'In Review');
  await expect(operations.pause('other')).rejects.toThrow('There is no board "other"');
});

test('a host.json that a killed host left behind leads nobody astray', async () => {
  world = await makeHostWorld();
  const first = await world.start();
  await first.stop();
  const left = { pid: 2 ** 22 + 1, url: first.url, token: 't'.repeat(40), startedAt: '', version: '0.0.0' };
  writeFileSync(join(world.dataDir, 'host.json'), JSON.stringify(left));
  expect(await pingHost(left)).toBeUndefined();
  const { kind, close } = await world.connect();
  expect(kind).toBe('store');
  await close();
});

test('an issue that is tried again later is not also listed as waiting', async () => {
  world = await makeHostWorld({ command: 'exit 1' });
  world.addIssue('a-1', 'Todo');
  await world.start();
  const { operations } = await world.connect();
  const status = await eventually(
    () => operations.status(),
    ({ retrying }) => retrying.length === 1,
  );
  expect(status.retrying).toMatchObject([{ key: 'a-1', failures: 1, class: 'agent' }]);
  expect(status.waiting).toEqual([]);
  expect(await operations.explain('a-1')).toMatchObject({
    decisions: [{ action: 'wait', reason: 'retry-not-due' }],
    lastTurn: { outcome: 'retry', class: 'agent' },
  });
});

test('a parked issue stands among the parked, until a person moves its card', async () => {
  world = await makeHostWorld({ command: 'exit 1', agentMore: '  max_failures: 1\n' });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await standsIn(world, 'a-1', 'In Review');
  await host.stop();
  const { operations, close } = await world.connect();
  expect(await operations.status()).toMatchObject({
    parked: [{ key: 'a-1', reason: 'failures' }],
    waiting: [],
    inReview: 1,
  });
  world.move('a-1', 'Backlog');
  expect((await operations.status()).parked).toEqual([]);
  await close();
});

test('commands that ask at the same time, and a start meanwhile, wait for each other', async () => {
  world = await makeHostWorld();
  const first = await world.start();
  await first.stop();
  const asked = await Promise.all(
    [1, 2, 3].map(async () => {
      const { operations, close } = await world.connect();
      const { running } = await operations.status();
      await close();
      return running;
    }),
  );
  expect(asked).toEqual([[], [], []]);
  const connection = await world.connect();
  const starting = world.start();
  await connection.operations.status();
  await connection.close();
  await (await starting).stop();
});

test('a host that is stopped is named as one that does not answer, with what to do, and goes on afterwards', async () => {
  world = await makeHostWorld();
  const { child } = world.spawn();
  await eventually(() => existsSync(join(world.dataDir, 'host.json')), Boolean);
  child.kill('SIGSTOP');
  const asked = world.connect();
  await expect(asked).rejects.toThrow(`(pid ${child.pid}) does not answer`);
  await expect(asked).rejects.toThrow(`kill -9 ${child.pid}`);
  child.kill('SIGCONT');
  const again = await eventually(
    () => world.connect().catch(() => undefined),
    (connection) => connection?.kind === 'host',
    40_000,
  );
  expect(await again!.operations.status()).toMatchObject({ running: [] });
});

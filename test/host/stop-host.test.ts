import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  appears,
  type HostWorld,
  makeHostWorld,
  pidsOf,
  quickAgent,
  standsIn,
} from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

/** Leaves something worth keeping and works on. */
const slowAgent = 'cat > /dev/null; echo half > work.txt; touch ROOT/begun; sleep 60';

test('a stop keeps the work of a running turn, uses up no try, and the next start goes on', async () => {
  world = await makeHostWorld({ command: slowAgent });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await appears(world, 'begun');
  await host.stop();
  expect(await host.ended).toEqual({ kind: 'stopped', liveTurns: 0 });
  expect(pidsOf(world.dataDir)).toEqual([]);
  expect(world.stateOf('a-1')).toBe('In Progress');

  const { operations, close } = await world.connect();
  const [turn] = await operations.history('a-1');
  expect(turn).toMatchObject({ class: 'infrastructure', wipBranch: 'evenkeel/wip/a-1' });
  expect(await operations.explain('a-1')).toMatchObject({ phase: 'idle', turns: 0, counters: { agent: 0 } });
  await close();
  expect(world.branches()).toContain('evenkeel/wip/a-1');

  world.writeWorkflow({ command: quickAgent });
  await world.start();
  await standsIn(world, 'a-1', 'In Review');
});

test('a stop in the middle of a launch holds nothing back at the next start', async () => {
  world = await makeHostWorld({ command: slowAgent });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await eventually(
    () => world.trace().some(({ fact }) => fact === 'launched'),
    (launched) => launched,
  );
  await host.stop();
  expect(pidsOf(world.dataDir)).toEqual([]);
  const { operations, close } = await world.connect();
  expect((await operations.plan()).boards[0]?.decisions).toMatchObject([{ key: 'a-1', action: 'start' }]);
  await close();
});

test('nothing starts after a stop was asked for', async () => {
  world = await makeHostWorld();
  const host = await world.start();
  await eventually(
    () => world.trace().filter(({ fact }) => fact === 'tick-ended').length,
    (ticks) => ticks > 0,
  );
  const stopped = host.stop();
  world.addIssue('a-1', 'Todo');
  await stopped;
  expect(world.stateOf('a-1')).toBe('Todo');
  expect(world.trace().some(({ fact }) => fact === 'claimed')).toBe(false);
});

test('a process whose terminal is closed ends well, and then of that signal', async () => {
  world = await makeHostWorld({ command: slowAgent });
  world.addIssue('a-1', 'Todo');
  const { child, ended } = world.spawn();
  await appears(world, 'begun');
  child.kill('SIGHUP');
  expect(await ended).toEqual({ code: null, signal: 'SIGHUP' });
  expect(pidsOf(world.dataDir)).toEqual([]);
  expect(existsSync(join(world.dataDir, 'host.json'))).toBe(false);
  expect(world.branches()).toContain('evenkeel/wip/a-1');
});

test('a process that is asked to end ends well, and at a second request at once', async () => {
  world = await makeHostWorld({ command: slowAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGTERM');
  expect(await first.ended).toEqual({ code: 0, signal: null });

  world.writeWorkflow({
    command: "trap 'touch ROOT/asked' TERM; cat > /dev/null; touch ROOT/deaf; while :; do sleep 0.1; done",
  });
  const second = world.spawn();
  await appears(world, 'deaf');
  second.child.kill('SIGINT');
  await appears(world, 'asked');
  // What follows within a second counts as the same key press, so the key is pressed until it is heard.
  const again = setInterval(() => second.child.kill('SIGINT'), 300);
  const { code } = await second.ended.finally(() => clearInterval(again));
  expect(code).toBe(1);
  expect(pidsOf(world.dataDir)).not.toEqual([]);
});

test('idle ends with what a person has to look at', async () => {
  world = await makeHostWorld({ command: 'exit 3', agentMore: '  max_failures: 1\n' });
  world.addIssue('a-1', 'Todo');
  world.addIssue('a-2', 'Backlog');
  const host = await world.start({ untilIdle: true });
  const end = await host.ended;
  expect(end.kind === 'idle' && end.trouble.join()).toContain('a-1 is parked');
  expect(world.stateOf('a-1')).toBe('In Review');
});

test('a retry that is due later is waited for before idle', async () => {
  world = await makeHostWorld({
    command: 'cat > /dev/null; test -e ROOT/second && echo ok > work.txt || { touch ROOT/second; exit 1; }',
    agentMore: '  max_retry_backoff_ms: 1500\n',
  });
  world.addIssue('a-1', 'Todo');
  const host = await world.start({ untilIdle: true });
  expect(await host.ended).toEqual({ kind: 'idle', trouble: [] });
  expect(world.stateOf('a-1')).toBe('In Review');
  const { operations, close } = await world.connect();
  expect((await operations.history('a-1')).map(({ outcome }) => outcome)).toEqual(['retry', 'handed-off']);
  await close();
});

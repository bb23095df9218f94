import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkTrace } from '../../lib/core/trace-check.ts';
import { eventually } from '../support/eventually.ts';
import { appears, type HostWorld, makeHostWorld, standsIn } from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

/** Says that it works, and works until the test says so. */
const waitingAgent =
  'cat > /dev/null; echo done > work.txt; touch ROOT/begun; until test -e ROOT/go; do sleep 0.1; done';

function countOf(kind: string): number {
  return world.trace().filter(({ fact }) => fact === kind).length;
}

test('a killed host loses nothing: its turn goes on and is settled by the next one', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGKILL');
  await first.ended;
  expect(existsSync(join(world.dataDir, 'host.json'))).toBe(true);

  const second = world.spawn(['--until-idle', '--log-format', 'text']);
  await eventually(
    () => second.stderr(),
    (story) => /a-1 +running +it goes on: attempt 1 is running/.test(story),
  );
  await eventually(
    () => countOf('tick-ended'),
    (ticks) => ticks > 2,
  );
  world.put('go');
  expect((await second.ended).code).toBe(0);
  expect(second.stderr().match(/it goes on/g)).toHaveLength(1);
  expect(world.stateOf('a-1')).toBe('In Review');
  expect(countOf('claimed')).toBe(1);
  const launched = world.trace().filter(({ fact }) => fact === 'launched');
  expect(new Set(launched.map(({ arn }) => arn)).size).toBe(1);
  expect(checkTrace(world.trace()).violations).toEqual([]);
});

test('a turn that ends while no host runs is settled by the next one', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGKILL');
  await first.ended;
  world.put('go');
  const second = world.spawn(['--until-idle']);
  expect((await second.ended).code).toBe(0);
  expect(world.stateOf('a-1')).toBe('In Review');
  expect(countOf('claimed')).toBe(1);
});

test('a lost ledger ends the host with a clear message; its turns wait, are adopted and handed off', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  rmSync(join(world.dataDir, 'state'), { recursive: true });
  expect((await first.ended).code).toBe(1);
  expect(first.stderr()).toContain('was removed or replaced while it was in use');

  const { operations, kind, close } = await world.connect();
  expect(kind).toBe('empty');
  expect((await operations.plan()).boards[0]?.decisions).toMatchObject([
    { key: 'a-1', action: 'adopt', reason: 'ledger-lost' },
  ]);
  await close();

  const second = world.spawn(['--until-idle']);
  await eventually(
    () => countOf('adopted'),
    (adopted) => adopted === 1,
  );
  world.put('go');
  expect((await second.ended).code).toBe(0);
  expect(world.stateOf('a-1')).toBe('In Review');
  expect(countOf('claimed')).toBe(1);
  expect(world.branches()).toContain('evenkeel/issue/a-1');
});

test('a card that is moved away while no host runs stops its turn at the next start', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGKILL');
  await first.ended;
  world.move('a-1', 'Done');
  const second = world.spawn(['--until-idle']);
  expect((await second.ended).code).toBe(0);
  expect(countOf('stopped-seen')).toBeGreaterThan(0);
  expect(world.stateOf('a-1')).toBe('Done');
  expect(world.branches()).not.toContain('evenkeel/issue/a-1');
  await standsIn(world, 'a-1', 'Done');
});

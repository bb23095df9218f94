import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { appears, type HostWorld, makeHostWorld, standsIn, type WatchedHost } from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

const waitingAgent =
  'cat > /dev/null; echo done > work.txt; touch ROOT/begun; until test -e ROOT/go; do sleep 0.1; done';

async function ticks(host: WatchedHost, count: number): Promise<void> {
  const before = host.events.filter(({ kind }) => kind === 'tick').length;
  await eventually(
    () => host.events.filter(({ kind }) => kind === 'tick').length,
    (now) => now >= before + count,
  );
}

test('a broken workflow file starts nothing, settles what runs, and is told at every tick until it is mended', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await appears(world, 'begun');
  writeFileSync(world.workflowFile, '---\ntracker: { kind: local, projekt: board }\n---\nWork.\n');
  await ticks(host, 1);
  world.addIssue('a-2', 'Todo');
  world.put('go');
  await standsIn(world, 'a-1', 'In Review');
  await ticks(host, 3);
  expect(world.stateOf('a-2')).toBe('Todo');

  const told = host.events.filter(({ kind }) => kind === 'workflow-broken');
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(told[0])).toContain('did you mean project?');
  const { operations } = await world.connect();
  const waiting = (await operations.status()).waiting;
  expect(waiting).toMatchObject([{ key: 'a-2', reason: 'contract-invalid' }]);

  world.writeWorkflow();
  await standsIn(world, 'a-2', 'In Review');
  const before = host.events.filter(({ kind }) => kind === 'workflow-broken').length;
  await ticks(host, 2);
  expect(host.events.filter(({ kind }) => kind === 'workflow-broken')).toHaveLength(before);
});

test('a workflow file that is gone for a moment stops nothing', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await appears(world, 'begun');
  rmSync(world.workflowFile);
  await ticks(host, 2);
  world.writeWorkflow({ command: waitingAgent });
  world.put('go');
  await standsIn(world, 'a-1', 'In Review');
  expect(host.events.some(({ kind }) => kind === 'workflow-changed')).toBe(false);
});

test('a changed workflow file is taken up at the next tick', async () => {
  world = await makeHostWorld({ agentMore: '  max_concurrent_agents: 0\n' });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await ticks(host, 2);
  expect(world.stateOf('a-1')).toBe('Todo');
  world.writeWorkflow();
  await standsIn(world, 'a-1', 'In Review');
  expect(host.events.filter(({ kind }) => kind === 'workflow-changed')).toHaveLength(1);
});

test('a board cannot be exchanged for another one while its turns run', async () => {
  world = await makeHostWorld();
  const host = await world.start();
  mkdirSync(join(world.root, 'other'));
  const text = readFileSync(world.workflowFile, 'utf8');
  writeFileSync(world.workflowFile, text.replace('project: board', 'project: other'));
  await eventually(
    () => JSON.stringify(host.events.findLast(({ kind }) => kind === 'workflow-broken')),
    (told) => told?.includes('stop the host and start it again'),
  );
});

test.each([
  ['a prompt that does not render', (text: string) => text.replace('issue.key', 'issue.kee'), 'issue.kee'],
  ['a base that is missing', (text: string) => text.replace('base: main', 'base: trunk'), 'no branch trunk'],
])(
  '%s is not taken up: the last good file stays, and nothing starts until it is mended',
  async (_, spoil, named) => {
    world = await makeHostWorld({ more: 'base: main\n' });
    const good = readFileSync(world.workflowFile, 'utf8');
    writeFileSync(world.workflowFile, good);
    const host = await world.start();
    writeFileSync(world.workflowFile, spoil(good));
    await eventually(
      () => JSON.stringify(host.events.findLast(({ kind }) => kind === 'workflow-broken')),
      (told) => told?.includes(named) === true,
    );
    world.addIssue('a-1', 'Todo');
    await ticks(host, 2);
    expect(world.stateOf('a-1')).toBe('Todo');
    expect(host.events.some(({ kind }) => kind === 'workflow-changed')).toBe(false);
    writeFileSync(world.workflowFile, good);
    await standsIn(world, 'a-1', 'In Review');
  },
);

test('a base that is missing is told when a host starts, and a changed file is taken up once it is there', async () => {
  world = await makeHostWorld({ more: 'base: trunk\n' });
  const host = await world.start();
  expect(JSON.stringify(host.events.filter(({ kind }) => kind === 'warning'))).toContain('no branch trunk');
  world.writeWorkflow({ more: 'base: trunk\nverify: [test -f work.txt]\n' });
  await eventually(
    () => host.events.some(({ kind }) => kind === 'workflow-broken'),
    (is) => is,
  );
  execFileSync('git', ['-C', world.repository, 'branch', 'trunk', 'main']);
  world.addIssue('a-1', 'Todo');
  await standsIn(world, 'a-1', 'In Review');
});

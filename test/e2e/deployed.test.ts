import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { mayChangeUsers } from '../support/free-uid.ts';
import { bundleWithFolders, type DeployedWorld, deployedWorld } from './support/deployed-world.ts';

// The bundled functions of a deployment, each in a process of its own, a container service and the real turn program.
let bundles: string;
let world: DeployedWorld;
beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'evenkeel-bundles-'));
  await bundleWithFolders(bundles);
});
afterAll(() => rm(bundles, { recursive: true, force: true }));
afterEach(() => world.end());

const settled = { answer: { turn: 'settled' } };
const done = { answer: 'done' };
const oneTask = () => expect(world.containers.world.all()).toHaveLength(1);

test('a card goes by a tick, a task, the fetched turn program and the event of its end to the hand-off', async () => {
  world = await deployedWorld(bundles);
  world.addIssue('a', 'Todo');
  expect(await world.tick()).toEqual(done);
  expect(world.stateOf('a')).toBe('In Progress');
  const [stopped] = await world.stoppedEvents();
  expect(world.containers.world.all()[0], world.host.printed()).toMatchObject({ exitCode: 0 });
  expect(await world.invoke('turn-end', stopped!)).toEqual(settled);
  expect(world.stateOf('a')).toBe('In Review');
  expect(world.branches()).toContain('evenkeel/issue/a');
  expect(world.host.printed()).toContain(mayChangeUsers ? 'run as user' : 'runs as the same user');
  // A slot is free, so that an early tick is asked for.
  expect(world.bus.heard).toHaveLength(1);

  // The same event again, and the next tick, find nothing that is still open.
  expect(await world.invoke('turn-end', stopped!)).toEqual({ answer: { turn: 'nothing' } });
  expect(await world.tick()).toEqual(done);
  oneTask();
  expect(world.brokenPromises()).toEqual([]);
});

test('a launch whose answer is lost is repeated under the same turn, and an end whose event is lost is found by a tick', async () => {
  world = await deployedWorld(bundles);
  world.addIssue('a', 'Todo');
  world.containers.trouble('RunTask', 'answer-lost');
  expect(await world.tick()).toEqual(done);
  await world.tick();
  await world.stoppedEvents();
  oneTask();
  expect(await world.tick()).toEqual(done);
  expect(world.stateOf('a')).toBe('In Review');
  oneTask();
  expect(world.brokenPromises()).toEqual([]);
});

test('the key of the model reaches the agent, and nothing else of the deployment', async () => {
  const key = 'k'.repeat(40);
  world = await deployedWorld(bundles, {
    command:
      'cat > /dev/null; env > ROOT/env; echo "my key is $MODEL_KEY"; printf %s "$MODEL_KEY" | sha256sum > digest.txt',
  });
  world.secret.agentEnvironment = { MODEL_KEY: key, EVENKEEL_TICKET: 'mine' };
  world.addIssue('a', 'Todo');
  await world.tick();
  const [stopped] = await world.stoppedEvents();
  await world.invoke('turn-end', stopped!);

  expect(world.stateOf('a')).toBe('In Review');
  const given = readFileSync(join(world.root, 'env'), 'utf8');
  expect(given).toContain(`MODEL_KEY=${key}`);
  expect(given).not.toContain('EVENKEEL_TICKET');
  const launched = JSON.stringify(world.containers.world.all());
  expect(launched).not.toContain(key);
  expect(world.host.printed()).not.toContain(key);
  expect(world.host.printed()).toContain('[withheld: it looks like a key that the agent was given]');
  expect(world.brokenPromises()).toEqual([]);
});

test('a card that is closed while its turn runs gets its container stopped, and stays closed', async () => {
  world = await deployedWorld(bundles, { command: 'cat > /dev/null; touch ROOT/began; exec sleep 600' });
  world.addIssue('a', 'Todo');
  await world.tick();
  await eventually(
    () => world.has('began'),
    (began) => began,
    60_000,
  );
  world.move('a', 'Done');
  await world.tick();
  const [stopped] = await world.stoppedEvents();
  expect(stopped).toMatchObject({ detail: { stopCode: 'UserInitiated' } });
  expect(await world.invoke('turn-end', stopped!)).toEqual(settled);
  expect(world.stateOf('a')).toBe('Done');
  const leases = await world.ledger.leases('gen');
  expect(leases).toMatchObject([{ phase: 'idle' }]);
  expect(world.brokenPromises()).toEqual([]);
});

test('a container does not run a turn program that is not the one of its task definition, and the next launch waits', async () => {
  world = await deployedWorld(bundles);
  world.definition.EVENKEEL_TURN_PROGRAM_SHA256 = '0'.repeat(64);
  world.addIssue('a', 'Todo');
  await world.tick();
  const [stopped] = await world.stoppedEvents();
  expect(world.containers.world.all()[0]).toMatchObject({ exitCode: 70 });
  expect(world.host.printed()).toContain('not the one that this task definition names');
  expect(await world.invoke('turn-end', stopped!)).toEqual(settled);
  expect(await world.tick()).toEqual(done);
  oneTask();
  expect(world.branches()).not.toContain('evenkeel/issue/a');
  expect(world.brokenPromises()).toEqual([]);
});

test('commits that may not be pushed are in the bucket when their container is gone, and the card says where', async () => {
  const command =
    'cat > /dev/null; mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; git add -A; git commit -qm one';
  world = await deployedWorld(bundles, { command });
  world.addIssue('a', 'Todo');
  await world.tick();
  const [stopped] = await world.stoppedEvents();
  expect(await world.invoke('turn-end', stopped!), world.host.printed()).toEqual(settled);

  const [[key, bundle], ...more] = [...world.kept.objects] as [[string, Buffer]];
  expect(more).toEqual([]);
  const status = readFileSync(join(world.root, 'board', 'a.status.md'), 'utf8');
  expect(status).toContain(`| Kept work | in the bundle \`s3://kept/${key}\` |`);
  expect(status).not.toContain('kept nowhere');
  const file = join(world.root, 'fetched.bundle');
  writeFileSync(file, bundle);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', world.repository, ...args], { encoding: 'utf8' });
  git('fetch', '--quiet', file, 'refs/evenkeel/work:refs/heads/fetched');
  expect(git('log', '--format=%s', 'main..fetched')).toBe('one\n');
  expect(world.brokenPromises()).toEqual([]);
});

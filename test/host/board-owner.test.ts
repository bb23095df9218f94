import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ownerFileName } from '../../lib/host/board-owner.ts';
import { connectOperations } from '../../lib/host/connect-operations.ts';
import { eventually } from '../support/eventually.ts';
import { appears, type HostWorld, makeHostWorld, standsIn } from '../support/host-world.ts';
import { evenkeel } from '../support/run-cli.ts';

let world: HostWorld;
afterEach(() => world.end());

const waitingAgent =
  'cat > /dev/null; echo done > work.txt; touch ROOT/begun; until test -e ROOT/go; do sleep 0.1; done';
const markOf = () => join(world.board, ownerFileName);
const readMark = () => JSON.parse(readFileSync(markOf(), 'utf8'));
const otherData = () => join(world.root, 'other-data');

test('a second data folder cannot serve a board that a living host serves, and is told by which', async () => {
  world = await makeHostWorld();
  const host = await world.start();
  await expect(world.start({ dataDir: otherData() })).rejects.toThrow(
    `is served by another data folder, ${world.dataDir} `,
  );
  expect(existsSync(otherData())).toBe(false);
  await host.stop();
  expect(existsSync(markOf())).toBe(false);
  const second = await world.start({ dataDir: otherData() });
  expect(readMark()).toMatchObject({ dataDir: otherData(), pid: process.pid });
  await second.stop();
});

test('a tick without a host is refused in the same way, and a plan is not', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Backlog');
  await world.start();
  const { operations, close } = await connectOperations({
    dataDir: otherData(),
    workflowFiles: [world.workflowFile],
  });
  expect(await operations.plan()).toMatchObject({ boards: [{ board: 'board' }] });
  await expect(operations.tick()).rejects.toThrow(world.dataDir);
  await close();
  expect(readMark()).toMatchObject({ dataDir: world.dataDir });
});

test('the mark of a killed host is taken over, by its own data folder and by another one', async () => {
  world = await makeHostWorld();
  const first = world.spawn();
  await eventually(() => existsSync(markOf()), Boolean);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(readMark()).toMatchObject({ pid: first.child.pid });
  const host = await world.start({ dataDir: otherData() });
  expect(readMark()).toMatchObject({ dataDir: otherData(), pid: process.pid });
  await host.stop();
});

test('turns that outlive their host keep the board for its data folder, and say how to go on', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGKILL');
  await first.ended;
  const refused = world.start({ dataDir: otherData() });
  await expect(refused).rejects.toThrow(`Start its host again with --data ${world.dataDir}`);
  await expect(refused).rejects.toThrow(/a turn of it still runs \(pid \d+\)/);
  expect(existsSync(otherData())).toBe(false);
  expect(readMark()).toMatchObject({ pid: first.child.pid });

  const again = await world.start();
  world.put('go');
  await standsIn(world, 'a-1', 'In Review');
  await again.stop();
  expect(existsSync(markOf())).toBe(false);
  await (await world.start({ dataDir: otherData() })).stop();
  expect(world.trace().filter(({ fact }) => fact === 'claimed')).toHaveLength(1);
});

test('a mark stays where a host ends before its turns', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  rmSync(join(world.dataDir, 'state'), { recursive: true });
  expect((await first.ended).code).toBe(1);
  expect(readMark()).toMatchObject({ dataDir: world.dataDir });
  await expect(world.start({ dataDir: otherData() })).rejects.toThrow('still runs');
});

test('a board that another data folder has taken starts nothing any more, and says so', async () => {
  world = await makeHostWorld({ command: waitingAgent });
  world.addIssue('a-1', 'Todo');
  const host = await world.start();
  await appears(world, 'begun');
  writeFileSync(markOf(), JSON.stringify({ ...readMark(), deployment: 'other', dataDir: otherData() }));
  await eventually(
    () => JSON.stringify(host.events.findLast(({ kind }) => kind === 'board-withheld')),
    (told) => told?.includes(otherData()) === true && told.includes(`kill ${process.pid}`),
  );
  world.addIssue('a-2', 'Todo');
  world.put('go');
  await standsIn(world, 'a-1', 'In Review');
  const { operations } = await world.connect();
  const status = await operations.status();
  expect(status.waiting).toMatchObject([{ key: 'a-2', reason: 'contract-invalid' }]);
  expect(status.waiting[0]?.toResume).toContain(`stop its host first (kill ${process.pid})`);
  expect(status.problems).toMatchObject([{ rule: 'board-owner' }]);
  rmSync(markOf());
  await standsIn(world, 'a-2', 'In Review');
  expect(readMark()).toMatchObject({ dataDir: world.dataDir });
});

test('a board is served again once nothing of the data folder that took it is alive', async () => {
  world = await makeHostWorld();
  await world.start();
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const mark = { ...readMark(), deployment: 'other', dataDir: otherData(), pid: dead, start: '0' };
  writeFileSync(markOf(), JSON.stringify(mark));
  world.addIssue('a-1', 'Todo');
  await standsIn(world, 'a-1', 'In Review');
  expect(readMark()).toMatchObject({ dataDir: world.dataDir });
});

test('a mark that cannot be written is refused with the folder named', async () => {
  world = await makeHostWorld();
  mkdirSync(markOf());
  await expect(world.start()).rejects.toThrow(world.board);
  rmSync(markOf(), { recursive: true });
});

/** Root may write everywhere, so that the host has to be somebody else's. */
const nobody = { uid: 65_534, gid: 65_534 };
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['--check', evenkeel], { ...nobody, stdio: 'ignore' }).status === 0;

test.skipIf(!canBeNobody)(
  'a board that cannot be written starts nothing and parks nothing until it can (needs root, to give it up)',
  async () => {
    world = await makeHostWorld();
    execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, world.root]);
    const { child, ended, stderr } = world.spawn(['--log-format', 'json'], nobody);
    // The mark is written twice, and what is read-only before then is refused at the start.
    await eventually(
      () => existsSync(world.dataDir) && world.trace().some(({ fact }) => fact === 'tick-ended'),
      Boolean,
      40_000,
    );
    chmodSync(world.board, 0o555);
    await eventually(() => stderr().includes('board-withheld'), Boolean, 40_000);
    world.addIssue('a-1', 'Todo');
    execFileSync('chown', [`${nobody.uid}:${nobody.gid}`, join(world.board, 'a-1.md')]);
    const told = stderr().split('board-withheld').length;
    await eventually(
      () => stderr().split('board-withheld').length,
      (now) => now > told + 2,
    );
    expect(world.trace().filter(({ fact }) => fact === 'claimed')).toEqual([]);
    chmodSync(world.board, 0o755);
    await standsIn(world, 'a-1', 'In Review');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  },
);

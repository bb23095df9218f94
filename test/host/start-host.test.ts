import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkTrace } from '../../lib/core/trace-check.ts';
import { eventually } from '../support/eventually.ts';
import { appears, type HostWorld, makeHostWorld, standsIn } from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

test('an issue goes from its file to a pushed branch and the hand-off column', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  const host = await world.start({ untilIdle: true });
  expect(await host.ended).toEqual({ kind: 'idle', trouble: [] });
  expect(world.stateOf('a-1')).toBe('In Review');
  expect(world.branches()).toContain('evenkeel/issue/a-1');
  expect(readFileSync(join(world.board, 'a-1.status.md'), 'utf8')).toContain('handed over to a person');
  expect(checkTrace(world.trace())).toMatchObject({ violations: [], live: [], openWrites: [] });
  expect(host.events.filter(({ kind }) => kind === 'fact')).toHaveLength(world.trace().length);
});

test('a status comment that cannot be written is told with its cause and its place, and holds nothing up', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  const inTheWay = join(world.board, 'a-1.status.md');
  mkdirSync(inTheWay);
  const host = await world.start({ untilIdle: true });
  await host.ended;
  expect(world.stateOf('a-1')).toBe('In Review');
  expect(world.trace().filter(({ reason }) => reason === 'comment-failed')).toMatchObject([
    { fact: 'refused', key: 'a-1', problem: `${inTheWay}: EISDIR; move the folder of that name away` },
  ]);
});

test('a new issue is picked up, and a done one is left alone', async () => {
  world = await makeHostWorld();
  const host = await world.start();
  world.addIssue('a-1', 'Done');
  world.addIssue('a-2', 'Todo');
  await standsIn(world, 'a-2', 'In Review');
  await host.stop();
  expect(world.stateOf('a-1')).toBe('Done');
  expect(world.branches()).toEqual(['evenkeel/issue/a-2', 'main']);
});

test('host.json can be read by its owner only and is gone after the end', async () => {
  world = await makeHostWorld();
  const host = await world.start();
  const file = join(world.dataDir, 'host.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(world.dataDir, 'deployment.json')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: host.url, pid: process.pid });
  await host.stop();
  expect(existsSync(file)).toBe(false);
});

test('a second host on the same data folder is refused, and the first one goes on', async () => {
  world = await makeHostWorld();
  await world.start();
  await expect(world.start()).rejects.toThrow(`in use by another running process (pid ${process.pid})`);
  world.addIssue('a-1', 'Todo');
  await standsIn(world, 'a-1', 'In Review');
});

test('a broken workflow file stops the start, tells every problem and makes nothing', async () => {
  world = await makeHostWorld();
  writeFileSync(
    world.workflowFile,
    '---\ntracker: { kind: local, project: nowhere, active_state: [Todo] }\nagent: { kind: command, max_turns: 0 }\n---\n',
  );
  const start = world.start();
  await expect(start).rejects.toThrow('did you mean active_states?');
  await expect(start).rejects.toThrow('agent.max_turns must be');
  await expect(start).rejects.toThrow('has no prompt');
  expect(existsSync(world.dataDir)).toBe(false);
});

test('a taken port is named, and the data folder is free again', async () => {
  world = await makeHostWorld();
  const first = await world.start();
  const port = Number(new URL(first.url).port);
  const board = join(world.root, 'other-board');
  mkdirSync(board);
  writeFileSync(join(board, 'board.yaml'), readFileSync(join(world.board, 'board.yaml')));
  const workflow = join(world.root, 'OTHER.md');
  const text = readFileSync(world.workflowFile, 'utf8');
  writeFileSync(workflow, text.replace('project: board', 'project: other-board'));
  const other = { dataDir: join(world.root, 'other'), workflows: [workflow] };
  await expect(world.start({ ...other, port })).rejects.toThrow(`Port ${port}`);
  const second = await world.start(other);
  expect(second.url).not.toBe(first.url);
});

test('who listens and throws does not disturb the host', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  await world.start({
    onEvent: () => {
      throw new Error('the terminal is gone');
    },
  });
  await eventually(
    () => world.stateOf('a-1'),
    (state) => state === 'In Review',
  );
});

test('turns of a board that is not served any more are named', async () => {
  world = await makeHostWorld({ command: 'cat > /dev/null; touch ROOT/begun; sleep 60' });
  world.addIssue('a-1', 'Todo');
  const first = world.spawn();
  await appears(world, 'begun');
  first.child.kill('SIGKILL');
  await first.ended;
  renameSync(world.board, join(world.root, 'cards'));
  writeFileSync(
    world.workflowFile,
    readFileSync(world.workflowFile, 'utf8').replace('project: board', 'project: cards'),
  );
  const host = await world.start({ maxConcurrentAgents: 0 });
  await eventually(
    () => JSON.stringify(host.events.filter(({ kind }) => kind === 'warning')),
    (told) => told.includes('not served now (board)'),
  );
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type HostWorld, makeHostWorld } from '../support/host-world.ts';
import { runCli } from '../support/run-cli.ts';

let world: HostWorld;
afterEach(() => world.end());

test('a key that two boards have is explained for the one that is named, and the other one is told', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Backlog');
  const second = join(world.root, 'second');
  mkdirSync(second);
  writeFileSync(join(second, 'board.yaml'), readFileSync(join(world.board, 'board.yaml')));
  writeFileSync(join(second, 'a-1.md'), '---\ntitle: The other one\nstate: Done\n---\nPlease.\n');
  const file = join(world.root, 'SECOND.md');
  writeFileSync(file, readFileSync(world.workflowFile, 'utf8').replace('project: board', 'project: second'));
  const ask = (...more: readonly string[]) =>
    runCli(['explain', 'a-1', '--json', '--workflow', world.workflowFile, '--workflow', file, ...more], {
      cwd: world.root,
    });

  const first = await ask();
  expect(JSON.parse(first.stdout)).toMatchObject({ board: 'board', state: 'Backlog' });
  expect(JSON.parse(first.stdout)).not.toHaveProperty('alsoOn');
  expect(first.stderr).toContain('a-1 is also on second; this is the one on board.');
  const named = await ask('--board', 'second');
  expect(named.stderr).toBe('');
  expect(JSON.parse(named.stdout)).toMatchObject({ board: 'second', state: 'Done', title: 'The other one' });
  expect((await ask('--board', 'third')).code).toBe(1);
});

test('of a key that no board has, the one is named that differs in its case alone, in whatever column', async () => {
  world = await makeHostWorld();
  world.addIssue('A-1', 'Todo');
  world.addIssue('A-2', 'Backlog');
  world.addIssue('b-3', 'Todo');
  const explain = (...args: readonly string[]) =>
    runCli(['explain', '--workflow', world.workflowFile, ...args], { cwd: world.root });
  for (const [asked, meant] of [
    ['a-1', 'A-1'],
    ['a-2', 'A-2'],
    ['B-3', 'b-3'],
  ] as const)
    expect(await explain(asked)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`No board has an issue called ${asked}. Did you mean ${meant}?`),
    });
  expect((await explain('A-11')).stderr).toContain(
    `called A-11 in an active state, or one that had a turn here; for any other nothing is due. \`evenkeel plan --workflow ${world.workflowFile}\` lists`,
  );
  expect((await explain('a-1', '--board', 'other')).stderr).not.toContain('mean');
});

test('logs of an issue without a turn name the command that says why it has none, for this issue', async () => {
  world = await makeHostWorld();
  const { code, stderr } = await runCli(['logs', 'A-99', '--workflow', world.workflowFile], {
    cwd: world.root,
  });
  expect(code).toBe(1);
  expect(stderr).toContain(
    `No turn of A-99 is known. \`evenkeel explain A-99 --workflow ${world.workflowFile}\` says why it has none.`,
  );
});

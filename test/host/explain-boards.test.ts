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

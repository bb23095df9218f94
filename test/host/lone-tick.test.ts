import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ownerFileName } from '../../lib/host/board-owner.ts';
import { type HostWorld, makeHostWorld } from '../support/host-world.ts';
import { runCli } from '../support/run-cli.ts';

let world: HostWorld;
afterEach(() => world.end());

test('a tick where there is no board fails with what to do, and makes nothing', async () => {
  world = await makeHostWorld();
  rmSync(world.workflowFile);
  const before = readdirSync(world.root);
  const { code, stdout, stderr } = await runCli(['tick'], { cwd: world.root });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^evenkeel: There is no board here: .*--workflow path\/WORKFLOW\.md/);
  expect(readdirSync(world.root)).toEqual(before);
});

test('a tick without a host says that what it started waits for one, and keeps the board for that turn', async () => {
  world = await makeHostWorld();
  world.addIssue('a-1', 'Todo');
  const tick = () => runCli(['tick', '--data', world.dataDir], { cwd: world.root });
  const first = await tick();
  expect(first.code).toBe(0);
  expect(first.stderr).toContain('The started turn waits up to 2 minutes for a host');
  // Another data folder would start the issue a second time; the same one goes on.
  expect(existsSync(join(world.board, ownerFileName))).toBe(true);
  expect((await tick()).stderr).toBe('');
});

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { turnFolderNames } from '../../lib/core/turn-protocol.ts';
import { isRunning, makeTurnWorld, type TurnWorld, until } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const wip = 'evenkeel/wip/web-1';
const begun = 'echo one > one && git add one && git commit -q -m one && echo two > two';

/** The turn program and everything that it started ends at once, and no result is left. */
async function killTurn(): Promise<void> {
  const running = world.start();
  await until('the agent has worked', () => world.api.heard.heartbeat.some(({ progress }) => progress > 0));
  running.signal('SIGKILL');
  await running.ended;
  const left = world.alive();
  for (const pid of left) process.kill(pid, 'SIGKILL');
  await until('nothing of it runs', () => !left.some(isRunning));
}

/** The next turn of the issue, in a folder beside the first. */
function runNext(attempt: number, command: string) {
  const dir = join(world.dir, '..', `turn-${attempt}`);
  mkdirSync(dir);
  const turnId = `${attempt}-abcdefghijklmnopqrstuvwxyz`;
  Object.assign(world.instructions, { attempt, turnId });
  Object.assign(world.instructions.agent, { command });
  return world.run({ env: { EVENKEEL_TURN_DIR: dir, EVENKEEL_TURN_ID: turnId } });
}

test('what a killed turn left in its workspace is work in progress for the next turn, once', async () => {
  world = await makeTurnWorld({ command: `${begun}; echo ready; sleep 60` });
  await killTurn();
  const next = await runNext(2, `git show origin/${wip}:one origin/${wip}:two > "$TMPDIR/found" && true`);
  expect(next.result).toMatchObject({
    status: 'completed',
    git: { commits: 0 },
    notes: [`The work of attempt 1, which was killed, is kept in ${wip}.`],
  });
  expect(world.host.read(wip, 'one')).toBe('one');
  expect(world.host.read(wip, 'two')).toBe('two');
  expect((await runNext(3, 'true')).result?.notes).toBeUndefined();
  expect(existsSync(join(world.dir, turnFolderNames.rescued))).toBe(true);
});

test('what a killed turn left is screened before it goes anywhere', async () => {
  world = await makeTurnWorld({
    command: 'mkdir -p .github/workflows && echo x > .github/workflows/ci.yml; echo ready; sleep 60',
  });
  await killTurn();
  const { result } = await runNext(2, 'true');
  expect(result).toMatchObject({ status: 'completed', git: { commits: 0 } });
  expect(result?.notes?.join()).toContain('work.bundle');
  expect(world.host.branch(wip)).toBeUndefined();
});

test.each([
  ['all of it', 'truncate -s 60M large.bin', 'is still in'],
  ['a part of it', `${begun}; truncate -s 60M large.bin`, `is kept in ${wip}; some of it is still in`],
])(
  'a workspace that a killed turn left with %s too large to be taken over is not done with',
  async (_what, command, says) => {
    world = await makeTurnWorld({ command: `${command}; echo ready; sleep 60` });
    await killTurn();
    const { result } = await runNext(2, 'true');
    const workspace = join(world.dir, turnFolderNames.workspace);
    expect(result?.notes).toEqual([`The work of attempt 1, which was killed, ${says} ${workspace}.`]);
    expect(existsSync(join(world.dir, turnFolderNames.rescued))).toBe(false);
    expect((await runNext(3, 'true')).result?.notes).toBeUndefined();
  },
);

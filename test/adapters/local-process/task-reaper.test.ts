import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processTable } from '../../../lib/adapters/local-process/process-table.ts';
import { sight, type Task } from '../../../lib/adapters/local-process/sight.ts';
import { taskReaper } from '../../../lib/adapters/local-process/task-reaper.ts';
import type { Arn, BoardId, IssueId, TurnId } from '../../../lib/core/issue.ts';
import { eventually } from '../../support/eventually.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reaper-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Which process dies first is a matter of luck, so that one round proves nothing. */
const rounds = 10;

test.each([
  ['is asked to end', 'sleep 40; echo x > "$AFTER"', 2, 5_000],
  ['ignores being asked', 'trap "" TERM; sleep 40; echo x > "$AFTER"', 2, 50],
  [
    'is known by its parent only',
    `env -u EVENKEEL_COOKIE sh -c 'EVENKEEL_COOKIE=$0 sleep 40; echo x > "$AFTER"' "$EVENKEEL_COOKIE"; true`,
    3,
    5_000,
  ],
])(
  'a shell that was left behind and %s does not go on to its next command',
  async (_, line, size, graceMs) => {
    const wentOn: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const after = join(dir, `${round}.after`);
      await leaveAndReap(line, size, after, graceMs);
      if (existsSync(after)) wentOn.push(round);
    }
    expect(wentOn).toEqual([]);
  },
);

async function leaveAndReap(
  line: string,
  size: number,
  after: string,
  leftoverGraceMs: number,
): Promise<void> {
  const table = processTable();
  const task: Task = {
    arn: 'local:none' as Arn,
    cookie: randomBytes(16).toString('hex'),
    turnId: 'one' as TurnId,
    board: 'web' as BoardId,
    issueId: '1' as IssueId,
    attempt: 1,
    capStates: [],
  };
  const observe = async () => sight(await table.read(), table.bootId);
  const env = { PATH: process.env.PATH, EVENKEEL_COOKIE: task.cookie, AFTER: after };
  spawn('sh', ['-c', line], { env, detached: true, stdio: 'ignore' });
  // The sleep has begun when everybody is there.
  await eventually(
    async () => (await observe()).livingOf(task).length,
    (living) => living === size,
  );
  const clock = { now: () => Date.now(), sleep: async () => {} };
  await taskReaper({ clock, observe, stopGraceMs: 1_000, leftoverGraceMs }).reap(task);
  expect((await observe()).livingOf(task)).toEqual([]);
}

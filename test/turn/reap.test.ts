import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processFamily } from '../../lib/turn/process-family.ts';
import { reap } from '../../lib/turn/reap.ts';
import { startProcess } from '../../lib/turn/start-process.ts';
import { eventually } from '../support/eventually.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reap-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Which of the two dies first is a matter of luck, so that one round proves nothing. */
const rounds = 10;

describe('ending what a turn started', () => {
  test.each([
    ['a shell', 'echo x > begun; sleep 40; echo after > after.txt', 5_000],
    ['a shell in a pipe', '(echo x > begun; sleep 40) | cat; echo after > after.txt', 5_000],
    [
      'a shell in a session of its own',
      `setsid sh -c 'echo x > begun; sleep 40; echo after > after.txt'`,
      5_000,
    ],
    [
      'a shell that ignores being asked',
      'trap "" TERM; echo x > begun; sleep 40; echo after > after.txt',
      50,
    ],
  ])('%s does not go on to its next command', async (_, line, graceMs) => {
    const wentOn: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const cwd = join(dir, String(round));
      expect(await startAndReap(cwd, line, graceMs)).toBe(0);
      if (existsSync(join(cwd, 'after.txt'))) wentOn.push(round);
    }
    expect(wentOn).toEqual([]);
  });

  test('a program that tidies up when it is asked has the time to do so', async () => {
    const line = `trap 'echo tidy > tidy.txt; exit' TERM; echo x > begun; while :; do sleep 0.05; done`;
    expect(await startAndReap(join(dir, 'one'), line, 5_000)).toBe(0);
    expect(existsSync(join(dir, 'one', 'tidy.txt'))).toBe(true);
  });
});

async function startAndReap(cwd: string, line: string, graceMs: number): Promise<number> {
  const cookie = randomBytes(16).toString('hex');
  const family = processFamily(cookie);
  const running = await startProcess(
    {
      file: 'sh',
      args: ['-c', `mkdir -p "${cwd}" && cd "${cwd}"; ${line}`],
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', EVENKEEL_COOKIE: cookie },
      log: { path: join(dir, 'log'), capBytes: 1_000 },
    },
    family,
  );
  await eventually(
    async () => existsSync(join(cwd, 'begun')) && (await family.look()).length > 1,
    (works) => works,
  );
  const left = await reap(family, { graceMs, hurry: new AbortController().signal });
  await running.ended;
  await running.drain();
  return left;
}

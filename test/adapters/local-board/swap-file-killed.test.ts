import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printOf } from '../../../lib/adapters/local-board/aside-file.ts';
import { recoverLeftovers } from '../../../lib/adapters/local-board/recover-leftovers.ts';
import { swapFile } from '../../../lib/adapters/local-board/swap-file.ts';
import { runProgram } from './run-program.ts';

const before = Buffer.from('state: Todo\nThe body.\n');
const after = Buffer.from('state: In Progress\nThe body.\n');
const edit = 'state: Todo\nThe body, edited by a person.\n';
const timing = { quietMs: 5, lookAgainMs: 5 };
const moments = ['locked', 'prepared', 'linked', 'checked', 'replaced', 'looked'] as const;
const laterMs = 60_000;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evenkeel-swap-'));
  path = join(folder, 'A-1.md');
  await writeFile(path, before);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = () => readFile(path, 'utf8');
const swap = () => swapFile(path, printOf(before), after, timing);

describe('a process that is killed during a swap', () => {
  test.each(moments)(
    'at "%s" leaves the file whole, and what is beside it is cleared away later',
    async (moment) => {
      expect(await runProgram('swap-and-die', [path, after.toString(), moment])).toMatchObject({
        signal: 'SIGKILL',
      });
      const isReplaced = moment === 'replaced' || moment === 'looked';
      const text = (isReplaced ? after : before).toString();
      expect(await read()).toBe(text);
      await recover(0);
      expect((await readdir(folder)).length).toBeGreaterThan(1);
      await recover(laterMs);
      expect(await readdir(folder)).toEqual(['A-1.md']);
      expect(await read()).toBe(text);
    },
  );

  test.each([
    ['replaced', '1'],
    ['linked', '2'],
    ['checked', '2'],
    ['replaced', '2'],
    ['put-back', '1'],
  ])('at "%s" (%s) loses no edit of the old file', async (moment, nth) => {
    await dieWithEdit(moment, nth);
    await recover(laterMs);
    expect(await read()).toBe(edit);
    expect(await readdir(folder)).toEqual(['A-1.md']);
  });

  test('loses neither an edit of the old file nor a later one of the new', async () => {
    await dieWithEdit('replaced', '1');
    await writeFile(path, 'a later edit');
    await recover(laterMs);
    expect(await read()).toBe('a later edit');
    const rescued = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
    expect(await readFile(join(folder, rescued[0] ?? ''), 'utf8')).toBe(edit);
  });

  test('loses no edit of a file that was deleted later', async () => {
    await dieWithEdit('replaced', '1');
    await rm(path);
    await recover(laterMs);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^A-1\.rescued-/)]);
  });

  test('before it replaced anything has nothing to do with what a person writes then', async () => {
    await runProgram('swap-and-die', [path, after.toString(), 'checked']);
    await writeFile(path, edit);
    await recover(laterMs);
    expect(await read()).toBe(edit);
    expect(await readdir(folder)).toEqual(['A-1.md']);
  });

  test('does not keep others from writing for long', async () => {
    await runProgram('swap-and-die', [path, after.toString(), 'locked']);
    expect(await swap()).toEqual({ kind: 'changed' });
    await recover(laterMs);
    expect(await swap()).toEqual({ kind: 'swapped' });
  });
});

async function dieWithEdit(moment: string, nth: string): Promise<void> {
  const ended = await runProgram('swap-and-die', [path, after.toString(), moment, nth, edit]);
  expect(ended.signal).toBe('SIGKILL');
}

async function recover(afterMs: number): Promise<void> {
  recoverLeftovers(folder, await readdir(folder), Date.now() + afterMs);
}

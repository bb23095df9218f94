import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printOf } from '../../../lib/adapters/local-board/aside-file.ts';
import { recoverLeftovers } from '../../../lib/adapters/local-board/recover-leftovers.ts';
import type { SwapMoment } from '../../../lib/adapters/local-board/replace-file.ts';
import { type Swap, swapFile } from '../../../lib/adapters/local-board/swap-file.ts';
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
const swap = (tell?: (moment: SwapMoment) => void): Promise<Swap> =>
  swapFile(path, printOf(before), after, timing, tell);
/** Acts once, at the first time that this moment comes. */
const at = (moment: SwapMoment, act: () => void) => {
  let left = 1;
  return (now: SwapMoment) => {
    if (now === moment && left-- > 0) act();
  };
};

describe('a swap', () => {
  test('replaces what is as expected, and leaves nothing beside it', async () => {
    expect(await swap()).toEqual({ kind: 'swapped' });
    expect(await read()).toBe(after.toString());
    expect(await readdir(folder)).toEqual(['A-1.md']);
  });

  test('replaces nothing else', async () => {
    await writeFile(path, edit);
    expect(await swap()).toEqual({ kind: 'changed' });
    expect(await read()).toBe(edit);
    expect(await readdir(folder)).toEqual(['A-1.md']);
  });

  test('keeps the permissions', async () => {
    await chmod(path, 0o640);
    await swap();
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
  });

  test('of a file that is not there is a change, and makes none', async () => {
    await rm(path);
    expect(await swap()).toEqual({ kind: 'changed' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('goes on in a folder in which something happens all the time', async () => {
    const busy = setInterval(() => writeFileSync(join(folder, `other-${Math.random()}`), ''), 1);
    try {
      expect(await swap()).toEqual({ kind: 'swapped' });
    } finally {
      clearInterval(busy);
    }
  });

  test('of two at a time is refused to one', async () => {
    const both = await Promise.all([swap(), swap()]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['changed', 'swapped']);
  });
});

const saves: Readonly<Record<string, () => void>> = {
  'rewrites it in place': () => writeFileSync(path, edit),
  'replaces it by a rename': () => {
    writeFileSync(`${path}~`, edit);
    renameSync(`${path}~`, path);
  },
  'deletes and creates it': () => {
    rmSync(path);
    writeFileSync(path, edit);
  },
  'moves it to a backup and creates it': () => {
    renameSync(path, `${path}~`);
    writeFileSync(path, edit);
    rmSync(`${path}~`);
  },
};

describe.each(moments)('a person who saves at the moment "%s"', (moment) => {
  test.each(Object.keys(saves))('and %s loses nothing', async (how) => {
    const { kind } = await swap(at(moment, () => saves[how]?.()));
    expect(await read()).toBe(edit);
    expect(await readdir(folder)).toEqual(['A-1.md']);
    if (moment !== 'replaced' && moment !== 'looked') expect(kind).toBe('changed');
  });
});

describe.each(['locked', 'prepared', 'linked', 'checked'] as const)(
  'a file that is deleted at the moment "%s"',
  (moment) => {
    test('stays deleted', async () => {
      expect(await swap(at(moment, () => rmSync(path)))).toEqual({ kind: 'changed' });
      expect(await readdir(folder)).toEqual([]);
    });
  },
);

describe.each(['prepared', 'linked', 'checked'] as const)(
  'an editor that opened the file at "%s"',
  (opened) => {
    test.each(['replaced', 'looked'] as const)(
      'and writes into it at "%s" loses nothing',
      async (written) => {
        let file = -1;
        const result = await swap((moment) => {
          if (moment === opened) file = openSync(path, 'r+');
          if (moment !== written || file < 0) return;
          ftruncateSync(file);
          writeSync(file, edit, 0);
          closeSync(file);
          file = -1;
        });
        expect(result).toEqual({ kind: 'changed' });
        expect(await read()).toBe(edit);
        expect(await readdir(folder)).toEqual(['A-1.md']);
      },
    );

    test('and has only emptied it when it is looked at, has its file back for the rest', async () => {
      let file = -1;
      const result = await swap((moment) => {
        if (moment === opened && file < 0) file = openSync(path, 'r+');
        if (moment === 'replaced') ftruncateSync(file);
      });
      writeSync(file, edit, 0);
      closeSync(file);
      expect(result).toEqual({ kind: 'changed' });
      expect(await read()).toBe(edit);
    });
  },
);

test('of two edits, one into the old file and one into the new, both are kept', async () => {
  const file = openSync(path, 'r+');
  const result = await swap(
    at('looked', () => {
      writeSync(file, 'an edit of the old file', 0);
      closeSync(file);
      writeFileSync(path, 'an edit of the new file');
    }),
  );
  expect(result).toEqual({ kind: 'changed' });
  expect(await read()).toBe('an edit of the new file');
  const others = (await readdir(folder)).filter((name) => name !== 'A-1.md');
  expect(others).toEqual([expect.stringMatching(/^A-1\.rescued-\w+\.txt$/)]);
  expect(await readFile(join(folder, others[0] ?? ''), 'utf8')).toContain('an edit of the old file');
});

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

import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printOf } from '../../../lib/adapters/local-board/aside-file.ts';
import type { SwapMoment } from '../../../lib/adapters/local-board/replace-file.ts';
import { type Swap, swapFile } from '../../../lib/adapters/local-board/swap-file.ts';

const before = Buffer.from('state: Todo\nThe body.\n');
const after = Buffer.from('state: In Progress\nThe body.\n');
const edit = 'state: Todo\nThe body, edited by a person.\n';
const timing = { quietMs: 5, lookAgainMs: 5 };
const moments = ['locked', 'prepared', 'linked', 'checked', 'replaced', 'looked'] as const;

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
        let file = 0;
        const open = at(opened, () => {
          file = openSync(path, 'r+');
        });
        const write = at(written, () => {
          ftruncateSync(file);
          writeSync(file, edit, 0);
          closeSync(file);
        });
        const result = await swap((moment) => {
          open(moment);
          write(moment);
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

test('an edit of the new file while one of the old is put back is kept beside it', async () => {
  const old = openSync(path, 'r+');
  let fresh = -1;
  const result = await swap((moment) => {
    if (moment !== 'replaced') return;
    if (fresh < 0) {
      ftruncateSync(old);
      writeSync(old, edit, 0);
      closeSync(old);
      fresh = openSync(path, 'r+');
    } else {
      writeSync(fresh, 'an edit of the new file', 0);
      closeSync(fresh);
    }
  });
  expect(result).toEqual({ kind: 'changed' });
  expect(await read()).toBe(edit);
  const others = (await readdir(folder)).filter((name) => name !== 'A-1.md');
  expect(others).toEqual([expect.stringMatching(/^A-1\.rescued-/)]);
  expect(await readFile(join(folder, others[0] ?? ''), 'utf8')).toContain('an edit of the new file');
});

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localBoard } from '../../../lib/adapters/local-board/local-board.ts';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { readFresh } from '../../contracts/tracker-world.ts';
import { issueText, type LocalBoardWorld, makeLocalBoard } from './local-board-world.ts';

let world: LocalBoardWorld;
beforeEach(async () => {
  world = await makeLocalBoard();
});
afterEach(() => world.dispose());

const read = (id: string) => world.tracker.read(id as IssueId);
const readFound = (id: string) => readFresh(world, id as IssueId);
const listAll = () => world.listKeys();

describe('the files of a local board', () => {
  test('are issues where they are called KEY.md, and nothing else is', async () => {
    const others = [
      'A-1.status.md',
      'README.md',
      '.hidden.md',
      '.A-1.md.swp',
      'A-1.md~',
      '#A-1.md#',
      '.#A-1.md',
      '~A-1.md',
      'A-1.md.orig',
      'notes.txt',
      'A-1.rescued-0123.txt',
      '.A-1.md.evenkeel-new.0123',
    ];
    for (const name of [...others, 'A-1.md', 'Überarbeiten – jetzt.md', 'v1.2.md'])
      await world.put(name, issueText('T'));
    await mkdir(join(world.folder, 'archive'));
    await writeFile(join(world.folder, 'archive', 'A-9.md'), issueText('T'));
    expect(await listAll()).toEqual({ keys: ['A-1', 'v1.2', 'Überarbeiten – jetzt'], broken: [] });
  });

  test('that cannot be issues although they are called so are reported, and the others are listed', async () => {
    await world.put('A-1.md', issueText('T'));
    await world.put('empty.md', '');
    await world.put('huge.md', issueText('T'));
    await truncate(join(world.folder, 'huge.md'), 2 * 1024 * 1024);
    await mkdir(join(world.folder, 'folder.md'));
    execFileSync('mkfifo', [join(world.folder, 'pipe.md')]);
    expect(await listAll()).toEqual({ keys: ['A-1'], broken: ['empty', 'folder', 'huge', 'pipe'] });
    for (const id of ['empty', 'folder', 'huge', 'pipe']) expect((await read(id)).kind).toBe('unknown');
  });

  test('may be links inside the folder, and are refused where they leave it', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'evenkeel-outside-'));
    try {
      await writeFile(join(outside, 'secret.md'), issueText('A secret'));
      await mkdir(join(world.folder, 'kept'));
      await writeFile(join(world.folder, 'kept', 'real.md'), issueText('T'));
      await symlink('kept/real.md', join(world.folder, 'inside.md'));
      await symlink(join(outside, 'secret.md'), join(world.folder, 'outside.md'));
      await symlink('nowhere.md', join(world.folder, 'dangling.md'));
      expect(await listAll()).toEqual({ keys: ['inside'], broken: ['dangling', 'outside'] });
      expect(JSON.stringify(await read('outside'))).not.toContain('secret');
      await world.tracker.transition(await readFound('inside'), 'Done' as StateName);
      expect(await world.text('kept/real.md')).toBe(issueText('T').replace('Todo', 'Done'));
      expect((await readFound('inside')).state).toBe('Done');
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  test('are one issue each: a link to another one is broken and names it, and that one is as it was', async () => {
    await world.put('a.md', issueText('T'));
    await symlink('a.md', join(world.folder, 'X.md'));
    await symlink('X.md', join(world.folder, 'Y.md'));
    expect(await listAll()).toEqual({ keys: ['a'], broken: ['X', 'Y'] });
    for (const key of ['X', 'Y'])
      expect(await read(key)).toMatchObject({
        kind: 'unknown',
        problem: expect.stringMatching(new RegExp(`^${key}\\.md: it is the same file as a\\.md; `)),
      });
    await world.tracker.transition(await readFound('a'), 'Done' as StateName);
    expect((await readFound('a')).state).toBe('Done');
  });

  test('are one issue each: two links to one file are both broken, and name each other', async () => {
    await mkdir(join(world.folder, 'kept'));
    await writeFile(join(world.folder, 'kept', 'real.md'), issueText('T'));
    await symlink('kept/real.md', join(world.folder, 'one.md'));
    await symlink('kept/real.md', join(world.folder, 'other.md'));
    const { issues, broken } = await world.tracker.list(['Todo' as StateName]);
    expect(issues).toEqual([]);
    expect(broken).toMatchObject([
      { key: 'one', problem: expect.stringContaining('one.md: it is the same file as other.md') },
      { key: 'other', problem: expect.stringContaining('other.md: it is the same file as one.md') },
    ]);
    await rm(join(world.folder, 'other.md'));
    expect(await listAll()).toEqual({ keys: ['one'], broken: [] });
  });

  test.each(['../A-1', 'sub/A-1', '', '.', '..', 'A\0', 'A-1.status', 'README'])(
    'are never looked for under the key %j',
    async (key) => {
      await writeFile(join(world.folder, '..', 'A-1.md'), issueText('T')).catch(() => undefined);
      await world.put('B-1.md', issueText('T', `blocked_by: ["${key.replace('\0', '')}/../../A-1"]\n`));
      expect((await read(key)).kind).toBe('unknown');
      expect((await readFound('B-1')).blockers.map(({ open }) => open)).toEqual(['unknown']);
      await rm(join(world.folder, '..', 'A-1.md'), { force: true });
    },
  );
});

describe('absence', () => {
  test('of the whole folder is not absence of its issues', async () => {
    await world.put('A-1.md', issueText('T'));
    await rename(world.folder, `${world.folder}-away`);
    await writeFile(world.folder, 'a file where the folder was');
    expect((await read('A-1')).kind).toBe('unknown');
    await expect(listAll()).rejects.toThrow();
  });

  test('of everything, as where a folder is not mounted, is not absence of its issues', async () => {
    await rm(join(world.folder, 'board.yaml'));
    expect(await read('A-1')).toEqual({ kind: 'unknown', problem: expect.stringContaining('board.yaml') });
    await expect(listAll()).rejects.toThrow('board.yaml');
  });

  test('for the moment in which an editor deletes and creates the file is not believed', async () => {
    await world.put('A-1.md', issueText('T'));
    await listAll();
    const path = join(world.folder, 'A-1.md');
    await rename(path, `${path}~`);
    const reading = read('A-1');
    const listing = listAll();
    await sleep(20);
    await world.put('.A-1.new', issueText('U'));
    await rename(join(world.folder, '.A-1.new'), path);
    expect(await reading).toMatchObject({ kind: 'found', issue: { title: 'U' } });
    expect((await listing).keys).toEqual(['A-1']);
  });

  test('of an issue that was listed before is absence in the end', async () => {
    await world.put('A-1.md', issueText('T'));
    await listAll();
    await rm(join(world.folder, 'A-1.md'));
    expect(await listAll()).toEqual({ keys: [], broken: [] });
    expect(await read('A-1')).toEqual({ kind: 'gone' });
  });

  test('that was once believed is not looked into again and again', async () => {
    await world.put('A-1.md', issueText('T'));
    await listAll();
    await rm(join(world.folder, 'A-1.md'));
    const durations: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      const start = performance.now();
      await listAll();
      durations.push(performance.now() - start);
    }
    expect(Math.max(...durations)).toBeGreaterThan(100);
    expect(Math.min(...durations)).toBeLessThan(100);
  });

  test('in the middle of a save is a broken file', async () => {
    const whole = issueText('T', 'labels: [agent]\n');
    for (const length of [0, 1, 4, 10, 20, 30]) {
      await world.put('A-1.md', whole.slice(0, length));
      expect((await read('A-1')).kind).toBe('unknown');
      expect(await listAll()).toEqual({ keys: [], broken: ['A-1'] });
    }
  });
});

test('what a killed process left behind is no issue, and is cleared away at a later reading', async () => {
  let now = Date.now();
  const tracker = localBoard({ folder: world.folder, terminalStates: [], now: () => now });
  await world.put('A-1.md', issueText('T'));
  const left = [
    '.A-1.md.evenkeel-lock',
    '.A-1.md.evenkeel-new.0123456789ab',
    '.A-1.status.md.evenkeel-new.0123456789ab',
  ];
  for (const name of left) await world.put(name, 'half writ');
  expect((await tracker.list(['Todo' as StateName])).issues).toHaveLength(1);
  expect(await world.names()).toEqual([...left, 'A-1.md', 'board.yaml'].sort());
  now += 60_000;
  await tracker.list(['Todo' as StateName]);
  expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
});

test('a thousand issues are listed in less than a second, and in a fraction of it when little has changed', async () => {
  for (let n = 0; n < 1000; n += 1)
    await world.put(`A-${n}.md`, issueText(`Issue ${n}`, 'labels: [agent]\npriority: 2\n'));
  const measure = async () => {
    const start = performance.now();
    expect((await listAll()).keys).toHaveLength(1000);
    return performance.now() - start;
  };
  const first = await measure();
  await world.put('A-7.md', issueText('Another title'));
  const second = await measure();
  expect((await readFound('A-7')).title).toBe('Another title');
  expect(first).toBeLessThan(3000);
  expect(second).toBeLessThan(1000);
});

import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localBoard } from '../../../lib/adapters/local-board/local-board.ts';
import type { FreshIssue } from '../../../lib/controller/ports.ts';
import type { Issue, IssueId, Reading, StateName } from '../../../lib/core/issue.ts';
import { boardStates } from '../../contracts/describe-tracker.ts';
import { type LocalBoardWorld, makeLocalBoard } from './local-board-world.ts';

const issueText = (title: string, more = '') => `---\ntitle: ${title}\nstate: Todo\n${more}---\nBody\n`;
const everything = boardStates as StateName[];

let world: LocalBoardWorld;
beforeEach(async () => {
  world = await makeLocalBoard();
});
afterEach(() => world.dispose());

const read = (id: string): Promise<Reading<FreshIssue>> => world.tracker.read(id as IssueId);
const readFound = async (id: string): Promise<FreshIssue> => {
  const reading = await read(id);
  if (reading.kind !== 'found') throw new Error(`${id} was read as ${JSON.stringify(reading)}`);
  return reading.issue;
};
const listAll = async () => {
  const { issues, broken } = await world.tracker.list(everything);
  return {
    keys: issues.map(({ key }) => key as string).sort(),
    broken: broken.map(({ key }) => key as string).sort(),
  };
};

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
    await world.put('A-1.md', issueText('U'));
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

  test('in the middle of a save is a broken file', async () => {
    const whole = issueText('T', 'labels: [agent]\n');
    for (const length of [0, 1, 4, 10, 20, 30]) {
      await world.put('A-1.md', whole.slice(0, length));
      expect((await read('A-1')).kind).toBe('unknown');
      expect(await listAll()).toEqual({ keys: [], broken: ['A-1'] });
    }
  });
});

describe('blockers', () => {
  test('are open until they stand in a final state, and unknown where they cannot be read', async () => {
    await world.put('todo.md', issueText('T'));
    await world.put('stateless.md', '---\ntitle: T\n---\n');
    await world.put('done.md', issueText('T').replace('Todo', 'DONE'));
    await world.put('broken.md', 'nothing');
    await world.put('A-1.md', issueText('T', 'blocked_by: [todo, done, stateless, broken, missing, A-1]\n'));
    const expected = [
      { key: 'todo', open: true },
      { key: 'done', open: false },
      { key: 'stateless', open: true },
      { key: 'broken', open: 'unknown' },
      { key: 'missing', open: 'unknown' },
      { key: 'A-1', open: true },
    ];
    expect((await readFound('A-1')).blockers).toEqual(expected);
    const { issues } = await world.tracker.list(['Todo' as StateName]);
    expect(issues.find(({ key }) => key === 'A-1')?.blockers).toEqual(expected);
  });
});

describe('board.yaml', () => {
  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is no YAML', 'states: [Todo'],
    ['names no states', 'states: []'],
    ['names something else than names', 'states: [Todo, {a: b}]'],
    ['names a state twice', 'states: [Todo, Done, " todo"]'],
  ])('that %s: the states cannot be read, and no issue is moved', async (_, text) => {
    await world.put('A-1.md', issueText('T'));
    const issue = await readFound('A-1');
    if (text === undefined) await rm(join(world.folder, 'board.yaml'));
    else await world.put('board.yaml', text);
    await expect(world.tracker.states()).rejects.toThrow('board.yaml');
    expect(await world.tracker.transition(issue, 'Done' as StateName)).toMatchObject({ kind: 'rejected' });
    expect(await world.text('A-1.md')).toBe(issueText('T'));
  });

  test('gives a state its position as id, so that a rename in its place reads as one', async () => {
    await world.put('board.yaml', 'states:\n  - Todo\n  - Needs review\n');
    expect(await world.tracker.states()).toEqual([
      { id: '0', name: 'Todo' },
      { id: '1', name: 'Needs review' },
    ]);
  });

  test('does not have to know the state that an issue is in', async () => {
    await world.put('A-1.md', issueText('T').replace('Todo', 'Parked'));
    expect((await readFound('A-1')).state).toBe('Parked');
  });
});

describe('an issue', () => {
  test('without created_at is as old as its file', async () => {
    await world.put('A-1.md', issueText('T'));
    const { birthtimeMs, mtimeMs } = await stat(join(world.folder, 'A-1.md'));
    expect((await readFound('A-1')).createdAt).toBe(Math.floor(birthtimeMs || mtimeMs));
  });

  test('without a state is read, and cannot be moved before a person gives it one', async () => {
    await world.put('A-1.md', '---\ntitle: T\n---\n');
    const issue = await readFound('A-1');
    expect(issue.state).toBeUndefined();
    expect(await world.tracker.transition(issue, 'Todo' as StateName)).toMatchObject({ kind: 'rejected' });
  });

  test('that was not read cannot be moved', async () => {
    await world.put('A-1.md', issueText('T'));
    const { issues } = await world.tracker.list(everything);
    const listed = issues[0] as Issue as FreshIssue;
    await expect(world.tracker.transition(listed, 'Done' as StateName)).rejects.toThrow('A-1');
  });

  test('is as moved as it was read, also in a copy', async () => {
    await world.put('A-1.md', issueText('T'));
    const copy = { ...(await readFound('A-1')) };
    await world.put('A-1.md', issueText('U'));
    expect(await world.tracker.transition(copy, 'Done' as StateName)).toEqual({ kind: 'changed' });
  });

  test('keeps its bytes and permissions when it is moved', async () => {
    const text =
      '\uFEFF---\r\n# a note\r\nstate: "Todo"  # now\r\ntitle: T\r\n---\r\nstate: Todo\r\n---\r\nEnd, – no line end';
    await world.put('A-1.md', text);
    await chmod(join(world.folder, 'A-1.md'), 0o660);
    expect(await world.tracker.transition(await readFound('A-1'), 'in review' as StateName)).toEqual({
      kind: 'written',
    });
    expect(await world.text('A-1.md')).toBe(text.replace('"Todo"', '"In Review"'));
    expect((await stat(join(world.folder, 'A-1.md'))).mode & 0o777).toBe(0o660);
    expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
  });
});

describe('a status comment', () => {
  test('that says the same again is not written again', async () => {
    await world.put('A-1.md', issueText('T'));
    const say = async () =>
      world.tracker.comment(await readFound('A-1'), { marker: 'm', body: 'Runs.', ref: undefined });
    expect(await say()).toEqual({ ref: 'A-1.status.md' });
    const { ino } = await stat(join(world.folder, 'A-1.status.md'));
    await say();
    expect((await stat(join(world.folder, 'A-1.status.md'))).ino).toBe(ino);
    expect(await world.text('A-1.status.md')).toBe('Runs.\n');
  });

  test('is not written through a link', async () => {
    await world.put('A-1.md', issueText('T'));
    await world.put('other.txt', 'untouched');
    await symlink('other.txt', join(world.folder, 'A-1.status.md'));
    await world.tracker.comment(await readFound('A-1'), { marker: 'm', body: 'Runs.', ref: undefined });
    expect(await world.text('other.txt')).toBe('untouched');
    expect(await world.text('A-1.status.md')).toBe('Runs.\n');
  });

  test('that cannot be written says for which issue', async () => {
    await world.put('A-1.md', issueText('T'));
    await mkdir(join(world.folder, 'A-1.status.md'));
    const comment = world.tracker.comment(await readFound('A-1'), {
      marker: 'm',
      body: 'Runs.',
      ref: undefined,
    });
    await expect(comment).rejects.toThrow('A-1.status.md');
    expect(await world.names()).toEqual(['A-1.md', 'A-1.status.md', 'board.yaml']);
  });
});

/** Nobody in particular: who may read the board and, by default, write nothing. */
const nobody = 65_534;

describe.skipIf(process.getuid?.() !== 0 || process.seteuid === undefined)(
  'without the permission to write (needs root, to give it up)',
  () => {
    beforeEach(async () => {
      await world.put('A-1.md', issueText('T'));
      await chmod(world.folder, 0o755);
    });
    const asNobody = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
      process.seteuid?.(nobody);
      try {
        return await act();
      } finally {
        process.seteuid?.(0);
      }
    };
    const tryToMove = () =>
      asNobody(async () => world.tracker.transition(await readFound('A-1'), 'Done' as StateName));
    const expectRefused = async () => {
      expect(await tryToMove()).toEqual({
        kind: 'rejected',
        problem: expect.stringMatching(/^A-1\.md.*(read-only|user)/),
      });
      expect(await world.text('A-1.md')).toBe(issueText('T'));
      expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
    };

    test('in the folder, a move is rejected', async () => {
      await chown(join(world.folder, 'A-1.md'), nobody, nobody);
      await expectRefused();
    });

    test('in the file, a move is rejected', async () => {
      await chown(world.folder, nobody, nobody);
      await expectRefused();
    });

    test('a file of another user, which would be lost to him, is not replaced', async () => {
      await chown(world.folder, nobody, nobody);
      await chmod(join(world.folder, 'A-1.md'), 0o646);
      await expectRefused();
    });

    test('an issue that may not be read is unknown, and the others are listed', async () => {
      await world.put('B-1.md', issueText('T'));
      await chmod(join(world.folder, 'A-1.md'), 0o600);
      expect(await asNobody(listAll)).toEqual({ keys: ['B-1'], broken: ['A-1'] });
      expect((await asNobody(() => read('A-1'))).kind).toBe('unknown');
    });

    test('to read the folder, nothing is gone', async () => {
      await chmod(world.folder, 0o311);
      await rm(join(world.folder, 'A-1.md'));
      expect((await asNobody(() => read('A-1'))).kind).toBe('unknown');
      await expect(asNobody(listAll)).rejects.toThrow('EACCES');
    });

    test('as the owner, a move keeps the owner', async () => {
      await chown(join(world.folder, 'A-1.md'), nobody, nobody);
      expect(await world.tracker.transition(await readFound('A-1'), 'Done' as StateName)).toEqual({
        kind: 'written',
      });
      expect(await stat(join(world.folder, 'A-1.md'))).toMatchObject({ uid: nobody, gid: nobody });
    });
  },
);

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
  expect((await tracker.list(everything)).issues).toHaveLength(1);
  expect(await world.names()).toEqual([...left, 'A-1.md', 'board.yaml'].sort());
  now += 60_000;
  await tracker.list(everything);
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

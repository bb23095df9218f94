import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FreshIssue } from '../../../lib/controller/ports.ts';
import type { Issue, IssueId, StateName } from '../../../lib/core/issue.ts';
import { readFresh } from '../../contracts/tracker-world.ts';
import { issueText, type LocalBoardWorld, makeLocalBoard } from './local-board-world.ts';

let world: LocalBoardWorld;
beforeEach(async () => {
  world = await makeLocalBoard();
});
afterEach(() => world.dispose());

const readFound = (id: string) => readFresh(world, id as IssueId);

test('issues in a state that board.yaml does not name are strays, and only where it can be read', async () => {
  await world.put('A-1.md', issueText('T').replace('Todo', 'Tod'));
  await world.put('A-2.md', issueText('T').replace('Todo', ' TODO'));
  await world.put('A-3.md', '---\ntitle: T\n---\n');
  const list = () => world.tracker.list(['Todo' as StateName]);
  expect((await list()).strays).toEqual([{ id: 'A-1', key: 'A-1', state: 'Tod' }]);
  expect((await world.tracker.list(['Tod' as StateName])).strays).toEqual([]);
  await world.put('board.yaml', 'states: {');
  expect(await list()).toMatchObject({ issues: [{ key: 'A-2' }], strays: [] });
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
      { key: 'stateless', open: 'unknown' },
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
    // A board that is just being written refuses nothing for good: the next look decides.
    expect(await world.tracker.transition(issue, 'Done' as StateName)).toEqual({ kind: 'changed' });
    expect(await world.text('A-1.md')).toBe(issueText('T'));
  });

  test.each([
    ['states: [Todo', /board\.yaml .*line 1/],
    ['states:\n\t- Todo\n\t- Done\n', /board\.yaml .*(tab|Tab).*line 2/],
    ['states: [Todo, 7]', /board\.yaml .*in quotes/],
  ])('that says %j is told with what is wrong in it', async (text, told) => {
    await world.put('board.yaml', text);
    await expect(world.tracker.states()).rejects.toThrow(told);
  });

  test('that is a pipe is refused at once rather than waited on', async () => {
    await rm(join(world.folder, 'board.yaml'));
    execFileSync('mkfifo', [join(world.folder, 'board.yaml')]);
    await expect(world.tracker.states()).rejects.toThrow('no regular file');
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

  test('without a state is broken, and named, whatever states are asked for', async () => {
    await world.put('A-1.md', '---\ntitle: T\n---\n');
    const problem = expect.stringMatching(/^A-1\.md: it has no state: write a `state:` line/);
    const { issues, broken } = await world.tracker.list(['Done' as StateName]);
    expect(issues).toEqual([]);
    expect(broken).toEqual([{ id: 'A-1', key: 'A-1', problem, conflictingStates: false }]);
    expect(await world.tracker.read('A-1' as IssueId)).toEqual({ kind: 'unknown', problem });
  });

  test('that is where it should be, by another spelling, is left as it is written', async () => {
    const text = issueText('T').replace('Todo', 'TODO');
    await world.put('A-1.md', text);
    expect(await world.tracker.transition(await readFound('A-1'), 'Todo' as StateName)).toEqual({
      kind: 'written',
    });
    expect(await world.text('A-1.md')).toBe(text);
  });

  test('that was not read cannot be moved', async () => {
    await world.put('A-1.md', issueText('T'));
    const { issues } = await world.tracker.list(['Todo' as StateName]);
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

  test.each(['Something else.\n', 'Runs.\n'])(
    'is not written through a link to a file that says %j',
    async (text) => {
      await world.put('A-1.md', issueText('T'));
      await world.put('other.txt', text);
      await symlink('other.txt', join(world.folder, 'A-1.status.md'));
      await world.tracker.comment(await readFound('A-1'), { marker: 'm', body: 'Runs.', ref: undefined });
      expect(await world.text('other.txt')).toBe(text);
      expect(await world.text('A-1.status.md')).toBe('Runs.\n');
      expect((await lstat(join(world.folder, 'A-1.status.md'))).isFile()).toBe(true);
    },
  );

  test('that cannot be written because a key is too long for it says so', async () => {
    const key = 'A'.repeat(248);
    await world.put(`${key}.md`, issueText('T'));
    const said = await world.tracker.comment(await readFound(key), {
      marker: 'm',
      body: 'Runs.',
      ref: undefined,
    });
    expect(said).toEqual({
      problem: `${join(world.folder, key)}.status.md: ENAMETOOLONG; shorten the name of the card's file`,
    });
  });

  test('that cannot be written says where, why, and what to do', async () => {
    await world.put('A-1.md', issueText('T'));
    await mkdir(join(world.folder, 'A-1.status.md'));
    const said = await world.tracker.comment(await readFound('A-1'), {
      marker: 'm',
      body: 'Runs.',
      ref: undefined,
    });
    expect(said).toEqual({
      problem: `${join(world.folder, 'A-1.status.md')}: EISDIR; move the folder of that name away`,
    });
    expect(await world.names()).toEqual(['A-1.md', 'A-1.status.md', 'board.yaml']);
  });
});

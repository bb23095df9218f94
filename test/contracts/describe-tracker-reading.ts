import { expect, test } from 'vitest';
import type { StateName } from '../../lib/core/issue.ts';
import { boardStates, listIds, readFresh, type TrackerWorld } from './tracker-world.ts';

/** What every tracker promises about reading. */
export function describeTrackerReading(use: () => TrackerWorld): void {
  test('the states stand in the order of the board, each with an id of its own', async () => {
    const states = await use().tracker.states();
    expect(states.map(({ name }) => name)).toEqual(boardStates);
    expect(new Set(states.map(({ id }) => id)).size).toBe(boardStates.length);
  });

  test('a board without anything of note has no notices', async () => {
    expect(await use().tracker.notices()).toEqual([]);
  });

  test('an issue is read with what stands on the board', async () => {
    const id = await use().add({
      key: 'A-1',
      title: 'Mend the gate',
      description: 'It creaks.\n\nOil it.',
      state: 'Todo',
      priority: 2,
      labels: ['agent', 'bug'],
      assignees: ['alice', 'bob'],
      createdAt: 1_700_000_000_000,
    });
    const issue = await readFresh(use(), id);
    expect(issue).toMatchObject({
      id,
      title: 'Mend the gate',
      description: 'It creaks.\n\nOil it.',
      state: 'Todo',
      priority: 2,
      closed: false,
      conflictingStates: [],
      blockers: [],
    });
    expect([...issue.labels].sort()).toEqual(['agent', 'bug']);
    expect([...issue.assignees].sort()).toEqual(['alice', 'bob']);
    expect(issue.createdAt).toBe(1_700_000_000_000);
  });

  test('the list holds the issues in the given states, however these are written, and no others', async () => {
    const [a, b] = [
      await use().add({ key: 'A-1', state: 'Todo' }),
      await use().add({ key: 'A-2', state: 'In Progress' }),
    ];
    await use().add({ key: 'A-3', state: 'Done' });
    expect(await listIds(use(), [' todo', 'IN PROGRESS '])).toEqual([a, b].sort());
    expect(await listIds(use(), ['Done', 'Backlog'])).toHaveLength(1);
    expect(await listIds(use(), ['no such state'])).toEqual([]);
  });

  test('an issue is found by what people call it, in any state, and what is not there is not', async () => {
    const [a, b] = [
      await use().add({ key: 'A-1', state: 'Todo' }),
      await use().add({ key: 'A-2', state: 'Backlog' }),
    ];
    await use().close(a);
    for (const id of [a, b]) expect(await use().tracker.find((await readFresh(use(), id)).key)).toBe(id);
    expect(await use().tracker.find('nobody-4711')).toBeUndefined();
    expect(await use().tracker.find('no/such#4711')).toBeUndefined();
    expect(await use().tracker.find('4711')).toBeUndefined();
  });

  test('a state is counted', async () => {
    for (const key of ['A-1', 'A-2', 'A-3'])
      await use().add({ key, state: key === 'A-3' ? 'Todo' : 'In Review' });
    expect(await use().tracker.count('in review' as StateName)).toBe(2);
    expect(await use().tracker.count('Done' as StateName)).toBe(0);
  });

  test.each(['unreadable', 'conflicting-states'] as const)(
    'a broken issue (%s) is reported, unknown and never gone, and the others are listed',
    async (how) => {
      const [a, b] = [
        await use().add({ key: 'A-1', state: 'Todo' }),
        await use().add({ key: 'A-2', state: 'Todo' }),
      ];
      await use().spoil(a, how);
      const { issues, broken } = await use().tracker.list(['Todo' as StateName]);
      expect(issues.map(({ id }) => id)).toEqual([b]);
      expect(broken).toEqual([
        {
          id: a,
          key: expect.any(String),
          problem: expect.stringMatching(/./),
          conflictingStates: how === 'conflicting-states',
        },
      ]);
      expect(await use().tracker.read(a)).toEqual({ kind: 'unknown', problem: expect.stringMatching(/./) });
      const readings = await use().tracker.readMany([a, b]);
      expect([readings.get(a)?.kind, readings.get(b)?.kind]).toEqual(['unknown', 'found']);
    },
  );

  test('a deleted issue is gone', async () => {
    const id = await use().add({ key: 'A-1' });
    await use().remove(id);
    expect(await use().tracker.read(id)).toEqual({ kind: 'gone' });
    expect(await listIds(use(), boardStates)).toEqual([]);
  });

  test('many are read at once, each for itself: one that is gone fails none of the others', async () => {
    const [a, b] = [
      await use().add({ key: 'A-1', state: 'Todo' }),
      await use().add({ key: 'A-2', state: 'Done' }),
    ];
    await use().remove(b);
    const readings = await use().tracker.readMany([a, b]);
    expect([...readings.keys()].sort()).toEqual([a, b].sort());
    expect(readings.get(a)).toMatchObject({ kind: 'found', issue: { id: a, state: 'Todo' } });
    expect(readings.get(b)).toEqual({ kind: 'gone' });
  });

  test('a tracker that does not answer: lists throw, and no issue is gone', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    await use().breakDown();
    await expect(use().tracker.list(['Todo' as StateName])).rejects.toThrow();
    await expect(use().tracker.count('Todo' as StateName)).rejects.toThrow();
    await expect(use().tracker.states()).rejects.toThrow();
    expect((await use().tracker.read(id)).kind).toBe('unknown');
    expect((await use().tracker.readMany([id])).get(id)?.kind).toBe('unknown');
  });

  test('nothing to ask for is answered without asking', async () => {
    await use().breakDown();
    expect(await use().tracker.list([])).toEqual({ issues: [], broken: [] });
    expect(await use().tracker.readMany([])).toEqual(new Map());
  });
}

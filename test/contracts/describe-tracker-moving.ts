import { expect, test } from 'vitest';
import type { StateName } from '../../lib/core/issue.ts';
import { readFresh, type TrackerWorld } from './tracker-world.ts';

/** What every tracker promises about moving an issue. */
export function describeTrackerMoving(use: () => TrackerWorld): void {
  test('a move writes the state, as the board spells it, and nothing else', async () => {
    const id = await use().add({
      key: 'A-1',
      state: 'Todo',
      priority: 1,
      labels: ['agent'],
      description: 'state: Todo\n',
    });
    const rest = await use().restOf(id);
    const issue = await readFresh(use(), id);
    expect(await use().tracker.transition(issue, 'in progress' as StateName)).toEqual({ kind: 'written' });
    expect(await use().stateOf(id)).toBe('In Progress');
    expect(await use().restOf(id)).toBe(rest);
    expect((await readFresh(use(), id)).state).toBe('In Progress');
  });

  test('a move to where the issue is already changes nothing', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    expect(await use().tracker.transition(await readFresh(use(), id), 'Todo' as StateName)).toEqual({
      kind: 'written',
    });
    expect(await use().stateOf(id)).toBe('Todo');
  });

  test('a move to a state that the board does not have is rejected', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const written = await use().tracker.transition(await readFresh(use(), id), 'Shipped' as StateName);
    expect(written).toEqual({ kind: 'rejected', problem: expect.stringContaining('Shipped') });
    expect(await use().stateOf(id)).toBe('Todo');
  });

  test('a closed issue is never moved back', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    await use().close(id);
    const state = await use().stateOf(id);
    const written = await use().tracker.transition(await readFresh(use(), id), 'In Review' as StateName);
    expect(written).toEqual({ kind: 'rejected', problem: expect.stringContaining('reopens') });
    expect(await use().stateOf(id)).toBe(state);
  });

  test('a final state that was overwritten is restored', async () => {
    const id = await use().add({ key: 'A-1', state: 'In Review' });
    expect(await use().tracker.restore(await readFresh(use(), id), 'Done' as StateName)).toEqual({
      kind: 'written',
    });
    expect(await use().stateOf(id)).toBe('Done');
    expect(await use().tracker.restore(await readFresh(use(), id), 'Cancelled' as StateName)).toEqual({
      kind: 'written',
    });
    expect(await use().stateOf(id)).toBe('Cancelled');
  });

  test('the record of moves tells ours from others, or there is none', async () => {
    const id = await use().add({ key: 'A-1', state: 'Backlog' });
    await use().move(id, 'Todo');
    await use().tracker.transition(await readFresh(use(), id), 'In Progress' as StateName);
    const moves = await use().tracker.moves(id);
    if (!use().keepsMoves) return expect(moves).toBeUndefined();
    expect(moves?.slice(-2)).toEqual([
      { from: 'Backlog', to: 'Todo', ours: false },
      { from: 'Todo', to: 'In Progress', ours: true },
    ]);
  });
}

/** What a tracker that compares promises to whoever changes an issue between read and write. */
export function describeTrackerRaces(use: () => TrackerWorld): void {
  test.each(['move', 'edit', 'remove'] as const)(
    'a person who is faster (%s) loses nothing',
    async (what) => {
      if (!use().comparesAndSets) return;
      const id = await use().add({ key: 'A-1', state: 'Todo' });
      const issue = await readFresh(use(), id);
      if (what === 'move') await use().move(id, 'Done');
      else await use()[what](id);
      const before = what === 'remove' ? undefined : await use().restOf(id);
      expect(await use().tracker.transition(issue, 'In Progress' as StateName)).toEqual({ kind: 'changed' });
      expect(await use().tracker.restore(issue, 'Done' as StateName)).toEqual({ kind: 'changed' });
      if (what === 'remove') return expect((await use().tracker.read(id)).kind).toBe('gone');
      expect(await use().stateOf(id)).toBe(what === 'move' ? 'Done' : 'Todo');
      expect(await use().restOf(id)).toBe(before);
    },
  );

  test('of two writes after one read only one happens', async () => {
    if (!use().comparesAndSets) return;
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const issue = await readFresh(use(), id);
    const targets = ['In Progress', 'In Review'] as StateName[];
    const written = await Promise.all(targets.map((to) => use().tracker.transition(issue, to)));
    expect(written.map(({ kind }) => kind).sort()).toEqual(['changed', 'written']);
    expect(await use().stateOf(id)).toBe(targets[written.findIndex(({ kind }) => kind === 'written')]);
  });
}

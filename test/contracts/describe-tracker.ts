import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FreshIssue, Tracker } from '../../lib/controller/ports.ts';
import type { IssueId, StateName } from '../../lib/core/issue.ts';
import type { IssueFields } from '../support/build-issue.ts';

/** A tracker with an empty board behind it, and hands on that board which do not go through the tracker. */
export interface TrackerWorld {
  readonly tracker: Tracker;
  /** Whether a write is refused when the issue has changed since it was read. */
  readonly comparesAndSets: boolean;
  readonly keepsMoves: boolean;
  add(fields: IssueFields): Promise<IssueId>;
  move(id: IssueId, to: string): Promise<void>;
  close(id: IssueId): Promise<void>;
  /** Changes the issue's text and leaves its state. */
  edit(id: IssueId): Promise<void>;
  remove(id: IssueId): Promise<void>;
  /** Makes the issue impossible to understand. */
  spoil(id: IssueId, how: 'unreadable' | 'conflicting-states'): Promise<void>;
  /** From now on the tracker does not answer. */
  breakDown(): Promise<void>;
  stateOf(id: IssueId): Promise<string | undefined>;
  /** Everything of the issue but its state and its comments, for comparison to the byte. */
  restOf(id: IssueId): Promise<string>;
  commentsOf(id: IssueId): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export const boardStates = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'];
export const finalStates = ['Done', 'Cancelled'];

/** What every tracker promises. `make` gives an empty board with `boardStates`, of which `finalStates` are terminal. */
export function describeTracker(name: string, make: () => Promise<TrackerWorld>): void {
  describe(name, () => {
    let world: TrackerWorld;
    beforeEach(async () => {
      world = await make();
    });
    afterEach(() => world.dispose());
    const use = () => world;
    describe('reading', () => describeReading(use));
    describe('moving', () => describeMoving(use));
    describe('changes between read and write', () => describeRaces(use));
    describe('commenting', () => describeCommenting(use));
  });
}

function describeReading(use: () => TrackerWorld): void {
  test('the states stand in the order of the board, each with an id of its own', async () => {
    const states = await use().tracker.states();
    expect(states.map(({ name }) => name)).toEqual(boardStates);
    expect(new Set(states.map(({ id }) => id)).size).toBe(boardStates.length);
  });

  test('an issue is read with what stands on the board', async () => {
    const id = await use().add({
      key: 'A-1',
      title: 'Mend the gate',
      description: 'It creaks.\n\nOil it.',
      state: 'Todo',
      priority: 2,
      labels: ['agent', 'bug'],
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

  test('many are read at once, each for itself', async () => {
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

function describeMoving(use: () => TrackerWorld): void {
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

function describeRaces(use: () => TrackerWorld): void {
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

function describeCommenting(use: () => TrackerWorld): void {
  test('there is one status comment: created once, replaced afterwards, also when its ref is lost', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const say = async (body: string, ref: string | undefined) =>
      (
        await use().tracker.comment(await readFresh(use(), id), {
          marker: '<!-- ours:A-1 -->',
          body: `${body}\n<!-- ours:A-1 -->`,
          ref,
        })
      ).ref;
    const ref = await say('Attempt 1 runs.', undefined);
    expect(await say('Attempt 1 ended.', ref)).toBe(ref);
    expect(await say('Attempt 2 runs.', undefined)).toBe(ref);
    await say('Attempt 2 runs.', ref);
    const comments = await use().commentsOf(id);
    expect(comments).toEqual([expect.stringContaining('Attempt 2 runs.')]);
    expect(comments[0]).not.toContain('Attempt 1');
  });

  test('a comment leaves the issue as it is, and is no issue', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const issue = await readFresh(use(), id);
    const rest = await use().restOf(id);
    await use().tracker.comment(issue, {
      marker: 'm',
      body: '---\ntitle: x\nstate: Todo\n---\nm',
      ref: undefined,
    });
    expect(await use().restOf(id)).toBe(rest);
    expect(await listIds(use(), boardStates)).toEqual([id]);
    expect(await use().tracker.transition(issue, 'In Progress' as StateName)).toEqual({ kind: 'written' });
  });

  test('each issue has its own', async () => {
    const ids = [await use().add({ key: 'A-1' }), await use().add({ key: 'A-2' })];
    for (const id of ids) {
      await use().tracker.comment(await readFresh(use(), id), {
        marker: `m ${id}`,
        body: `About ${id}. m ${id}`,
        ref: undefined,
      });
    }
    for (const id of ids)
      expect(await use().commentsOf(id)).toEqual([expect.stringContaining(`About ${id}.`)]);
  });
}

async function readFresh(world: TrackerWorld, id: IssueId): Promise<FreshIssue> {
  const reading = await world.tracker.read(id);
  if (reading.kind !== 'found') throw new Error(`${id} was read as ${JSON.stringify(reading)}`);
  return reading.issue;
}

async function listIds(world: TrackerWorld, states: readonly string[]): Promise<readonly IssueId[]> {
  const { issues } = await world.tracker.list(states as StateName[]);
  return issues.map(({ id }) => id).sort();
}

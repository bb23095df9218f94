import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StateName } from '../../lib/core/issue.ts';
import { describeTrackerMoving, describeTrackerRaces } from './describe-tracker-moving.ts';
import { describeTrackerReading } from './describe-tracker-reading.ts';
import { boardStates, listIds, readFresh, type TrackerWorld } from './tracker-world.ts';

/** What every tracker promises. `make` gives an empty board with `boardStates`, of which `finalStates` are terminal. */
export function describeTracker(name: string, make: () => Promise<TrackerWorld>): void {
  describe(name, () => {
    let world: TrackerWorld;
    beforeEach(async () => {
      world = await make();
    });
    afterEach(() => world.dispose());
    const use = () => world;
    describe('reading', () => describeTrackerReading(use));
    describe('moving', () => describeTrackerMoving(use));
    describe('changes between read and write', () => describeTrackerRaces(use));
    describe('commenting', () => describeCommenting(use));
    describe('asking', () => describePrice(use));
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

  test('two who put the status comment at once leave one, and both know it', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const say = async () =>
      use().tracker.comment(await readFresh(use(), id), {
        marker: '<!-- ours:A-1 -->',
        body: 'Attempt 1 ended.\n<!-- ours:A-1 -->',
        ref: undefined,
      });
    const [one, other] = await Promise.all([say(), say()]);
    expect(await use().commentsOf(id)).toEqual([expect.stringContaining('Attempt 1 ended.')]);
    expect(await say()).toEqual(one);
    expect(other).toEqual(one);
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

function describePrice(use: () => TrackerWorld): void {
  const readBoard = async () => {
    await use().tracker.states('list');
    await use().tracker.list(['Todo' as StateName]);
  };

  test('has a price that grows with what is asked, or none at all', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    const before = use().tracker.quota();
    await readBoard();
    const afterBoard = use().tracker.quota();
    await readFresh(use(), id);
    const afterIssue = use().tracker.quota();
    if (use().limit === undefined) {
      expect([before, afterBoard, afterIssue]).toEqual([undefined, undefined, undefined]);
      return;
    }
    expect(before).toMatchObject({ requests: 0, points: 0, limitedUntil: undefined });
    for (const figure of ['requests', 'points'] as const) {
      expect(afterBoard![figure]).toBeGreaterThan(0);
      expect(afterIssue![figure]).toBeGreaterThan(afterBoard![figure]);
    }
    expect(use().tracker.quota()).toEqual(afterIssue);
  });

  test('is refused where the quota is used up: lists throw, no issue is gone, and it says until when', async () => {
    const id = await use().add({ key: 'A-1', state: 'Todo' });
    await use().limit?.();
    if (use().limit === undefined) return;
    await expect(readBoard()).rejects.toThrow();
    const { limitedUntil } = use().tracker.quota()!;
    expect(limitedUntil).toBeGreaterThan(0);
    expect((await use().tracker.read(id)).kind).toBe('unknown');
    expect((await use().tracker.readMany([id])).get(id)?.kind).toBe('unknown');
    await expect(use().tracker.count('Todo' as StateName)).rejects.toThrow();
    expect(use().tracker.quota()?.limitedUntil).toBe(limitedUntil);
  });
}

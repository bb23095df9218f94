import { afterEach, expect, test } from 'vitest';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import { countCost } from '../../support/github/count-cost.ts';
import { type LabelWorld, makeLabelWorld } from '../../support/github/label-world.ts';
import { buildWorld, completed } from '../../support/world.ts';

/** What ticks and turns cost of the quota, counted by the server. */

const asOnTheBoard = {
  active: ['Todo', 'In Progress'],
  handoff: 'In Review',
  terminal: ['Done', 'Cancelled'],
  others: [],
};

let github: LabelWorld;
afterEach(() => github.dispose());

/** A board of so many open issues, so many of them active, and ticks over it that have no slot to start anything in. */
async function makeBoard(issues: number, active: number, slots = 0) {
  github = await makeLabelWorld({ board: { states: asOnTheBoard } });
  const { state } = github.server;
  const anHourAgo = state.now() - 3_600_000;
  for (let n = 0; n < issues; n += 1) {
    const labels = n < active ? ['Todo'] : n % 2 === 0 ? ['Backlog', 'bug'] : ['In Review'];
    const issue = state.addIssue(github.repository, github.alice.account, { title: `Issue ${n}`, labels });
    issue.updatedAt = anHourAgo;
  }
  const world = await buildWorld({ workflow: buildWorkflow({ agent: { max_concurrent_agents: slots } }) });
  world.changeBoard({ tracker: github.tracker });
  return world;
}

const costOf = (act: () => Promise<unknown>) => countCost(github.server, act);

test('a tick over 5,000 issues with 500 active costs 6 requests and 6 points, and then 5', async () => {
  const world = await makeBoard(5_000, 500);
  const first = await costOf(() => world.tick());
  expect(first).toMatchObject({ requests: 6, points: 6, rest: 1 });
  expect(first.largest).toBeLessThan(100_000);
  for (let n = 2; n <= 10; n += 1)
    expect(await costOf(() => world.tick())).toMatchObject({ requests: 6, points: 6, rest: 0 });
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 5, points: 5, rest: 0 });
  expect(world.facts.filter(({ fact }) => fact === 'board-read').at(-1)).toMatchObject({
    complete: true,
    issues: 500,
    inHandoff: 2_250,
  });
});

test('a tick over 5,000 issues with 50 active costs 2 requests, and then 1', async () => {
  const world = await makeBoard(5_000, 50);
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 2, points: 2, rest: 1 });
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 1, points: 1, rest: 0 });
  github.alice.edit(github.repository.issues[7]!, 'Something else.');
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 2, points: 2, rest: 0 });
});

test('a look at what waits for a merge costs its pages, and forgets nothing of what is active', async () => {
  github = await makeLabelWorld({ board: { states: asOnTheBoard } });
  const { state } = github.server;
  const anHourAgo = state.now() - 3_600_000;
  for (let n = 0; n < 250; n += 1) {
    const labels = [n < 100 ? 'Todo' : 'In Review'];
    state.addIssue(github.repository, github.alice.account, { labels }).updatedAt = anHourAgo;
  }
  const look = async () => {
    await github.tracker.states('list');
    const active = await github.tracker.list(['Todo', 'In Progress'] as StateName[]);
    await github.tracker.list(['In Review' as StateName]);
    return active.issues.filter(({ trusted }) => trusted === true).length;
  };
  for (let n = 1; n <= 3; n += 1) await look();
  expect(await costOf(async () => expect(await look()).toBe(100))).toMatchObject({
    operations: ['Survey', 'ListIssues', 'ListIssues'],
    points: 3,
  });
});

test('what was read within the second of an update is read again, since a second update may carry the same time', async () => {
  const world = await makeBoard(3, 3);
  const [issue] = github.repository.issues;
  await world.tick();
  github.alice.edit(issue!, 'Something else.');
  for (let n = 1; n <= 2; n += 1)
    expect((await costOf(() => world.tick())).operations).toEqual(['Survey', 'ReadDetails']);
});

test('running turns that are no longer listed cost a request for a hundred of them', async () => {
  await makeBoard(250, 0);
  const ids = github.repository.issues.map(({ id }) => id as IssueId);
  const cost = await costOf(() => github.tracker.readMany(ids));
  expect(cost).toMatchObject({ requests: 3, rest: 1 });
  expect(cost.points).toBeLessThanOrEqual(9);
});

test('the end of a turn reads its issue alone, and never lists the board', async () => {
  const world = await makeBoard(300, 300, 1);
  const [issue] = github.repository.issues;
  await world.run(issue!.id);
  await world.result(issue!.id, completed);
  await world.exit(issue!.id);
  const cost = await costOf(() => world.stoppedEvent(issue!.id));
  expect(new Set(cost.operations)).toEqual(
    new Set(['Survey', 'ReadIssues', 'MoveLabels', 'ListComments', 'AddComment']),
  );
  expect(cost.largest).toBeLessThan(5_000);
  expect(await github.stateOf(issue!.id as IssueId)).toBe('In Review');
});

test('once the quota is used up, one request learns so and no other is sent until its reset', async () => {
  const world = await makeBoard(10, 10);
  await world.tick();
  github.server.quota.remaining = 0;
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 1 });
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 0, rest: 0 });
  await expect(github.tracker.list(['Todo' as StateName])).rejects.toThrow('the quota at GitHub is used up');
  expect(world.facts.filter(({ fact }) => fact === 'board-read').at(-1)).toMatchObject({ complete: false });
});

test('a host that was started again asks for nothing while the limit that it kept lies ahead', async () => {
  const world = await makeBoard(10, 10);
  world.clock.step(Date.now() - world.clock.now());
  github.server.quota.remaining = 0;
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 1 });
  for (let n = 1; n <= 3; n += 1) {
    world.changeBoard({ tracker: github.connect() });
    world.clock.step(60_000);
    expect(await costOf(() => world.tick())).toMatchObject({ requests: 0, rest: 0 });
  }
  world.clock.step(3_600_000);
  Object.assign(github.server.quota, { remaining: 5_000, resetAt: Date.now() + 7_200_000 });
  world.changeBoard({ tracker: github.connect() });
  await world.tick();
  expect(world.facts.findLast(({ fact }) => fact === 'board-read')).toMatchObject({ complete: true });
});

test('a tick that leaves less than the reserve is the last one that reads the board', async () => {
  const world = await makeBoard(10, 10);
  world.clock.step(Date.now() - world.clock.now());
  github.server.quota.remaining = 240;
  const report = await world.tick();
  expect(report).toMatchObject({ kind: 'done', summary: { cost: { remaining: expect.any(Number) } } });
  world.changeBoard({ tracker: github.connect() });
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 0, rest: 0 });
});

test('the price that a tick tells is what the server counted', async () => {
  const world = await makeBoard(120, 120, 1);
  const spent: unknown[] = [];
  const seen: unknown[] = [];
  for (let n = 1; n <= 2; n += 1) {
    const { requests, points, rest } = await costOf(() => world.tick());
    seen.push({ requests: requests + rest, points, remaining: github.server.quota.remaining });
    spent.push((await world.ledger.tick())?.summary?.cost);
  }
  expect(spent).toEqual(seen);
});

import { afterEach, expect, test } from 'vitest';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import { countCost } from '../../support/github/count-cost.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';
import { buildWorld, completed } from '../../support/world.ts';

/** What ticks and turns over a project cost of the quota, counted by the server. */

let github: ProjectWorld;
afterEach(() => github.dispose());

/** A project of so many open issues, so many of them active, and ticks over it that have no slot to start anything in. */
async function makeBoard(issues: number, active: number, slots = 0) {
  github = await makeProjectWorld();
  // What people are told when they validate a file is not asked for in a tick.
  github.project.workflows.push({ name: 'Item closed', enabled: true });
  for (let n = 0; n < issues; n += 1)
    github.addCard(n < active ? 'Todo' : n % 2 === 0 ? 'Backlog' : 'In Review');
  const world = await buildWorld({ workflow: buildWorkflow({ agent: { max_concurrent_agents: slots } }) });
  world.changeBoard({ tracker: github.tracker });
  return world;
}

const costOf = (act: () => Promise<unknown>) => countCost(github.server, act);

test('a tick over 5,000 cards with 500 active costs 5 requests and 5 points', async () => {
  const world = await makeBoard(5_000, 500);
  const first = await costOf(() => world.tick());
  expect(first).toMatchObject({ requests: 5, points: 5 });
  expect(first.largest).toBeLessThan(150_000);
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 5, points: 5 });
  expect(world.facts.filter(({ fact }) => fact === 'board-read').at(-1)).toMatchObject({
    complete: true,
    issues: 500,
    inHandoff: 2_250,
  });
});

test('a look at what waits for a merge costs its pages, and forgets nothing of what is active', async () => {
  github = await makeProjectWorld();
  const { issue: other } = github.addCard(undefined);
  for (let n = 0; n < 250; n += 1) github.addCard(n < 100 ? 'Todo' : 'In Review').issue.blockedBy.push(other);
  const look = async () => {
    await github.tracker.states('list');
    const active = await github.tracker.list(['Todo', 'In Progress'] as StateName[]);
    await github.tracker.list(['In Review' as StateName]);
    return active.issues.filter(({ blockers }) => blockers[0]?.key === 'web#1').length;
  };
  for (let n = 1; n <= 3; n += 1) await look();
  expect(await costOf(async () => expect(await look()).toBe(100))).toMatchObject({
    operations: ['SurveyProject', 'ListCards', 'ListCards'],
    points: 3,
  });
});

test('a tick over 5,000 cards with 50 active costs 1 request and 1 point, and one more when blockers have to be named', async () => {
  const world = await makeBoard(5_000, 50);
  expect(await costOf(() => world.tick())).toMatchObject({ requests: 1, points: 1 });
  const [first, second, third] = github.repository.issues;
  for (const relation of ['blockedBy', 'subIssues'] as const) {
    first![relation] = [second!, third!];
    expect(await costOf(() => world.tick())).toMatchObject({ requests: 2, points: 2 });
    expect(await costOf(() => world.tick())).toMatchObject({ requests: 1, points: 1 });
  }
});

test('running turns that are no longer listed cost a request for a hundred of them', async () => {
  await makeBoard(250, 0);
  const ids = github.project.items.map(({ id }) => id as IssueId);
  const cost = await costOf(() => github.tracker.readMany(ids));
  expect(cost.requests).toBe(3);
  expect(cost.points).toBeLessThanOrEqual(9);
});

test('the end of a turn reads its card alone, and never lists the board', async () => {
  const world = await makeBoard(300, 300, 1);
  const [card] = github.project.items;
  await world.run(card!.id);
  await world.result(card!.id, completed);
  await world.exit(card!.id);
  const cost = await costOf(() => world.stoppedEvent(card!.id));
  expect(new Set(cost.operations)).toEqual(
    new Set(['SurveyProject', 'ReadCards', 'MoveCard', 'ListComments', 'AddComment']),
  );
  expect(cost.largest).toBeLessThan(5_000);
  expect(await github.stateOf(card!.id as IssueId)).toBe('In Review');
});

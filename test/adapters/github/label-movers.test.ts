import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssueId } from '../../../lib/core/issue.ts';
import { readFresh } from '../../contracts/tracker-world.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import { githubPerson } from '../../support/github/github-person.ts';
import type { Account, Issue } from '../../support/github/github-state.ts';
import { type LabelWorld, makeLabelWorld } from '../../support/github/label-world.ts';
import { buildWorld, decisionsOf, failed, type World } from '../../support/world.ts';

/** Whose move of an issue resets its counters and its park, from the labels to the plan. */

const own: Account = { login: 'evenkeel[bot]', kind: 'Bot' };
const renovate: Account = { login: 'renovate', kind: 'Bot' };

let github: LabelWorld;
let world: World;
let issue: Issue;
beforeEach(async () => {
  github = await makeLabelWorld({
    viewer: own,
    board: {
      states: { active: ['Todo', 'In Progress'], handoff: 'In Review', terminal: ['Done'], others: [] },
    },
  });
  world = await buildWorld({ workflow: buildWorkflow({ agent: { max_failures: 1 } }) });
  world.changeBoard({ tracker: github.tracker });
  issue = github.server.state.addIssue(github.repository, github.alice.account, { labels: ['Todo'] });
});
afterEach(() => github.dispose());

/** A turn fails, and with it the issue's tries are used up: it is handed over and parked. */
async function useUpTries(): Promise<void> {
  await world.run(issue.id);
  await world.result(issue.id, failed('agent'));
  await world.exit(issue.id);
  await world.stoppedEvent(issue.id);
  expect(await github.stateOf(issue.id as IssueId)).toBe('In Review');
  expect((await world.leaseOf(issue.id))?.parked).toBeDefined();
}

const label = (name: string, actor: Account | null) =>
  github.server.state.addLabel(issue, github.server.state.label(github.repository, name), actor);
const unlabel = (name: string, actor: Account | null) =>
  github.server.state.removeLabel(issue, github.server.state.label(github.repository, name), actor);
const backToTodo = (actor: Account | null) => {
  label('Todo', actor);
  unlabel('In Review', actor);
};
const decided = async () => Object.values(decisionsOf(await world.tick()));
const movedBy = async () => (await readFresh(github, issue.id as IssueId)).movedBy;

describe('an issue whose tries are used up', () => {
  beforeEach(useUpTries);

  test('starts again when a person moves it back', async () => {
    backToTodo(github.alice.account);
    expect(await decided()).toEqual(['start/start']);
    expect(await world.leaseOf(issue.id)).toMatchObject({ phase: 'launching', counters: { agent: 0 } });
  });

  test.each([
    ['a bot', renovate, 'untrusted-actor'],
    ['another automation', { login: 'github-actions', kind: 'Bot' }, 'untrusted-actor'],
    ['our own App', own, 'parked'],
    ['an actor who cannot be learnt', null, 'untrusted-actor'],
  ] as const)('stays parked with its counters when %s moves it back', async (_, actor, reason) => {
    const before = await world.leaseOf(issue.id);
    backToTodo(actor);
    expect(await movedBy()).toBe('automation');
    for (let tick = 1; tick <= 2; tick += 1) expect(await decided()).toEqual([`wait/${reason}`]);
    expect(await world.leaseOf(issue.id)).toMatchObject({
      parked: before!.parked,
      counters: before!.counters,
    });
  });

  test('stays parked when a bot moves it on a board of which not all could be looked into yet', async () => {
    for (let n = 0; n < 60; n += 1)
      github.server.state.addIssue(github.repository, github.alice.account, { labels: ['Todo', 'p1'] });
    world.changeBoard({
      tracker: github.connect(),
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 0 } }),
    });
    backToTodo(renovate);
    await world.tick();
    expect((await world.leaseOf(issue.id))?.parked).toBeDefined();
  });

  test('stays parked when a bot moves it that may start work by its name', async () => {
    const trusted = github.connect({ trusted: ['renovate[bot]', 'alice'] });
    world.changeBoard({ tracker: trusted });
    backToTodo(renovate);
    expect(await decided()).toEqual(['wait/parked']);
  });

  test('starts when a person moves it after somebody who cannot be learnt', async () => {
    backToTodo(null);
    await world.tick();
    unlabel('Todo', github.alice.account);
    label('Todo', github.alice.account);
    expect(await decided()).toEqual(['start/start']);
  });

  test('waits when a person moves it who may not start work', async () => {
    const mallory = githubPerson(github.server.state, 'mallory', { 'acme/web': 'read' });
    backToTodo(mallory.account);
    expect(await decided()).toEqual(['wait/untrusted-actor']);
  });

  test('starts when a bot only clears up after the person who moved it', async () => {
    label('Todo', github.alice.account);
    unlabel('In Review', renovate);
    expect(await movedBy()).toBe('person');
    expect(await decided()).toEqual(['start/start']);
  });

  test('starts when a person decides between the two labels that a bot made of it', async () => {
    label('Todo', renovate);
    unlabel('In Review', github.alice.account);
    expect(await movedBy()).toBe('person');
    await world.tick();
    expect((await world.leaseOf(issue.id))?.parked).toBeUndefined();
  });

  test('stays parked when a bot takes it back from where a person had it before', async () => {
    backToTodo(github.alice.account);
    label('In Review', own);
    unlabel('Todo', own);
    backToTodo(renovate);
    expect(await movedBy()).toBe('automation');
    await world.tick();
    expect((await world.leaseOf(issue.id))?.parked).toBeDefined();
  });

  test('stays parked when a bot opens again what it closed', async () => {
    backToTodo(renovate);
    const bot = githubPerson(github.server.state, 'renovate', {}, 'Bot');
    bot.close(issue);
    bot.reopen(issue);
    await world.tick();
    expect((await world.leaseOf(issue.id))?.parked).toBeDefined();
  });
});

test('an issue that a bot moved among active states keeps its count of failures', async () => {
  world.changeBoard({ workflow: buildWorkflow({ agent: { max_failures: 2 } }) });
  await world.run(issue.id);
  await world.result(issue.id, failed('agent'));
  await world.exit(issue.id);
  await world.stoppedEvent(issue.id);
  expect(await world.leaseOf(issue.id)).toMatchObject({ counters: { agent: 1 } });
  const [from, to] = issue.labels.some(({ name }) => name === 'Todo')
    ? ['Todo', 'In Progress']
    : ['In Progress', 'Todo'];
  label(to!, renovate);
  unlabel(from!, renovate);
  await world.tick();
  expect(await world.leaseOf(issue.id)).toMatchObject({ counters: { agent: 1 } });
  unlabel(to!, github.alice.account);
  label(from!, github.alice.account);
  label(to!, github.alice.account);
  unlabel(from!, github.alice.account);
  await world.tick();
  expect(await world.leaseOf(issue.id)).toMatchObject({ counters: { agent: 0 } });
});

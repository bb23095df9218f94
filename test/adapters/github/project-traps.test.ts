import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveContract } from '../../../lib/core/contract.ts';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { boardStates, listIds, readFresh } from '../../contracts/tracker-world.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import type { Project, ProjectItem } from '../../support/github/github-projects.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';

/** What is known to go wrong with projects at GitHub, one by one. */

let world: ProjectWorld;
let project: Project;
beforeEach(async () => {
  world = await makeProjectWorld();
  project = world.project;
});
afterEach(() => world.dispose());

const hands = () => world.server.state.projects;
const idOf = (card: ProjectItem) => card.id as IssueId;
const add = (status: string | undefined) => world.addCard(status);
const read = (card: ProjectItem) => readFresh(world, idOf(card));
const move = async (card: ProjectItem, to: string) =>
  world.tracker.transition(await read(card), to as StateName);
const list = (...states: string[]) => world.tracker.list(states as StateName[]);

describe('automations of the project', () => {
  test('those that are switched on are told, and what each may do; those that are off are not', async () => {
    project.workflows.push(
      { name: 'Item closed', enabled: true },
      { name: 'Auto-archive items', enabled: true },
      { name: 'Item reopened', enabled: false },
      { name: 'Tidy up', enabled: true },
    );
    const notices = await world.tracker.notices();
    expect(notices).toHaveLength(3);
    const counts = notices.map((notice) => notice.includes('counts as the move of a person'));
    expect(counts).toEqual([false, false, true]);
    expect(notices.join('\n')).toMatch(
      /"Item closed" is on: it moves the card of a closed issue.*\n.*"Auto-archive items" is on: .*stopped.*\n.*"Tidy up" is on: it may move/,
    );
  });

  test('those that may not be read are no fault of the board, and no empty list either', async () => {
    const refused = { json: { errors: [{ type: 'FORBIDDEN', message: 'Not for you' }] } };
    world.server.fail('ReadWorkflows', refused);
    await expect(world.tracker.notices()).rejects.toThrow('Not for you');
  });
});

describe('columns', () => {
  test('an option that is renamed in the browser keeps its id: the contract says renamed, and cards follow', async () => {
    const { card } = add('In Review');
    const workflow = buildWorkflow();
    const held = resolveContract(workflow, await world.tracker.states(), undefined);
    hands().renameOption(project, 'In Review', 'Needs review');
    const now = resolveContract(workflow, await world.tracker.states(), held.valid ? held.record : undefined);
    expect(now.valid ? [] : now.problems.map(({ rule }) => rule)).toEqual(['state-renamed']);
    expect((await read(card)).state).toBe('Needs review');
    expect(await listIds(world, ['Needs review'])).toEqual([card.id]);
  });

  test('an option that is deleted is missing', async () => {
    project.field!.options = project.field!.options!.filter(({ name }) => name !== 'In Review');
    const live = resolveContract(buildWorkflow(), await world.tracker.states(), undefined);
    expect(live.valid ? [] : live.problems.map(({ rule }) => rule)).toEqual(['state-exists']);
  });

  test('options that are written anew through the API get other ids: their names hold, and moves go by the new ids', async () => {
    const { card } = add('Todo');
    await world.tracker.states();
    hands().overwriteOptions(project, boardStates);
    expect((await read(card)).state).toBe('no status');
    hands().move(card, 'Todo', world.alice.account);
    expect(await move(card, 'In Progress')).toEqual({ kind: 'written' });
    expect(card.status).toEqual(hands().valueOf(project, 'In Progress'));
  });

  test('options that are written anew between read and move: the move is refused, and nothing is written', async () => {
    const { card } = add('Todo');
    world.server.before('MoveCard', () => hands().overwriteOptions(project, boardStates));
    expect(await move(card, 'In Progress')).toMatchObject({
      kind: 'rejected',
      problem: expect.stringContaining('does not belong to the field'),
    });
    expect(card.status).toBeUndefined();
  });

  test("a card whose id says one column and whose name another is nobody's until it is moved", async () => {
    const { card } = add('Todo');
    card.status = { ...hands().valueOf(project, 'Done'), name: 'Todo' };
    expect((await list('Todo')).broken).toMatchObject([{ id: card.id, conflictingStates: true }]);
    hands().move(card, 'In Progress', world.alice.account);
    expect(await listIds(world, ['In Progress'])).toEqual([card.id]);
  });

  test('a card that still tells the name of before stands in the column of its id', async () => {
    const { card } = add('Todo');
    card.status = { ...hands().valueOf(project, 'Todo'), name: 'Ready' };
    expect((await read(card)).state).toBe('Todo');
  });

  test('a name that the filter cannot hold makes the whole board be read, and nothing is missed', async () => {
    project.field!.options!.push(...hands().options(['The "now"']));
    const { card } = add('The "now"');
    add('Todo');
    expect(await listIds(world, ['the "NOW"'])).toEqual([card.id]);
    expect(await world.tracker.count('The "now"' as StateName)).toBe(1);
  });

  test('a card without a status stands nowhere, and not in the first active column', async () => {
    const { card } = add(undefined);
    expect(await read(card)).toMatchObject({ state: 'no status', closed: false });
    expect(await listIds(world, boardStates)).toEqual([]);
    expect(await move(card, 'In Progress')).toEqual({ kind: 'written' });
  });

  test.each([
    ['COMPLETED', 'closed as completed'],
    ['NOT_PLANNED', 'closed as not planned'],
    ['DUPLICATE', 'closed as duplicate'],
  ] as const)('closed wins over an active column, and tells its reason (%s)', async (reason, state) => {
    const { card, issue } = add('In Progress');
    world.alice.close(issue, reason);
    expect(await read(card)).toMatchObject({ closed: true, state });
    expect(await listIds(world, boardStates)).toEqual([]);
    expect(await world.tracker.count('In Progress' as StateName)).toBe(0);
    expect((await move(card, 'In Review')).kind).toBe('rejected');
    expect(card.status?.name).toBe('In Progress');
  });

  test.each(['missing', 'of another type', 'called otherwise'] as const)(
    'a Status field that is %s is told, and no card is taken for one in no column',
    async (what) => {
      const { card } = add('Todo');
      if (what === 'missing') project.field = undefined;
      else if (what === 'of another type') project.field!.options = undefined;
      else project.field!.name = 'Stage';
      await expect(world.tracker.states()).rejects.toThrow('no field Status');
      await expect(list('Todo')).rejects.toThrow('no field Status');
      expect((await world.tracker.read(idOf(card))).kind).toBe('unknown');
    },
  );
});

describe('cards', () => {
  test('drafts and pull requests are no issues', async () => {
    const { state } = world.server;
    const draft = hands().add(project, undefined, 'Todo');
    const change = state.addIssue(world.repository, world.alice.account, { isPullRequest: true });
    const pull = hands().add(project, change, 'Todo');
    expect(await list('Todo')).toEqual({ issues: [], broken: [] });
    for (const card of [draft, pull]) expect(await world.tracker.read(idOf(card))).toEqual({ kind: 'gone' });
  });

  test('a draft that is made an issue keeps its card', async () => {
    const draft = hands().add(project, undefined, 'Todo');
    const { issue } = add('Backlog');
    project.items.pop();
    draft.issue = issue;
    Object.assign(draft, { type: 'ISSUE' });
    expect(await listIds(world, ['Todo'])).toEqual([draft.id]);
  });

  test('a card whose issue this token may not see is unknown, never gone', async () => {
    const { card } = add('Todo');
    card.isHidden = true;
    expect(await world.tracker.read(idOf(card))).toEqual({
      kind: 'unknown',
      problem: expect.stringContaining('access'),
    });
  });

  test('an archived card stands in no column, comes back when it is restored, and is not moved meanwhile', async () => {
    const { card } = add('Todo');
    card.isArchived = true;
    expect(await listIds(world, ['Todo'])).toEqual([]);
    expect(await read(card)).toMatchObject({ state: 'archived card', closed: false });
    expect(await move(card, 'In Progress')).toMatchObject({
      kind: 'rejected',
      problem: expect.stringContaining('restore it'),
    });
    card.isArchived = false;
    expect(await listIds(world, ['Todo'])).toEqual([card.id]);
  });

  test('issues of other repositories are not ours, where a repository is named', async () => {
    const other = world.server.state.repository('acme/api');
    const ours = add('Todo');
    const theirs = world.addCard('Todo', other);
    expect(await listIds(world, ['Todo'])).toEqual([ours.card.id]);
    expect(await world.tracker.count('Todo' as StateName)).toBe(1);
    const everywhere = await world.connect({ repository: undefined }).list(['Todo'] as StateName[]);
    expect(everywhere.issues.map(({ key }) => key)).toEqual(['web#1', 'api#1']);
    expect(theirs.card.id).toBe(everywhere.issues[1]?.id);
  });

  test('a repository that is renamed is still ours', async () => {
    const { card } = add('Todo');
    await world.tracker.states();
    world.server.state.repository('acme/web').name = 'site';
    world.server.state.formerNames.set('acme/web', world.repository);
    expect(await listIds(world, ['Todo'])).toEqual([card.id]);
    expect((await read(card)).key).toBe('site#1');
  });

  test('an issue that is transferred to another repository is gone', async () => {
    const { card, issue } = add('Todo');
    await read(card);
    card.issue = world.alice.transfer(issue, world.server.state.repository('acme/api'));
    expect(await world.tracker.read(idOf(card))).toEqual({ kind: 'gone' });
  });

  test('one issue on several projects has a state of its own on each, and a move touches one', async () => {
    const { card, issue } = add('Todo');
    const other = hands().create('acme', 8, boardStates, 'Organization');
    const second = hands().add(other, issue, 'Done');
    expect((await read(card)).state).toBe('Todo');
    expect(await move(card, 'In Progress')).toEqual({ kind: 'written' });
    expect(second.status?.name).toBe('Done');
    const elsewhere = world.connect({ project: 'acme/8' });
    expect(await elsewhere.read(idOf(card))).toEqual({ kind: 'gone' });
    expect(await elsewhere.read(idOf(second))).toMatchObject({ kind: 'found', issue: { state: 'Done' } });
  });

  test.each(['gone', 'still shown as closed'] as const)(
    'the card of an issue that is made a discussion is never worked on again (%s)',
    async (how) => {
      const { card, issue } = add('Todo');
      world.alice.close(issue);
      if (how === 'gone') world.alice.remove(issue);
      expect(await listIds(world, boardStates)).toEqual([]);
      expect(await world.tracker.read(idOf(card))).toMatchObject(
        how === 'gone' ? { kind: 'gone' } : { kind: 'found', issue: { closed: true } },
      );
    },
  );

  test('a card that is taken off the project is gone', async () => {
    const { card } = add('Todo');
    hands().remove(card);
    expect(await world.tracker.read(idOf(card))).toEqual({ kind: 'gone' });
  });

  test('a token that has lost sight of the project is told of no card, and none is gone', async () => {
    const { card } = add('Todo');
    hands().all.pop();
    expect((await world.tracker.read(idOf(card))).kind).toBe('unknown');
    await expect(list('Todo')).rejects.toThrow();
  });

  test.each<readonly [string | number, number | undefined]>([
    ['P0', 1],
    ['P2', 2],
    ['High', 2],
    ['🔥 Urgent', 1],
    [3, 3],
    ['Someday', undefined],
  ])('the field Priority is read (%s), and a label stands in for it', async (value, priority) => {
    const { card, issue } = add('Todo');
    card.priority = value;
    expect((await read(card)).priority).toBe(priority);
    card.priority = undefined;
    world.alice.label(issue, 'priority: low');
    expect((await read(card)).priority).toBe(4);
  });

  test('open blockers and sub-issues are told by name, in a list as well', async () => {
    const { issue } = add('Todo');
    const { issue: blocker } = add('Backlog');
    const { issue: part } = add('Backlog');
    issue.blockedBy = [blocker];
    issue.subIssues = [part];
    const { issues } = await list('Todo');
    expect(issues[0]?.blockers.map(({ key }) => key)).toEqual(['web#2', 'its sub-issue web#3']);
    issue.subIssues = [part, add('Backlog').issue];
    const named = (await list('Todo')).issues[0]?.blockers.map(({ key }) => key);
    expect(named).toEqual(['web#2', 'its sub-issue web#3', 'its sub-issue web#4']);
    for (const one of issue.subIssues) world.alice.close(one);
    world.alice.close(blocker);
    world.alice.close(part);
    expect((await list('Todo')).issues[0]?.blockers).toEqual([]);
  });

  test('a card that comes twice, because it moved while the pages were read, counts once', async () => {
    for (let n = 0; n < 150; n += 1) add('Todo');
    world.server.before('ListCards', () => {
      world.server.before('ListCards', () => project.items.unshift(project.items.pop()!));
    });
    const { issues } = await list('Todo');
    expect(new Set(issues.map(({ id }) => id)).size).toBe(issues.length);
  });

  test('a list of which one page fails is no list', async () => {
    for (let n = 0; n < 150; n += 1) add('Todo');
    await world.tracker.states();
    world.server.before('ListCards', () =>
      world.server.fail('ListCards', { json: { errors: [{ type: 'FORBIDDEN', message: 'No.' }] } }),
    );
    await expect(list('Todo')).rejects.toThrow();
  });
});

describe('lists', () => {
  test('a list may lag, and a read by id does not', async () => {
    const { card, issue } = add('Todo');
    world.server.state.holdLists();
    world.alice.close(issue);
    expect(await listIds(world, ['Todo'])).toEqual([card.id]);
    expect(await read(card)).toMatchObject({ closed: true });
  });

  test('a page that the vendor cannot serve in time is asked for at half its size, and nothing is missed', async () => {
    for (let n = 0; n < 150; n += 1) add('Todo');
    await world.tracker.states('list');
    for (const _ of ['one try', 'and another']) world.server.fail('ListCards', { status: 502 });
    expect((await list('Todo', 'In Progress')).issues).toHaveLength(150);
  });
});

describe('moves', () => {
  test('a close between read and move stays a close, and the move counts as changed', async () => {
    const { card, issue } = add('Todo');
    world.server.before('MoveCard', () => world.alice.close(issue, 'NOT_PLANNED'));
    expect(await move(card, 'In Progress')).toEqual({ kind: 'changed' });
    expect([issue.state, issue.stateReason]).toEqual(['CLOSED', 'NOT_PLANNED']);
  });

  test('a person who moved the card between read and move gets it back where they put it', async () => {
    const { card } = add('Todo');
    world.server.before('MoveCard', () => hands().move(card, 'Done', world.alice.account));
    expect(await move(card, 'In Progress')).toEqual({ kind: 'changed' });
    expect(card.status?.name).toBe('Done');
  });

  test('the project’s own workflow that moves the card of a closed issue meanwhile has the last word', async () => {
    const { card, issue } = add('In Progress');
    const workflow = world.server.state.account('github-project-automation', 'Bot');
    world.server.before('MoveCard', () => {
      world.alice.close(issue);
      hands().move(card, 'Done', workflow);
    });
    expect(await move(card, 'In Review')).toEqual({ kind: 'changed' });
    expect([issue.state, card.status?.name]).toEqual(['CLOSED', 'Done']);
  });

  test('what stands in a final column is never moved back', async () => {
    const { card } = add('Done');
    expect(await move(card, 'In Review')).toMatchObject({ kind: 'rejected' });
    expect(card.status?.name).toBe('Done');
  });

  test('what the timeline tells late undoes no move of ours', async () => {
    const { card } = add('Backlog');
    expect(await move(card, 'In Progress')).toEqual({ kind: 'written' });
    hands().tellsMoves = false;
    hands().move(card, 'Todo', world.alice.account);
    expect(await move(card, 'In Progress')).toEqual({ kind: 'written' });
    expect(card.status?.name).toBe('In Progress');
  });

  test('a move whose answer is lost is not known, and not sent again', async () => {
    const { card } = add('Todo');
    world.server.fail('MoveCard', 'lose');
    await expect(move(card, 'In Progress')).rejects.toThrow();
    expect(world.server.log.filter(({ operation }) => operation === 'MoveCard')).toHaveLength(1);
    expect((await read(card)).state).toBe('In Progress');
  });

  test('a move of which the answer is told in part is not known', async () => {
    const { card } = add('Todo');
    const path = ['move', 'projectV2Item'];
    const errors = [{ type: 'FORBIDDEN', message: 'Not this part.', path }];
    const json = { data: { move: { projectV2Item: null } }, errors };
    world.server.fail('MoveCard', { json });
    await expect(move(card, 'In Progress')).rejects.toThrow('did not say');
  });

  test('a card that is gone when it is moved has changed', async () => {
    const { card } = add('Todo');
    world.server.before('MoveCard', () => hands().remove(card));
    expect(await move(card, 'In Progress')).toEqual({ kind: 'changed' });
  });

  test('there is no record of moves, and whoever may move cards may start work', async () => {
    const { card } = add('Todo');
    hands().move(card, 'In Progress', world.server.state.account('mallory'));
    expect(await read(card)).toMatchObject({ trusted: true, movedBy: 'person' });
    expect(await world.tracker.moves(idOf(card))).toBeUndefined();
  });
});

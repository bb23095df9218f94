import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveContract } from '../../../lib/core/contract.ts';
import type { IssueId, Issue as Read, StateName } from '../../../lib/core/issue.ts';
import { boardStates, listIds, readFresh } from '../../contracts/tracker-world.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import { githubPerson } from '../../support/github/github-person.ts';
import type { Issue } from '../../support/github/github-state.ts';
import { type LabelWorld, makeLabelWorld } from '../../support/github/label-world.ts';

/** What is known to go wrong with issues at GitHub, one by one. */

let world: LabelWorld;
beforeEach(async () => {
  world = await makeLabelWorld({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
});
afterEach(() => world.dispose());

const add = (...labels: string[]): Issue =>
  world.server.state.addIssue(world.repository, world.alice.account, { labels });
const read = (issue: Issue): Promise<Read> => readFresh(world, issue.id as IssueId);
const reading = (issue: Issue) => world.tracker.read(issue.id as IssueId);
const move = async (issue: Issue, to: string) =>
  world.tracker.transition(await readFresh(world, issue.id as IssueId), to as StateName);
const namesOf = (issue: Issue) => issue.labels.map(({ name }) => name).sort();
const listed = async (...states: string[]) => {
  const { issues } = await world.tracker.list(states as StateName[]);
  return issues;
};

describe('states', () => {
  test.each([
    ['COMPLETED', 'closed as completed'],
    ['NOT_PLANNED', 'closed as not planned'],
    ['DUPLICATE', 'closed as duplicate'],
  ] as const)('closed comes before every label, and tells its reason (%s)', async (reason, state) => {
    const issue = add('Todo', 'In Progress');
    world.alice.close(issue, reason);
    expect(await read(issue)).toMatchObject({ closed: true, state, conflictingStates: [] });
    expect(await listed(...boardStates)).toEqual([]);
  });

  test('a parent that closes its parts, or is closed for them, ends each like a person who closes it', async () => {
    const [parent, part] = [add('Todo'), add('In Progress')];
    parent.subIssues = [part];
    for (const issue of [part, parent])
      githubPerson(world.server.state, 'github-project-automation', {}, 'Bot').close(issue);
    for (const issue of [part, parent]) {
      expect(await read(issue)).toMatchObject({ closed: true, state: 'closed as completed', blockers: [] });
      expect(await listed('Todo', 'In Progress')).toEqual([]);
    }
  });

  test('an open issue without a state label is not ours, and nowhere counts as the first active state', async () => {
    const issue = add('bug');
    expect(await read(issue)).toMatchObject({ closed: false, state: 'no state label', labels: ['bug'] });
    expect(await listed(...boardStates)).toEqual([]);
  });

  test('of a terminal label and another one the terminal one wins', async () => {
    const issue = add('In Progress', 'Done');
    expect(await read(issue)).toMatchObject({ state: 'Done', labels: [] });
    expect(await listIds(world, ['In Progress'])).toEqual([]);
  });

  test('a label is the same in another case, and composed otherwise', async () => {
    world.alice.renameLabel(world.repository, 'Todo', 'TODO');
    const issue = add('TODO');
    expect(await listIds(world, ['todo'])).toEqual([issue.id]);
    expect(await move(issue, 'in  progress'.replace('  ', ' '))).toEqual({ kind: 'written' });
  });

  test('a renamed label keeps its id, and its issues are still in that state', async () => {
    const issue = add('Todo');
    const before = await world.tracker.states();
    world.alice.renameLabel(world.repository, 'Todo', 'Ready');
    const after = await world.tracker.states();
    const id = before.find(({ name }) => name === 'Todo')?.id;
    expect(after.find((state) => state.id === id)?.name).toBe('Ready');
    expect(await read(issue)).toMatchObject({ state: 'Ready' });
    expect(await listIds(world, ['Todo', 'Ready'])).toEqual([issue.id]);
  });

  test('an emoji and its short name are two names: a label in the other spelling is told as missing', async () => {
    world.server.state.label(world.repository, ':sparkles: todo');
    const workflow = buildWorkflow({ tracker: { active_states: ['✨ todo', 'In Progress'] } });
    const live = resolveContract(workflow, await world.tracker.states(), undefined);
    expect(live.valid ? [] : live.problems.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'state-exists tracker.active_states[0]',
    ]);
  });

  test('more than a hundred labels are read page by page', async () => {
    for (let n = 0; n < 230; n += 1) world.server.state.label(world.repository, `area ${n}`);
    expect(await world.tracker.states()).toHaveLength(boardStates.length + 230);
  });

  test('an archived repository, and one without issues, is told as such', async () => {
    world.repository.isArchived = true;
    await expect(world.tracker.states()).rejects.toThrow('acme/web is archived');
    Object.assign(world.repository, { isArchived: false, hasIssues: false });
    await expect(world.tracker.states()).rejects.toThrow('issues switched off');
  });
});

describe('what is no issue of this board', () => {
  test('a pull request is in no list, and gone when it is read', async () => {
    const state = world.server.state;
    const pull = state.addIssue(world.repository, world.alice.account, {
      labels: ['Todo'],
      isPullRequest: true,
    });
    expect(await listed('Todo')).toEqual([]);
    expect(await reading(pull)).toEqual({ kind: 'gone' });
  });

  test('a transferred issue is gone here, also where its id still leads to it', async () => {
    const other = world.server.state.repository('acme/other', boardStates);
    const [left, followed] = [add('Todo'), add('Todo')];
    world.alice.transfer(left, other);
    expect(await reading(left)).toEqual({ kind: 'gone' });
    followed.repository = other;
    expect(await reading(followed)).toEqual({ kind: 'gone' });
  });

  test.each(['gone', 'still shown as closed'] as const)(
    'an issue that is made a discussion is never worked on again (%s)',
    async (how) => {
      const issue = add('Todo');
      world.alice.close(issue);
      if (how === 'gone') world.alice.remove(issue);
      expect(await listed(...boardStates)).toEqual([]);
      expect(await reading(issue)).toMatchObject(
        how === 'gone' ? { kind: 'gone' } : { kind: 'found', issue: { closed: true } },
      );
    },
  );

  test('a repository that is out of sight takes none of its issues away', async () => {
    const issue = add('Todo');
    world.repository.name = 'renamed';
    world.repository.issues.splice(0);
    expect(await reading(issue)).toMatchObject({ kind: 'unknown' });
    await expect(world.tracker.list(['Todo' as StateName])).rejects.toThrow(
      'there is no repository acme/web',
    );
  });

  test('a repository that gets out of sight between two requests takes none of the second one’s issues away', async () => {
    const ids = Array.from({ length: 101 }, () => add('Todo').id as IssueId);
    world.server.before('ReadIssues', () => undefined);
    world.server.before('ReadIssues', () => {
      world.repository.name = 'renamed';
      world.repository.issues.splice(0);
    });
    const readings = await world.tracker.readMany(ids);
    expect(ids.map((id) => readings.get(id)?.kind)).toEqual([...Array(100).fill('found'), 'unknown']);
  });

  test('a repository that was renamed is served by the name it had, and who moves its issues is still trusted', async () => {
    const { state } = world.server;
    state.formerNames.set('acme/web', world.repository);
    world.repository.name = 'site';
    const issue = add('Todo');
    expect(await reading(issue)).toMatchObject({ kind: 'found', issue: { trusted: true } });
    expect(await move(issue, 'In Progress')).toEqual({ kind: 'written' });
    const [listed] = (await world.tracker.list(['In Progress' as StateName])).issues;
    expect(listed).toMatchObject({ trusted: true });
  });

  test('a locked issue is moved, and its comment fails alone', async () => {
    const issue = add('Todo');
    issue.locked = true;
    expect(await move(issue, 'In Progress')).toEqual({ kind: 'written' });
    const fresh = await readFresh(world, issue.id as IssueId);
    const comment = { marker: 'm', body: 'b', ref: undefined };
    expect(await world.tracker.comment(fresh, comment)).toEqual({
      problem: expect.stringContaining('issue is locked'),
    });
  });
});

describe('lists', () => {
  test('a list that fails on a later page is no list', async () => {
    for (let n = 0; n < 150; n += 1) add('Todo');
    await world.tracker.states('list');
    for (let n = 0; n < 2; n += 1) world.server.fail('ListIssues', { status: 500 });
    await expect(world.tracker.list(['Todo' as StateName])).rejects.toThrow('500');
  });

  test('a page that the vendor cannot serve in time is asked for by halves, and that is remembered', async () => {
    for (let n = 0; n < 120; n += 1) add('Todo');
    await world.tracker.states();
    for (let n = 0; n < 2; n += 1) world.server.fail('ListIssues', { status: 502 });
    expect(await listed('Todo')).toHaveLength(120);
    const before = world.server.log.length;
    expect(await listed('Todo')).toHaveLength(120);
    const pages = world.server.log.slice(before).filter(({ operation }) => operation === 'ListIssues');
    expect(pages).toHaveLength(3);
  });

  test('an issue that comes twice, because it moved between two pages, counts once', async () => {
    const issues = Array.from({ length: 101 }, () => add('Todo'));
    await world.tracker.states('list');
    world.server.before('ListIssues', () => {
      world.repository.issues.unshift(world.repository.issues.splice(99, 1)[0]!);
      world.repository.issues.splice(100, 0, issues[0]!);
    });
    const found = await listed('Todo');
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  });

  test('a list that lags behind is corrected by the read by id', async () => {
    const issue = add('Todo');
    world.server.state.holdLists();
    world.alice.close(issue);
    expect(await listIds(world, ['Todo'])).toEqual([issue.id]);
    expect(await read(issue)).toMatchObject({ closed: true });
  });
});

describe('moves', () => {
  test('the new label comes before the old one goes, and no other label is touched', async () => {
    const issue = add('bug', 'Todo', 'agent');
    world.server.after('addLabelsToLabelable', () => {
      expect(namesOf(issue)).toEqual(['In Progress', 'Todo', 'agent', 'bug']);
      world.alice.label(issue, 'urgent');
      world.alice.unlabel(issue, 'bug');
    });
    expect(await move(issue, 'In Progress')).toEqual({ kind: 'written' });
    expect(namesOf(issue)).toEqual(['In Progress', 'agent', 'urgent']);
  });

  test.each(['addLabelsToLabelable', 'before'] as const)(
    'a close between read and write (%s) stands, and our move is undone',
    async (when) => {
      const issue = add('In Progress');
      const close = () => world.alice.close(issue, 'NOT_PLANNED');
      if (when === 'before') world.server.before('MoveLabels', close);
      else world.server.after(when, close);
      expect(await move(issue, 'In Review')).toEqual({ kind: 'changed' });
      expect([issue.state, issue.stateReason, ...namesOf(issue)]).toEqual([
        'CLOSED',
        'NOT_PLANNED',
        'In Progress',
      ]);
    },
  );

  test.each([
    ['moves it elsewhere', (issue: Issue) => world.alice.move(issue, 'Backlog', boardStates), ['Backlog']],
    ['takes its label away', (issue: Issue) => world.alice.unlabel(issue, 'In Progress'), []],
    ['adds another state', (issue: Issue) => world.alice.label(issue, 'Todo'), ['Todo']],
  ] as const)('whoever is faster and %s loses nothing', async (_, act, labels) => {
    const issue = add('In Progress');
    world.server.before('MoveLabels', () => act(issue));
    expect(await move(issue, 'In Review')).toEqual({ kind: 'changed' });
    expect(namesOf(issue)).toEqual([...labels]);
  });

  test('a label that was deleted since takes the old one with it from no issue', async () => {
    const issue = add('Todo');
    const fresh = await readFresh(world, issue.id as IssueId);
    await world.tracker.states();
    world.alice.deleteLabel(world.repository, 'In Progress');
    const written = await world.tracker.transition(fresh, 'In Progress' as StateName);
    expect(written.kind).toBe('changed');
    expect(namesOf(issue)).toEqual(['Todo']);
  });

  test('a write without an answer is not known, and is not sent twice', async () => {
    const issue = add('Todo');
    const fresh = await readFresh(world, issue.id as IssueId);
    await world.tracker.states();
    world.server.fail('MoveLabels', 'lose');
    await expect(world.tracker.transition(fresh, 'In Progress' as StateName)).rejects.toThrow(
      'did not answer',
    );
    expect(world.server.log.filter(({ operation }) => operation === 'MoveLabels')).toHaveLength(1);
    expect(await read(issue)).toMatchObject({ state: 'In Progress' });
  });

  test('a permission that is missing is a refusal', async () => {
    const issue = add('Todo');
    const fresh = await readFresh(world, issue.id as IssueId);
    await world.tracker.states();
    world.repository.isArchived = true;
    expect(await world.tracker.transition(fresh, 'In Progress' as StateName)).toEqual({
      kind: 'rejected',
      problem: expect.stringContaining('read-only'),
    });
  });

  test('what stands in a final state by its label is never moved back', async () => {
    const issue = add('Done');
    expect(await move(issue, 'Todo')).toMatchObject({ kind: 'rejected' });
    expect(namesOf(issue)).toEqual(['Done']);
  });
});

describe('who moved it', () => {
  const mallory = () => githubPerson(world.server.state, 'mallory', { 'acme/web': 'read' });
  const robot = () => githubPerson(world.server.state, 'renovate', {}, 'Bot');
  const trusted = async (issue: Issue) => {
    const [light] = await listed(...boardStates);
    const whole = await read(issue);
    expect(light?.trusted).toBe(whole.trusted);
    return whole.trusted;
  };

  test('a person who may write is trusted, another one and a bot are not', async () => {
    for (const [person, answer] of [
      [world.alice, true],
      [mallory(), false],
      [robot(), false],
    ] as const) {
      const issue = add('bug');
      person.label(issue, 'Todo');
      expect(await trusted(issue)).toBe(answer);
      world.alice.close(issue);
    }
  });

  test('the latest move counts, and our own hands the trust of the one before on', async () => {
    const issue = add('Todo');
    await move(issue, 'In Progress');
    expect(await read(issue)).toMatchObject({ trusted: true, movedBy: 'automation' });
    mallory().move(issue, 'Todo', boardStates);
    expect(await read(issue)).toMatchObject({ trusted: false, movedBy: 'person' });
    await move(issue, 'In Progress');
    expect(await read(issue)).toMatchObject({ trusted: false });
  });

  test('who reopens it counts as well', async () => {
    const issue = add('Todo');
    mallory().close(issue);
    mallory().reopen(issue);
    expect(await read(issue)).toMatchObject({ trusted: false });
    world.alice.close(issue);
    world.alice.reopen(issue);
    expect(await read(issue)).toMatchObject({ trusted: true });
  });

  test('a bot counts by its name only, and no person by a bot’s name', async () => {
    const board = world.connect({ trusted: ['renovate[bot]'] });
    const [byBot, byPerson] = [add('bug'), add('bug')];
    robot().label(byBot, 'Todo');
    githubPerson(world.server.state, 'Renovate-Fan').label(byPerson, 'Todo');
    const kinds = async (issue: Issue) => {
      const found = await board.read(issue.id as IssueId);
      return found.kind === 'found' ? found.issue.trusted : found.kind;
    };
    expect([await kinds(byBot), await kinds(byPerson)]).toEqual([true, false]);
  });

  test('more than fifty events of its labels hide who moved it: it waits, and nobody is taken for the mover', async () => {
    const issue = add('Todo');
    for (let n = 0; n < 51; n += 1) robot().label(issue, `area ${n}`);
    expect(await read(issue)).toMatchObject({ trusted: 'unknown', movedBy: 'automation' });
  });

  test('an account that is deleted, and a right that cannot be asked for, make it wait', async () => {
    const [deleted, unasked] = [add('bug'), add('bug')];
    const { state, repository } = { ...world, state: world.server.state };
    state.addLabel(deleted, state.label(repository, 'Todo'), null);
    state.addLabel(unasked, state.label(repository, 'Todo'), { login: 'nobody', kind: 'User' });
    expect(await read(deleted)).toMatchObject({ trusted: 'unknown' });
    expect(await read(unasked)).toMatchObject({ trusted: 'unknown' });
  });
});

describe('what an issue waits for', () => {
  test('open blockers and open sub-issues, by name where they are known', async () => {
    const [first, second, done, child] = [add(), add(), add(), add()];
    world.alice.close(done);
    const issue = add('Todo');
    issue.blockedBy = [first, second, done];
    issue.subIssues = [child, done];
    const blockers = [
      { key: 'web#1', open: true },
      { key: 'web#2', open: true },
      { key: 'its sub-issue web#4', open: true },
    ];
    expect(await read(issue)).toMatchObject({ blockers });
    expect(await listed('Todo')).toMatchObject([{ blockers }]);
    issue.subIssues = [child, ...Array.from({ length: 19 }, () => done), add(), add()];
    const more = { key: '2 more open sub-issues', open: true };
    expect(await listed('Todo')).toMatchObject([{ blockers: [...blockers, more] }]);
    for (const one of [...issue.blockedBy, ...issue.subIssues]) world.alice.close(one);
    expect(await listed('Todo')).toMatchObject([{ blockers: [] }]);
  });

  test('none of more than twenty blockers is missed, where most of them are done', async () => {
    const issue = add('Todo');
    issue.blockedBy = Array.from({ length: 24 }, () => add());
    for (const done of issue.blockedBy.slice(0, 21)) world.alice.close(done);
    const blockers = [{ key: '3 open issues', open: true }];
    expect(await read(issue)).toMatchObject({ blockers });
    expect(await listed('Todo')).toMatchObject([{ blockers }]);
  });

  test.each([
    ['p0', 1],
    ['P3', 3],
    ['priority: high', 2],
    ['priority/4', 4],
    ['Priority urgent', 1],
    ['performance', undefined],
    ['p5', undefined],
  ])('its priority is read off a label (%s)', async (label, priority) => {
    expect(await read(add('Todo', label))).toMatchObject({ priority });
  });
});

describe('the status comment', () => {
  const put = async (issue: Issue, body: string, ref?: string) =>
    world.tracker.comment(await readFresh(world, issue.id as IssueId), { marker: '<!-- m -->', body, ref });

  test('is found among more than a hundred, and only in a comment of our own', async () => {
    const issue = add('Todo');
    world.alice.comment(issue, 'Look: <!-- m -->');
    const { ref } = await put(issue, 'First.');
    for (let n = 0; n < 150; n += 1) world.alice.comment(issue, `Comment ${n} <!-- m -->`);
    expect(await put(issue, 'Second.')).toEqual({ ref });
    expect(issue.comments).toHaveLength(152);
    expect(issue.comments[1]?.body).toBe('Second.\n<!-- m -->');
  });

  test('that was deleted is made anew', async () => {
    const issue = add('Todo');
    const { ref } = await put(issue, 'First.');
    issue.comments.splice(0);
    expect((await put(issue, 'Second.', ref)).ref).not.toBe(ref);
  });

  test('whose answer was lost is not made a second time', async () => {
    const issue = add('Todo');
    world.server.fail('AddComment', 'lose');
    await expect(put(issue, 'First.')).rejects.toThrow('did not answer');
    await put(issue, 'Second.');
    expect(issue.comments.map(({ body }) => body)).toEqual(['Second.\n<!-- m -->']);
  });

  test('that somebody else made between our look and our own is the one that stays, with the latest story', async () => {
    const issue = add('Todo');
    world.server.before('AddComment', () => {
      world.server.state.addComment(issue, world.server.viewer, 'Late.\n<!-- m -->');
    });
    const { ref } = await put(issue, 'Second.');
    expect(issue.comments).toMatchObject([{ id: ref, body: 'Second.\n<!-- m -->' }]);
  });

  test('of which there are two is one again at the next look for it', async () => {
    const issue = add('Todo');
    for (const body of ['One.', 'Other.'])
      world.server.state.addComment(issue, world.server.viewer, `${body}\n<!-- m -->`);
    const { ref } = await put(issue, 'Third.');
    expect(issue.comments).toMatchObject([{ id: ref, body: 'Third.\n<!-- m -->' }]);
  });

  test('is cut where it is longer than GitHub takes, and keeps its marker', async () => {
    const issue = add('Todo');
    for (const body of ['x'.repeat(70_000), '😀'.repeat(40_000)]) {
      await put(issue, body);
      const [comment] = issue.comments;
      expect(comment!.body.length).toBeLessThanOrEqual(65_536);
      expect(comment!.body).toMatch(/\(The text is longer; it was cut here\.\)\n<!-- m -->$/);
      expect(comment!.body).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    }
  });

  test('notifies nobody and closes nothing', async () => {
    const issue = add('Todo');
    await put(issue, '@alice fixes #12, closes acme/web#3, GH-4, resolves https://github.com/a/b/issues/5');
    const { body } = issue.comments[0]!;
    expect(body).not.toMatch(/@\w|#\d|GH-\d|(closes|resolves)\s/);
    expect(body.replaceAll('\u200b', '')).toContain(
      '@alice fixes #12, closes acme/web#3, GH-4, resolves https',
    );
  });
});

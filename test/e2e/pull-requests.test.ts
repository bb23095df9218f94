import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { branchName } from '../../lib/core/names.ts';
import type { PullRequest } from '../support/github/github-pulls.ts';
import { type Card, type GitHubScene, makeGitHubScene } from './support/github-scene.ts';

/** Pull requests through the command line, on a board of either kind, with turns that push to a real repository at its host. */

vi.setConfig({ testTimeout: 300_000 });

let scene: GitHubScene;
afterEach(() => scene.end());

const works = { command: 'date +%N >> work.txt', max_no_progress: 1 };
const start = async () => {
  const { code, stderr } = await scene.start();
  expect(code, stderr).toBe(0);
};
const pulls = () => scene.server.state.pulls;
const pullsOf = ({ id }: Card) => pulls().all.filter(({ head }) => head === branchName(id));
const pullOf = (card: Card): PullRequest => {
  const [pull, ...others] = pullsOf(card);
  expect(others).toEqual([]);
  return pull!;
};
const commentOf = ({ issue }: Card) => issue.comments.map(({ body }) => body).join('\n---\n');
const askedBy = (operation: string) =>
  scene.server.log.filter((one) => one.operation === operation).map(({ token }) => token);

describe.each(['github', 'github-project'] as const)('on a board of kind %s', (kind) => {
  beforeEach(async () => {
    scene = await makeGitHubScene(kind, 'hosted');
    scene.writeWorkflow(works, { merged_state: 'Done' });
  });

  test('a turn opens one, the next turn keeps it, and its merge finishes the issue; one that a person closed stays closed', async () => {
    const [taken, refused] = [scene.add('Mend the gate', 'Todo'), scene.add('Paint it pink', 'Todo')];
    await start();
    expect(pullOf(taken)).toMatchObject({
      ...{ title: 'Mend the gate', base: 'main', isDraft: true, state: 'OPEN' },
      body: expect.stringMatching(
        /^<!-- evenkeel:begin -->\nRefs acme\/web#1\n\nThe work of attempt 1 by evenkeel\.[^<]*<!-- evenkeel:end -->$/,
      ),
    });
    expect(commentOf(taken)).toContain(`[${pullOf(taken).number}](${scene.server.state.web}/acme/web/pull/`);
    expect([taken, refused].map(scene.stateOf)).toEqual(['In Review', 'In Review']);
    expect(new Set(askedBy('CreatePullRequest'))).toEqual(new Set([scene.server.gitToken]));

    Object.assign(pullOf(taken), {
      title: 'The gate',
      body: `For alice.\n\n${pullOf(taken).body}`,
      isDraft: false,
    });
    pulls().close(pullOf(refused));
    for (const card of [taken, refused]) scene.move(card, 'Todo');
    await start();
    expect(pullOf(taken)).toMatchObject({
      ...{ title: 'The gate', isDraft: false, state: 'OPEN' },
      body: expect.stringMatching(/^For alice\.\n\n<!--[^>]*-->\nRefs acme\/web#1\n\nThe work of attempt 2/),
    });
    expect(pullOf(refused)).toMatchObject({ state: 'CLOSED', body: expect.stringContaining('attempt 1') });
    expect(commentOf(refused)).toContain('was closed by a person and is not opened again');
    expect(scene.code.read(branchName(refused.id), 'work.txt')?.split('\n')).toHaveLength(2);

    pulls().merge(pullOf(taken));
    await start();
    expect([taken, refused].map(scene.stateOf)).toEqual(['Done', 'In Review']);
    expect(taken.issue.state).toBe('OPEN');
    expect(taken.issue.comments).toHaveLength(1);
    expect((await scene.checkTrace()).code).toBe(0);
  });
});

describe('whatever the board is', () => {
  beforeEach(async () => {
    scene = await makeGitHubScene('github', 'hosted');
  });

  test('a merge finishes nothing that a person took back, and none of what was pushed later', async () => {
    scene.writeWorkflow(works, { merged_state: 'Done' });
    const [again, newer] = [scene.add('Mend the gate', 'Todo'), scene.add('Oil the hinge', 'Todo')];
    await start();
    for (const card of [again, newer]) pulls().merge(pullOf(card));
    scene.move(again, 'Backlog');
    scene.code.push(branchName(newer.id), { 'more.txt': 'more' }, branchName(newer.id));
    await start();
    expect([again, newer].map(scene.stateOf)).toEqual(['Backlog', 'In Review']);
    pulls().refs(newer.issue.repository).remove(branchName(newer.id));
    await start();
    expect([again, newer].map(scene.stateOf)).toEqual(['Backlog', 'Done']);
    expect((await scene.checkTrace()).code).toBe(0);
  });

  test('a token that may open none hands the turn over all the same, and the comment says what it lacks', async () => {
    scene.writeWorkflow(works);
    pulls().access = 'read';
    const card = scene.add('Mend the gate', 'Todo');
    await start();
    expect(scene.stateOf(card)).toBe('In Review');
    expect(commentOf(card)).toMatch(/may not write pull requests of acme\/web.*read and write pull requests/);
    expect(pullsOf(card)).toEqual([]);
  });

  test('the file says whether it is a draft, and whether its merge closes the issue', async () => {
    scene.writeWorkflow(works, {}, { pull_request: { draft: false, closing_keyword: true } });
    const card = scene.add('Fixes #7 for @bob', 'Todo');
    await start();
    expect(pullOf(card)).toMatchObject({
      ...{ isDraft: false, title: 'Fixes #\u200b7 for @\u200bbob' },
      body: expect.stringContaining('\nCloses acme/web#1\n'),
    });
  });
});

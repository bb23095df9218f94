import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WantedPullRequest } from '../../../lib/core/pull-request.ts';
import { wanted } from '../../contracts/describe-pull-requests.ts';
import { countCost } from '../../support/github/count-cost.ts';
import {
  type GitHubPullRequestsWorld,
  makePullRequestsWorld,
} from '../../support/github/pull-requests-world.ts';

const { branch } = wanted();

let world: GitHubPullRequestsWorld;
beforeEach(async () => {
  world = await makePullRequestsWorld();
  world.refs.push(branch);
});
afterEach(() => world.dispose());

const put = (fields: Partial<WantedPullRequest> = {}) =>
  world.pullRequests.put(world.repository, wanted(fields));
const mergesOf = (branches: readonly string[] = [branch]) =>
  world.pullRequests.merged(world.repository, 'main', branches);
const merged = async (branches?: readonly string[]) => new Set((await mergesOf(branches)).keys());
const bodyOf = () => world.of(branch).at(-1)!.body;
const issue = (url: string | undefined, key = 'web#12') =>
  ({ key, url }) as unknown as WantedPullRequest['issue'];
const written = () =>
  world.server.log.map(({ operation }) => operation).filter((name) => /^(Create|Update)/.test(name));

describe('a fork with a branch of the same name', () => {
  const fork = (count = 1) => {
    const { pulls } = world.server.state;
    return Array.from({ length: count }, () =>
      pulls.open(world.home, world.alice.account, { head: branch, fork: 'mallory' }),
    );
  };

  test('has a pull request of its own, which is neither edited nor taken for ours', async () => {
    const [theirs] = fork();
    expect(await put()).toMatchObject({ kind: 'open', number: theirs!.number + 1 });
    expect(theirs!.body).toBe('');
  });

  test('does not decide for us: theirs was closed or merged, and ours is opened', async () => {
    const { pulls } = world.server.state;
    const [closed, taken] = fork(2);
    pulls.close(closed!);
    pulls.merge(taken!);
    expect(await put()).toMatchObject({ kind: 'open' });
  });

  test('does not make our work merged, also after our branch is gone', async () => {
    world.server.state.pulls.merge(fork()[0]!);
    expect(await merged()).toEqual(new Set());
    world.refs.remove(branch);
    expect(await merged()).toEqual(new Set());
  });

  test('is none of ours also after it was deleted, and its pull request stands there as of nowhere', async () => {
    const { pulls } = world.server.state;
    const [open, taken] = fork(2);
    pulls.merge(taken!);
    for (const one of [open!, taken!]) one.forkIsGone = true;
    expect(await put()).toMatchObject({ kind: 'open', number: taken!.number + 1 });
    world.refs.remove(branch);
    expect(await merged()).toEqual(new Set());
  });

  test('does not bury ours under pages of theirs', async () => {
    await put();
    await world.close(branch);
    fork(250);
    expect(await put()).toMatchObject({ kind: 'closed', number: 1 });
    expect(world.of(branch).filter((one) => one.fork === undefined)).toHaveLength(1);
  });
});

describe('what the vendor does not show yet', () => {
  test('a pull request that a list leaves out is looked for again, and no second one is opened', async () => {
    await put();
    world.server.state.pulls.lag.lists = 3;
    expect(await put({ body: 'The work of attempt 2.' })).toMatchObject({ kind: 'open', number: 1 });
    expect(bodyOf()).toContain('attempt 2');
    expect(world.of(branch)).toHaveLength(1);
  });

  test('a pull request that no list shows is unknown, and nothing is opened', async () => {
    await put();
    world.server.state.pulls.lag.lists = 99;
    await expect(put()).rejects.toThrow(/does not show it/);
    expect(world.of(branch)).toHaveLength(1);
  });

  test('a branch that does not show for long holds up nobody else: a later call goes on', async () => {
    const { pulls } = world.server.state;
    pulls.lag.branches = 1;
    await expect(world.hasty.put(world.repository, wanted())).rejects.toThrow(/takes long to show/);
    expect(await world.hasty.put(world.repository, wanted())).toMatchObject({ kind: 'open' });
  });

  test('a branch that was just pushed is waited for, though the vendor says that there are no commits', async () => {
    world.server.state.pulls.lag.branches = 2;
    expect(await put()).toMatchObject({ kind: 'open' });
  });
});

describe('the words', () => {
  const here = () => `${world.server.state.web}/acme/web/issues/12`;

  test.each([
    [false, 'Refs acme/web#12'],
    [true, 'Closes acme/web#12'],
  ])(
    'name the issue as the code host does, and close it (%s) only where the file says so',
    async (closes, reference) => {
      await put({ issue: issue(here()), closes });
      expect(bodyOf()).toMatch(new RegExp(`^<!-- evenkeel:begin -->\\n${reference}\\n\\n`));
      await put({ issue: issue(here()), closes: !closes });
      expect(bodyOf()).not.toContain(reference);
    },
  );

  test('name an issue of any other tracker by its key, which links nothing else', async () => {
    await put({ issue: issue('https://linear.example/acme/issue/ENG-7', 'ENG-7') });
    expect(bodyOf()).toContain('Refs ENG-7\n');
    await put({ issue: issue('https://elsewhere.example/acme/web/issues/12', 'web#12'), closes: true });
    expect(bodyOf()).toContain('Closes web#\u200b12\n');
  });

  test('name no other issue of a tracker that links every key it finds, and moves it along', async () => {
    const elsewhere = issue('https://linear.example/acme/issue/ENG-7', 'ENG-7');
    await put({ title: 'As in ENG-8 and DES-1', issue: elsewhere });
    expect(world.of(branch)).toMatchObject([{ title: 'As in ENG-\u200b8 and DES-\u200b1' }]);
  });

  test('keep what only looks like a key where issues have none', async () => {
    await put({ title: 'Read it as UTF-8', issue: issue(here()) });
    expect(world.of(branch)).toMatchObject([{ title: 'Read it as UTF-8' }]);
  });

  test('notify nobody and close nothing that an issue or a file names in passing', async () => {
    await put({
      title: 'Fixes #3: ask\n@alice,  closes https://github.com/acme/web/issues/4',
      body: 'Resolves acme/web#5 by @bob, see GH-6',
    });
    const [{ title, body } = { title: '', body: '' }] = world.of(branch);
    expect(title).toBe(
      'Fixes #\u200b3: ask @\u200balice, closes\u200b https://github.com/acme/web/\u200bissues/4',
    );
    expect(body).toContain('Resolves\u200b acme/web#\u200b5 by @\u200bbob, see GH-\u200b6');
  });

  test.each(['skip ci', 'CI skip', 'no ci', 'skip actions', 'actions skip'])(
    'keep no checks from running, where a merge makes the title the message of a commit ([%s])',
    async (order) => {
      await put({ title: `Mend [it] [${order}]` });
      expect(world.of(branch)).toMatchObject([{ title: `Mend [it] [\u200b${order}]` }]);
    },
  );

  test('fit, however long they are', async () => {
    await put({ title: `x${'\u{1f600}'.repeat(300)}`, body: 'a long line\n'.repeat(9_000) });
    const [{ title, body } = { title: '', body: '' }] = world.of(branch);
    expect(title).toBe(`x${'\u{1f600}'.repeat(127)}`);
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toMatch(/it was cut here\.\)\n<!-- evenkeel:end -->$/);
  });

  test('take the room that a person left, and keep the text where there is none', async () => {
    await put();
    const fill = (length: number) => {
      const ours = /<!-- evenkeel:begin -->[\s\S]*<!-- evenkeel:end -->/.exec(bodyOf())![0];
      world.of(branch)[0]!.body = `${ours}${'x'.repeat(length)}`;
    };
    fill(60_000);
    expect(await put({ body: 'a long line\n'.repeat(9_000) })).toMatchObject({ kind: 'open' });
    expect(bodyOf().length).toBeLessThanOrEqual(65_536);
    expect(bodyOf()).toMatch(/cut here\.\)\n<!-- evenkeel:end -->x{60000}$/);
    await put();
    fill(65_400);
    const before = bodyOf();
    expect(await put({ body: 'a long line\n'.repeat(9_000) })).toMatchObject({ kind: 'open' });
    expect(bodyOf()).toBe(before);
  });
});

describe('what the vendor refuses', () => {
  test('drafts, where its plan has none: it is opened ready for review', async () => {
    world.server.state.pulls.takesDrafts = false;
    expect(await put()).toMatchObject({ kind: 'open' });
    expect(world.of(branch)).toMatchObject([{ isDraft: false }]);
  });

  test.each<readonly [string, () => void, RegExp]>([
    [
      'a token that may only read pull requests',
      () => {
        world.server.state.pulls.access = 'read';
      },
      /this token may not write pull requests of acme\/web .*read contents there, and read and write pull requests/,
    ],
    [
      'a token that may not even read them',
      () => {
        world.server.state.pulls.access = 'none';
      },
      /this token may not write pull requests of acme\/web/,
    ],
    [
      'a repository that is not there for the token',
      () => {
        world.home.name = 'other';
      },
      /this token may not write pull requests of acme\/web/,
    ],
    [
      'a token that is no longer valid',
      () => world.server.fail('ListPullRequests', { status: 401, json: { message: 'Bad credentials' } }),
      /GitHub does not take the token.*this token/,
    ],
    [
      'a base that is not there',
      () => world.refs.remove('main'),
      /no branch 'main' to merge into; correct `base`/,
    ],
    [
      'anything else',
      () =>
        world.server.fail('CreatePullRequest', {
          json: {
            data: { createPullRequest: null },
            errors: [{ type: 'UNPROCESSABLE', message: 'The repository is locked for migration.' }],
          },
        }),
      /locked for migration/,
    ],
  ])('%s is told to people, without the text of the issue', async (_, prepare, problem) => {
    prepare();
    const answer = await put({ title: 'A secret plan', body: 'The work of attempt 2.' });
    expect(answer).toEqual({ kind: 'refused', problem: expect.stringMatching(problem) });
    expect(JSON.stringify(answer)).not.toMatch(/secret plan|attempt 2/);
    expect(world.of(branch)).toEqual([]);
  });

  test.each<readonly [string, () => void]>([
    ['a used up quota', () => world.server.useUpQuota()],
    [
      'content that comes too fast',
      () =>
        world.server.fail('CreatePullRequest', {
          json: {
            data: { createPullRequest: { pullRequest: null } },
            errors: [{ type: 'UNPROCESSABLE', message: 'was submitted too quickly' }],
          },
        }),
    ],
    ['a fault of its own', () => world.server.fail('CreatePullRequest', { status: 502 })],
    [
      'an answer that says nothing',
      () => world.server.fail('CreatePullRequest', { json: { data: { createPullRequest: null } } }),
    ],
    [
      'a list with a part that is missing',
      () => {
        const node = { id: 'PR_1', number: 1, url: '', state: null, isCrossRepository: false };
        const pullRequests = { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [node] };
        world.server.fail('ListPullRequests', {
          json: { data: { repository: { id: 'R_1', pullRequests } } },
        });
      },
    ],
  ])('%s is unknown, and throws', async (_, prepare) => {
    prepare();
    await expect(put()).rejects.toThrow();
  });

  test('too much at once is not asked for again before its time', async () => {
    const errors = [{ type: 'UNPROCESSABLE', message: 'was submitted too quickly' }];
    world.server.fail('CreatePullRequest', { json: { data: null, errors } });
    await expect(put()).rejects.toThrow(/nothing is asked until/);
    const before = world.server.log.length;
    await expect(put()).rejects.toThrow(/nothing is asked until/);
    expect(world.server.log).toHaveLength(before);
  });
});

describe('a person who acts in between', () => {
  test('merges after it was listed: nothing is written', async () => {
    await put();
    world.server.before('ReadPullRequest', () => world.server.state.pulls.merge(world.of(branch)[0]!));
    expect(await put({ body: 'The work of attempt 2.' })).toMatchObject({ kind: 'merged', number: 1 });
    expect(bodyOf()).not.toContain('attempt 2');
    expect(written()).toEqual(['CreatePullRequest']);
  });
});

describe('the price', () => {
  const cost = (act: () => Promise<unknown>) => countCost(world.server, act);

  test('of a turn is two requests, and one more where the block changes', async () => {
    expect(await cost(put)).toMatchObject({ requests: 2, rest: 0 });
    expect(await cost(put)).toMatchObject({ requests: 2, rest: 0 });
    expect(await cost(() => put({ body: 'The work of attempt 2.' }))).toMatchObject({ requests: 3, rest: 0 });
    await world.close(branch);
    expect(await cost(put)).toMatchObject({ requests: 1, rest: 0 });
  });

  test('of a look for merges is one point for a hundred branches', async () => {
    const branches = Array.from({ length: 101 }, (_, n) => `evenkeel/issue/b-${n}`);
    expect(await cost(() => merged(branches.slice(1)))).toMatchObject({ requests: 1, points: 1 });
    expect(await cost(() => merged(branches))).toMatchObject({ requests: 2, points: 2 });
  });

  test('of a look for merges is not taken from what is kept for writing back', async () => {
    world.server.quota.remaining = 100;
    await expect(merged()).resolves.toEqual(new Set());
    await expect(merged()).rejects.toThrow(/kept for writing back/);
    expect(await put()).toMatchObject({ kind: 'open' });
  });
});

test('a branch that was merged more than once was merged the last time, whatever a list shows first', async () => {
  for (const at of [3_000, 9_000, 6_000]) {
    world.refs.push(branch);
    await world.open(branch, 'main');
    await world.merge(branch);
    world.of(branch).at(-1)!.endedAt = at;
  }
  world.refs.remove(branch);
  expect(await mergesOf()).toEqual(new Map([[branch, 9_000]]));
});

test('no branch is taken for gone by who sees no branches at all', async () => {
  await put();
  await world.merge(branch);
  world.refs.push(branch);
  world.server.state.pulls.showsBranches = false;
  await expect(merged()).rejects.toThrow(/shows no branch 'main' of acme\/web/);
});

test('a look of which one branch could not be told is none at all', async () => {
  await put();
  await world.merge(branch);
  const json = {
    data: { repository: { base: { target: { oid: 'c' } }, b0: null, r0: null } },
    errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible', path: ['repository', 'b0'] }],
  };
  world.server.fail('FindMergedBranches', { json });
  await expect(merged()).rejects.toThrow(/not accessible/);
  world.server.fail('FindMergedBranches', { json: { data: json.data } });
  await expect(merged()).rejects.toThrow();
  expect(await merged()).toEqual(new Set([branch]));
});

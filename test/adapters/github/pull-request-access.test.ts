import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { githubAccess } from '../../../lib/adapters/github/github-access.ts';
import { type IdentityValues, readIdentity } from '../../../lib/adapters/github/identity.ts';
import { wanted } from '../../contracts/describe-pull-requests.ts';
import { type GitHubAppServer, githubAppServer } from '../../support/github/github-app-server.ts';
import { stateRefs } from '../../support/github/github-pulls.ts';
import { type GitHubServer, githubServer } from '../../support/github/github-server.ts';

/** As whom pull requests are opened, and whose quota it costs. */

const names = {
  appId: 'GITHUB_APP_ID',
  privateKey: 'GITHUB_APP_PRIVATE_KEY',
  token: 'GITHUB_TOKEN',
  gitToken: 'GIT_TOKEN',
};
const project = 'acme/web';
let github: GitHubServer;
let app: GitHubAppServer;
beforeEach(async () => {
  github = await githubServer();
  const refs = stateRefs();
  refs.push(wanted().branch);
  github.state.pulls.useRefs(github.state.repository(project), refs);
  app = await githubAppServer({ github });
  app.installed.set(project, 7);
});
afterEach(async () => {
  await app.close();
  await github.close();
});

/** A deployment with one board, at the server itself or, as an App, at the one before it. */
function deploy(values: IdentityValues, { endpoint } = { endpoint: github.endpoint }, more: object = {}) {
  const access = githubAccess({
    identity: async () => {
      const identity = readIdentity(values, names);
      if (identity === undefined || identity.kind === 'unclear') throw new Error('GITHUB_TOKEN is not set');
      return identity;
    },
    quotaOf: 'token',
    userAgent: 'evenkeel/test',
  });
  const board = { kind: 'github', project, endpoint, ...more };
  const { put } = access.pullRequests(async () => [board]);
  const client = access.client(board);
  const at = (repository: string) => put(repository, wanted());
  return {
    client,
    at,
    put: () => at(`${new URL(endpoint).origin}/acme/web.git`),
    look: () => client.query({ text: 'query Look { viewer { login } }', data: anything }, {}, 'step'),
  };
}
const anything = { safeParse: (data: unknown) => ({ success: true, data }) } as never;
const askedBy = () => new Set(github.log.map(({ token }) => token));

describe('by a person', () => {
  test('they are opened with the token that turns push with, and not with that of the board', async () => {
    const { put } = deploy({ token: github.token, gitToken: github.gitToken });
    expect(await put()).toMatchObject({ kind: 'open' });
    expect(askedBy()).toEqual(new Set([github.gitToken]));
  });

  test('who has no token for git, they are opened with that of the board', async () => {
    const { put } = deploy({ token: github.token });
    expect(await put()).toMatchObject({ kind: 'open' });
    expect(askedBy()).toEqual(new Set([github.token]));
  });

  test('whose one token is used up, they are not asked for again', async () => {
    const { put, look } = deploy({ token: github.token });
    github.useUpQuota();
    await expect(look()).rejects.toThrow(/limits/);
    const before = github.log.length;
    await expect(put()).rejects.toThrow(/nothing is asked until/);
    expect(github.log).toHaveLength(before);
  });

  test('whose token of the board is used up, they are opened with the other one all the same', async () => {
    const { put, look } = deploy({ token: github.token, gitToken: github.gitToken });
    github.useUpQuota();
    await expect(look()).rejects.toThrow(/limits/);
    github.quota.remaining = 100;
    expect(await put()).toMatchObject({ kind: 'open' });
  });

  test('the token that may not do it is named', async () => {
    github.state.pulls.access = 'read';
    const problem = async (values: IdentityValues) => JSON.stringify(await deploy(values).put());
    expect(await problem({ token: github.token, gitToken: github.gitToken })).toContain(
      'the token that turns push with may not write pull requests of acme/web',
    );
    expect(await problem({ token: github.token })).toContain('the token of the board may not write');
  });
});

describe('by an App', () => {
  const asApp = () => deploy(app, app);

  test('they are opened as its installation', async () => {
    expect(await asApp().put()).toMatchObject({ kind: 'open' });
    expect(app.calls).toEqual([
      'GET /repos/acme/web/installation',
      'POST /app/installations/7/access_tokens',
    ]);
  });

  test('they are opened as its installation on their repository, whatever its board is', async () => {
    app.installed.set('acme', 8);
    const { look, put } = deploy(app, app, { kind: 'github-project', project: 'acme/7' });
    await look();
    expect(await put()).toMatchObject({ kind: 'open' });
    expect(app.calls.slice(-2)).toEqual([
      'GET /repos/acme/web/installation',
      'POST /app/installations/7/access_tokens',
    ]);
  });

  test('that is not installed there, the remedy is told', async () => {
    app.installed.clear();
    expect(await asApp().put()).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(/the GitHub App 4242 is not installed on acme\/web; install it there/),
    });
  });
});

test('what they cost is not counted as the price of a board', async () => {
  const { client, put } = deploy({ token: github.token });
  await put();
  expect(client.spent()).toMatchObject({ requests: 0, points: 0 });
});

test.each([
  ['another host', 'https://example.com/acme/web.git'],
  ['a path of this machine', '/srv/git/acme/web.git'],
])('a repository at %s has none, and nobody is asked', async (_, repository) => {
  expect(await deploy({}).at(repository)).toBe('none');
  expect(github.log).toEqual([]);
});

test.each([
  ['git@github.example:acme/web.git', 'github.example'],
  ['ssh://git@github.example/acme/web', 'github.example'],
  ['git@github.com:acme/web.git', 'github.com'],
])('a repository that git reaches by %s has them at the host of its board', async (repository, host) => {
  const endpoint = host === 'github.com' ? undefined : `https://${host}/api`;
  const board = { kind: 'github', project, endpoint };
  const seen = githubAccess({
    identity: async () => {
      throw new Error('who is asked for');
    },
    quotaOf: 'token',
    userAgent: 'evenkeel/test',
  }).pullRequests(async () => [board]);
  expect(await seen.put(repository, wanted())).toEqual({ kind: 'refused', problem: 'who is asked for' });
  const elsewhere = repository.replace(host, 'elsewhere.example');
  expect(await seen.put(elsewhere, wanted())).toBe('none');
});

test('where nothing says who the deployment is, that is told', async () => {
  expect(await deploy({}).put()).toEqual({ kind: 'refused', problem: 'GITHUB_TOKEN is not set' });
});

import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { githubAccess } from '../../../lib/adapters/github/github-access.ts';
import type { GitHubClient } from '../../../lib/adapters/github/github-client.ts';
import {
  type GitHubIdentity,
  type IdentityNames,
  type IdentityValues,
  readIdentity,
} from '../../../lib/adapters/github/identity.ts';
import { type GitHubAppServer, githubAppServer } from '../../support/github/github-app-server.ts';
import { type GitHubServer, githubServer } from '../../support/github/github-server.ts';

const names: IdentityNames = {
  appId: 'GITHUB_APP_ID',
  privateKey: 'GITHUB_APP_PRIVATE_KEY',
  token: 'GITHUB_TOKEN',
  gitToken: 'GIT_TOKEN',
};
const project = 'acme/web';
const ofInstallation = `GET /repos/${project}/installation`;
const ofToken = 'POST /app/installations/7/access_tokens';

let behind: GitHubServer;
let server: GitHubAppServer;

beforeEach(async () => {
  behind = await githubServer();
  behind.state.repository(project).permissions.set('robot', 'write');
  server = await githubAppServer({ github: behind });
  server.installed.set(project, 7);
});

afterEach(async () => {
  await server.close();
  await behind.close();
});

function access(values: IdentityValues = server, now: () => number = Date.now) {
  return githubAccess({
    identity: async () => {
      const identity = readIdentity(values, names);
      if (identity === undefined) throw new Error('nothing is set');
      if (identity.kind === 'unclear') throw new Error(identity.problem);
      return identity;
    },
    quotaOf: 'owner',
    userAgent: 'evenkeel/test',
    now,
  });
}

function board(name = project, kind = 'github') {
  return { kind, endpoint: server.endpoint, project: name };
}

/** A read of the tracker, by which it shows that its token is taken. */
async function look(client: GitHubClient) {
  const path = `/repos/${project}/collaborators/robot/permission`;
  return client.get(path, z.object({ permission: z.string() }), 'step');
}

const seen = { permission: 'write' };

describe('a tracker that comes as an App', () => {
  test('finds the installation by the repository, and makes one token for many requests', async () => {
    const client = access().client(board());
    expect(await Promise.all([look(client), look(client)])).toEqual([seen, seen]);
    expect(await look(client)).toEqual(seen);
    expect(server.calls).toEqual([ofInstallation, ofToken]);
  });

  test('takes another token shortly before its own expires, and keeps the installation', async () => {
    let at = Date.now();
    server.now = () => at;
    const client = access(server, () => at).client(board());
    await look(client);
    at += server.lastsMs - 299_000;
    await look(client);
    expect(server.calls).toEqual([ofInstallation, ofToken, ofToken]);
  });

  test('takes another token once when its own is refused', async () => {
    const client = access().client(board());
    await look(client);
    server.tokens.clear();
    expect(await Promise.all([look(client), look(client)])).toEqual([seen, seen]);
    expect(server.calls).toEqual([ofInstallation, ofToken, ofToken]);
  });

  test('finds its new installation when it was taken off and put there again', async () => {
    const client = access().client(board());
    await look(client);
    server.installed.set(project, 8);
    server.tokens.clear();
    expect(await look(client)).toEqual(seen);
    expect(server.calls.slice(-2)).toEqual([ofInstallation, 'POST /app/installations/8/access_tokens']);
  });

  test.each([59_000, -59_000])('is let in while the clocks differ by %i ms', async (ms) => {
    server.now = () => Date.now() - ms;
    expect(await look(access().client(board()))).toEqual(seen);
  });

  test('that is not installed is told so with the repository, and never as an absence', async () => {
    server.installed.clear();
    await expect(look(access().client(board()))).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('the GitHub App 4242 is not installed on acme/web'),
    });
  });

  test('finds the installation of a project by its organisation', async () => {
    server.installed.set('acme', 7);
    expect(await look(access().client(board('acme/7', 'github-project')))).toEqual(seen);
    expect(server.calls).toEqual(['GET /orgs/acme/installation', ofToken]);
    await expect(look(access().client(board('alice/7', 'github-project')))).rejects.toThrow(
      'a token of that person',
    );
  });

  test('with the key of another App is told what does not belong together', async () => {
    const client = access({ ...server, privateKey: makeKey('pkcs8') }).client(board());
    await expect(look(client)).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringMatching(/key of the GitHub App 4242.*belong together/),
    });
  });

  test('uses a key that was changed meanwhile', async () => {
    const identities = [makeKey('pkcs1'), server.privateKey].map(
      (privateKey) => readIdentity({ appId: server.appId, privateKey }, names) as GitHubIdentity,
    ) as [GitHubIdentity, GitHubIdentity];
    let known = identities[0];
    const client = githubAccess({
      identity: async (renewed) => {
        if (renewed !== undefined) known = identities[1];
        return known;
      },
      quotaOf: 'owner',
      userAgent: 'evenkeel/test',
    }).client(board());
    await expect(look(client)).resolves.toEqual(seen);
  });
});

describe('a turn', () => {
  const address = () => `${new URL(server.endpoint).origin}/acme/web.git`;
  const mint = (values: IdentityValues, repository = address()) =>
    access(values)
      .gitTokens(async () => [{ kind: 'github', project }, board()])
      .mint(repository);

  test('gets a token for its one repository, contents and pull requests only, and where to end it', async () => {
    const token = await mint(server);
    if (token === 'none') throw new Error('no token');
    expect(server.tokens.get(token.password)).toEqual({
      repositories: ['web'],
      permissions: { contents: 'write', pull_requests: 'write', metadata: 'read' },
    });
    expect(token.username).toBe('x-access-token');
    expect(token.expiresAt).toBeGreaterThan(Date.now() + server.lastsMs - 60_000);
    const { revokeUrl = '', password } = token;
    const authorization = `Bearer ${password}`;
    expect((await fetch(revokeUrl, { method: 'DELETE', headers: { authorization } })).status).toBe(204);
    expect(server.tokens.size).toBe(0);
  });

  test('gets a token of its own, which no other turn and no tracker has', async () => {
    const shared = access();
    const tokens = shared.gitTokens(async () => [board()]);
    await look(shared.client(board()));
    const [one, other] = [await tokens.mint(address()), await tokens.mint(address())];
    expect(one).not.toEqual(other);
    expect(server.tokens.size).toBe(3);
  });

  test('gets none where the App may not write contents, with the remedy', async () => {
    server.granted.contents = 'read';
    await expect(mint(server)).rejects.toThrow(/may not do what is needed on acme\/web.*contents/);
  });

  test('of a deployment with a token gets GIT_TOKEN, which is shared and not ended, or none at all', async () => {
    const values = { token: 'ghp_of-the-board', gitToken: 'ghp_of-git' };
    expect(await mint(values)).toEqual({
      username: 'x-access-token',
      password: 'ghp_of-git',
      expiresAt: undefined,
      revokeUrl: undefined,
    });
    expect(await mint({ token: 'ghp_of-the-board' })).toBe('none');
  });

  test.each([
    ['another host', 'https://example.com/acme/web.git'],
    ['the host in the clear', 'http://github.com/acme/web.git'],
    ['ssh', 'git@github.com:acme/web.git'],
    ['a path of this machine', '/srv/git/acme/web.git'],
    ['an address with a name in it', 'https://somebody@github.com/acme/web.git'],
    ['a host whose name only begins like it', 'https://github.com.example.com/acme/web.git'],
    ['an address that is no repository', 'https://github.com/acme'],
  ])('of a repository by %s gets no token', async (_, repository) => {
    expect(await mint({ token: 'ghp_of-the-board', gitToken: 'ghp_of-git' }, repository)).toBe('none');
    expect(await mint(server, repository)).toBe('none');
    expect(server.calls).toEqual([]);
  });

  test('of a board that is elsewhere gets no token', async () => {
    const tokens = access(server).gitTokens(async () => [{ ...board(), kind: 'local' }]);
    expect(await tokens.mint(address())).toBe('none');
  });
});

describe('who a deployment is', () => {
  const pem = makeKey('pkcs1');

  test.each([
    ['as it is', pem],
    ['as its base64', Buffer.from(pem).toString('base64')],
    ['with its line ends escaped', pem.replaceAll('\n', '\\n')],
    ['in the other common form', makeKey('pkcs8')],
  ])('an App with its key %s', (_, privateKey) => {
    expect(readIdentity({ appId: ' 42 ', privateKey, token: 'x' }, names)).toMatchObject({
      kind: 'app',
      appId: '42',
      privateKey: expect.stringContaining('BEGIN PRIVATE KEY'),
    });
  });

  test.each([
    ['an App without its key', { appId: '42' }, 'GITHUB_APP_ID is set and GITHUB_APP_PRIVATE_KEY is not'],
    ['a key without its App', { privateKey: pem }, 'GITHUB_APP_PRIVATE_KEY is set and GITHUB_APP_ID is not'],
    ['an id that is none', { appId: '4 2', privateKey: pem }, 'GITHUB_APP_ID is no id of an App'],
    [
      'a key that is cut off',
      { appId: '42', privateKey: pem.slice(0, 300) },
      'GITHUB_APP_PRIVATE_KEY is no RSA',
    ],
    [
      'a key that is a path',
      { appId: '42', privateKey: '/home/me/key.pem' },
      'GITHUB_APP_PRIVATE_KEY is no RSA',
    ],
  ])('%s is told by its variable, without a value', (_, values, problem) => {
    const found = readIdentity(values, names);
    expect(found).toEqual({ kind: 'unclear', problem: expect.stringContaining(problem) });
    expect(JSON.stringify(found)).not.toContain(pem.slice(40, 80));
  });

  test('a person, by a token; nobody where nothing but blanks is set', () => {
    expect(readIdentity({ token: ' ghp_x\n', gitToken: '' }, names)).toEqual({
      kind: 'token',
      token: 'ghp_x',
      gitToken: undefined,
    });
    expect(readIdentity({ token: ' ', appId: '' }, names)).toBeUndefined();
  });
});

function makeKey(type: 'pkcs1' | 'pkcs8'): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return privateKey.export({ type, format: 'pem' }).toString();
}

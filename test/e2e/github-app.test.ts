import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName } from '../../lib/core/names.ts';
import { type CodeHost, makeCodeHost } from '../support/code-host.ts';
import { type GitHubAppServer, githubAppServer } from '../support/github/github-app-server.ts';
import { githubPerson } from '../support/github/github-person.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { runCli } from '../support/run-cli.ts';

/** The command line as a process that comes as a GitHub App, for its board and for the git of its turns. */

let dir: string;
let github: GitHubServer;
let app: GitHubAppServer;
let code: CodeHost;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'app-')));
  code = makeCodeHost(dir);
  github = await githubServer({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
  app = await githubAppServer({ github, repository: code.address });
  app.installed.set('acme/web', 7);
  const front = {
    tracker: { kind: 'github', project: 'acme/web', endpoint: app.endpoint },
    repository: `${new URL(app.endpoint).origin}/acme/web.git`,
    agent: { kind: 'command', command: `env > ${dir}/environment; echo "work" > work.txt` },
  };
  writeFileSync(join(dir, 'WORKFLOW.md'), `---\n${stringify(front)}---\n{{ issue.title }}\n`);
});
afterEach(async () => {
  await app.close();
  await github.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const cli = (args: readonly string[], env: Record<string, string> = {}) =>
  runCli([...args, '--data', join(dir, 'data')], {
    cwd: dir,
    patienceMs: 100_000,
    env: { GITHUB_APP_ID: app.appId, GITHUB_APP_PRIVATE_KEY: app.privateKey, ...env },
  });

test('validate names the variable, or the repository that the App is not installed on', async () => {
  github.state.repository('acme/web', ['todo', 'in progress', 'in review', 'done']);
  expect(await cli(['validate'])).toMatchObject({ code: 0 });
  const broken = await cli(['validate'], { GITHUB_APP_PRIVATE_KEY: 'key.pem' });
  expect(broken.code).toBe(1);
  expect(broken.stdout + broken.stderr).toContain('GITHUB_APP_PRIVATE_KEY is no RSA private key');
  app.installed.clear();
  const refused = await cli(['validate']);
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain('GitHub App 4242 is not installed on acme/web');
});

test('an App serves a board, its turn pushes with a token of its own that ends with it, and the App opens the pull request', async () => {
  const repository = github.state.repository('acme/web', ['todo', 'in progress', 'in review', 'done']);
  github.serveCode(repository, code);
  github.state.web = new URL(app.endpoint).origin;
  const alice = githubPerson(github.state, 'alice', { 'acme/web': 'write' });
  const issue = github.state.addIssue(repository, alice.account, { title: 'Mend it', labels: ['todo'] });
  const { code: exit, stderr } = await cli([
    'start',
    '--until-idle',
    '--interval',
    '0.5',
    '--log-format',
    'json',
  ]);
  expect(exit, stderr).toBe(0);
  expect(issue.labels.map(({ name }) => name)).toEqual(['in review']);
  expect(code.read(branchName(issue.id as IssueId), 'work.txt')).toBe('work');
  expect(github.state.pulls.all).toMatchObject([
    { head: branchName(issue.id as IssueId), body: expect.stringContaining('\nRefs acme/web#1\n') },
  ]);
  expect(app.reachedGit.size).toBe(1);
  const [token = ''] = app.reachedGit;
  expect(app.tokens.has(token)).toBe(false);
  expect(app.calls).toContain('DELETE /installation/token');
  // What is left is the tracker's, which other boards use too.
  expect([...app.tokens.values()].map(({ repositories }) => repositories)).toEqual([undefined]);
  const traces = ['data/trace.jsonl', 'environment'].map((name) => readFileSync(join(dir, name), 'utf8'));
  for (const text of [stderr, ...traces]) expect(text).not.toMatch(/made-token|PRIVATE KEY/);
}, 120_000);

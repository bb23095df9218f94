import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { makeCodeHost } from '../support/code-host.ts';
import { type GitHubAppServer, githubAppServer } from '../support/github/github-app-server.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { runCli } from '../support/run-cli.ts';

/** `validate` of a file whose repository is elsewhere: it is asked as turns would ask. */

const boardToken = 'github_pat_board';
const gitToken = 'github_pat_git';
let dir: string;
let github: GitHubServer;
let front: GitHubAppServer;
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'remote-')));
  const code = makeCodeHost(dir);
  code.push('main', { 'README.md': 'A repository to work on.\n' });
  github = await githubServer();
  github.state.repository('acme/web', ['todo', 'in progress', 'in review', 'done']);
  front = await githubAppServer({ github, repository: code.address });
  front.tokens.set(boardToken, { repositories: ['web'], permissions: { issues: 'write' } });
  front.tokens.set(gitToken, { repositories: ['web'], permissions: { contents: 'write' } });
  lay();
});
afterEach(async () => {
  await front.close();
  await github.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

function lay(more: object = {}): void {
  const policy = {
    tracker: { kind: 'github', project: 'acme/web', endpoint: front.endpoint },
    repository: `${new URL(front.endpoint).origin}/acme/web.git`,
    agent: { kind: 'command', command: 'cat' },
    ...more,
  };
  writeFileSync(join(dir, 'WORKFLOW.md'), `---\n${stringify(policy)}---\n{{ issue.title }}\n`);
}

async function validate(env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await runCli(['validate', '--json'], { cwd: dir, env });
  expect(stdout + stderr).not.toMatch(/github_pat|made-token|PRIVATE KEY/);
  const [file] = (JSON.parse(stdout) as { files: Record<'problems' | 'warnings', Finding[]>[] }).files;
  return { code, problems: file!.problems, warnings: file!.warnings };
}
type Finding = { readonly rule: string; readonly message: string };

const tokens = { GITHUB_TOKEN: boardToken, GIT_TOKEN: gitToken };
const nothing = { code: 0, problems: [], warnings: [] };

describe('with tokens', () => {
  test('GIT_TOKEN lists its branches, and the other token is kept from it', async () => {
    expect(await validate(tokens)).toEqual(nothing);
    expect([...front.reachedGit]).toEqual([gitToken]);
  });

  test('a branch to start from that is not there fails, with those that are', async () => {
    lay({ base: 'master' });
    const { code, problems } = await validate(tokens);
    expect(code).toBe(1);
    expect(problems).toMatchObject([
      {
        rule: 'base-exists',
        message: expect.stringMatching(/\/acme\/web\.git has no branch master .*has main/),
      },
    ]);
  });

  test.each([
    [
      'a GIT_TOKEN that may not read it',
      { GIT_TOKEN: 'github_pat_wrong' },
      /with GIT_TOKEN, it may not be read; put a token in its place/,
    ],
    [
      'no GIT_TOKEN, and a user who may not',
      { GIT_TOKEN: '' },
      /of the user of this machine, it may not be read; log git in there, or set GIT_TOKEN/,
    ],
  ])('%s is told, and makes the file no worse', async (_, env, words) => {
    const { code, problems, warnings } = await validate({ ...tokens, ...env });
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    expect(warnings).toMatchObject([{ rule: 'repository-reached', message: expect.stringMatching(words) }]);
    const { stdout } = await runCli(['validate'], { cwd: dir, env: { ...tokens, ...env } });
    expect(stdout).toMatch(/^valid .* the board has all of its states; 1 warning\n/);
  });

  test('what the user of the machine is logged in with is used without a GIT_TOKEN, and never in its place', async () => {
    const helper = `!f() { echo username=x-access-token; echo password=${gitToken}; }; f`;
    writeFileSync(join(dir, '.gitconfig'), `[credential]\n\thelper = "${helper}"\n`);
    expect(await validate({ GITHUB_TOKEN: boardToken })).toEqual(nothing);
    const { warnings } = await validate({ ...tokens, GIT_TOKEN: 'github_pat_wrong' });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('with GIT_TOKEN, it may not be') }]);
  });

  test('pull requests that the token may not read are told, with what that means', async () => {
    github.state.pulls.access = 'none';
    const { code, warnings } = await validate(tokens);
    expect(code).toBe(0);
    expect(warnings).toMatchObject([
      { rule: 'pull-requests-read', message: expect.stringMatching(/turns get none: .*not accessible/) },
    ]);
    lay({ pull_request: { open: false } });
    expect(await validate(tokens)).toEqual(nothing);
  });

  test('a repository of which no merge can be seen is told where merges finish issues', async () => {
    const tracker = { kind: 'github', project: 'acme/web', endpoint: front.endpoint, merged_state: 'done' };
    const repository = join(dir, 'origin.git');
    lay({ tracker, repository });
    const { warnings } = await validate(tokens);
    expect(warnings).toMatchObject([
      { rule: 'pull-requests-read', message: expect.stringMatching(/no issue is finished by a merge/) },
    ]);
    lay({ tracker });
    expect(await validate(tokens)).toEqual(nothing);
  });

  test.each([
    ['a host that does not answer', 'http://127.0.0.1:9', /, its host did not answer$/],
    ['one that speaks no TLS', 'https://HOST', /with GIT_TOKEN, git could not list its branches$/],
  ])('%s is told, and no token is blamed', async (_, origin, words) => {
    lay({ repository: `${origin.replace('HOST', new URL(front.endpoint).host)}/acme/web.git` });
    const { warnings } = await validate(tokens);
    expect(warnings).toMatchObject([{ message: expect.stringMatching(words) }]);
  });

  test('a board that is not reached is told alone: nobody waits for its repository as well', async () => {
    const { problems, warnings } = await validate({ ...tokens, GITHUB_TOKEN: 'github_pat_old' });
    expect(problems).toMatchObject([{ rule: 'board-reached' }]);
    expect(warnings).toEqual([]);
    expect(front.reachedGit.size).toBe(0);
  });
});

describe('as a GitHub App', () => {
  const app = () => ({ GITHUB_APP_ID: front.appId, GITHUB_APP_PRIVATE_KEY: front.privateKey });

  test('a token is made for the question, and ended after it', async () => {
    front.installed.set('acme/web', 7);
    expect(await validate(app())).toEqual(nothing);
    const [asked = ''] = front.reachedGit;
    expect(front.reachedGit.size).toBe(1);
    expect(front.tokens.has(asked)).toBe(false);
    expect(front.calls.at(-1)).toBe('DELETE /installation/token');
  });

  test('an App that may not write contents is told so before a turn needs it', async () => {
    front.installed.set('acme/web', 7);
    delete front.granted.contents;
    const { code, warnings } = await validate(app());
    expect(code).toBe(0);
    expect(warnings).toMatchObject([
      {
        message: expect.stringMatching(/would not get to .*: the GitHub App 4242 may not do what is needed/),
      },
    ]);
  });
});

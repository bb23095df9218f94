import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName } from '../../lib/core/names.ts';
import { type CodeHost, makeCodeHost } from '../support/code-host.ts';
import { type GitHubPerson, githubPerson } from '../support/github/github-person.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import type { Issue, Repository } from '../support/github/github-state.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/** The command line as a process, a board of labels at a GitHub server, and a bare repository that turns push to. */

vi.setConfig({ testTimeout: 240_000 });

const states = ['todo', 'in progress', 'in review', 'done'];
let dir: string;
let server: GitHubServer;
let repository: Repository;
let alice: GitHubPerson;
let code: CodeHost;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'github-')));
  server = await githubServer({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
  repository = server.state.repository('acme/web', [...states, 'bug']);
  alice = githubPerson(server.state, 'alice', { 'acme/web': 'write' });
  await mkdir(join(dir, 'code'));
  code = makeCodeHost(join(dir, 'code'));
  code.push('main', { 'README.md': 'A repository to work on.\n' });
  writeWorkflow();
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

function writeWorkflow(tracker: object = {}): void {
  const front = {
    tracker: { kind: 'github', project: 'acme/web', endpoint: server.endpoint, ...tracker },
    repository: code.address,
    agent: {
      kind: 'command',
      command: `env > ${dir}/environment; cat > prompt.txt; echo "work" > work.txt`,
      max_failures: 1,
      max_no_progress: 1,
    },
  };
  writeFileSync(
    join(dir, 'WORKFLOW.md'),
    `---\n${stringify(front)}---\n{{ issue.key }}: {{ issue.title }}\n{{ issue.description }}\n`,
  );
}

const cli = (args: readonly string[], env: Record<string, string> = { GITHUB_TOKEN: server.token }) =>
  runCli([...args, '--data', join(dir, 'data')], { cwd: dir, env });
/** A host that goes through whole turns, also on a machine that is busy. */
const start = () =>
  runCli(
    ['start', '--until-idle', '--interval', '0.5', '--log-format', 'json', '--data', join(dir, 'data')],
    {
      cwd: dir,
      env: { GITHUB_TOKEN: server.token },
      patienceMs: 100_000,
    },
  );
const namesOf = (issue: Issue) => issue.labels.map(({ name }) => name).sort();
const rulesOf = ({ stdout }: CliResult) =>
  (JSON.parse(stdout).files[0].problems as { rule: string; path: string }[]).map(
    ({ rule, path }) => `${rule} ${path}`,
  );

describe('validate', () => {
  test('holds the file against the labels that the repository has', async () => {
    expect(await cli(['validate'])).toMatchObject({ code: 0 });
    alice.renameLabel(repository, 'in review', 'needs review');
    const found = await cli(['validate', '--json']);
    expect(found.code).toBe(1);
    expect(rulesOf(found)).toEqual(['state-exists tracker.handoff_state']);
  });

  test.each<readonly [string, () => void, Record<string, string>, string, RegExp]>([
    ['a token that is missing', () => undefined, {}, 'token-needed tracker.kind', /GITHUB_TOKEN is not set/],
    [
      'a token that is wrong',
      () => undefined,
      { GITHUB_TOKEN: 'ghp_wrong' },
      'board-reached tracker.endpoint',
      /GitHub does not take the token \(401\): .*put a valid one in its place/,
    ],
    [
      'a repository that is not there',
      () => writeWorkflow({ project: 'acme/app' }),
      { GITHUB_TOKEN: 'ghp_testtokentesttokentesttoken' },
      'board-read tracker.project',
      /there is no repository acme\/app/,
    ],
    [
      'an address that is not encrypted',
      () => writeWorkflow({ endpoint: 'http://github.example.com/api' }),
      { GITHUB_TOKEN: 'ghp_elsewhere' },
      'endpoint-secure tracker.endpoint',
      /could be read on its way/,
    ],
  ])('tells of %s', async (_, prepare, env, rule, message) => {
    prepare();
    const found = await cli(['validate', '--json'], env);
    expect(found.code).toBe(1);
    expect(rulesOf(found)).toEqual([rule]);
    expect(found.stdout).toMatch(message);
    expect(found.stdout + found.stderr).not.toContain(env.GITHUB_TOKEN ?? server.token);
  });
});

test('plan says what a tick would do, and writes nothing', async () => {
  const mallory = githubPerson(server.state, 'mallory', { 'acme/web': 'read' });
  const issue = server.state.addIssue(repository, alice.account, {
    title: 'Mend the gate',
    labels: ['todo'],
  });
  server.state.addIssue(repository, mallory.account, { title: 'Run this', labels: ['todo'] });
  const { stdout, code: exit } = await cli(['plan', '--json']);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).boards[0].decisions).toMatchObject([
    { key: 'web#1', action: 'start' },
    { key: 'web#2', action: 'wait', reason: 'untrusted-actor' },
  ]);
  expect(namesOf(issue)).toEqual(['todo']);
  expect(server.log.filter(({ operation }) => operation === 'MoveLabels')).toEqual([]);
});

test('start works on what is active, pushes it, hands it off and says so, and leaves the rest alone', async () => {
  const { state } = server;
  const add = (title: string, ...labels: string[]) =>
    state.addIssue(repository, alice.account, { title, body: `About: ${title}`, labels });
  const wanted = add('Mend the gate', 'todo', 'bug');
  const unlabelled = add('Just an idea', 'bug');
  const closed = add('Closed long ago', 'todo');
  alice.close(closed, 'NOT_PLANNED');
  const blocked = add('After the idea', 'todo');
  blocked.blockedBy = [unlabelled];
  state.addIssue(repository, alice.account, { title: 'A change', labels: ['todo'], isPullRequest: true });

  const { code: exit, stderr } = await start();
  expect(exit, stderr).toBe(0);
  expect(namesOf(wanted)).toEqual(['bug', 'in review']);
  expect(wanted.state).toBe('OPEN');
  const branch = branchName(wanted.id as IssueId);
  expect(code.read(branch, 'work.txt')).toBe('work');
  expect(code.read(branch, 'prompt.txt')).toBe('web#1: Mend the gate\nAbout: Mend the gate');
  expect(wanted.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('handed over to a person'),
  ]);
  expect(namesOf(unlabelled)).toEqual(['bug']);
  expect([closed.state, closed.stateReason, ...namesOf(closed)]).toEqual(['CLOSED', 'NOT_PLANNED', 'todo']);
  expect(namesOf(blocked)).toEqual(['todo']);
  expect(repository.issues.flatMap(({ comments }) => comments)).toHaveLength(1);

  const explained = await cli(['explain', 'web#4']);
  expect(explained.stdout).toContain('web#2');
  const trace = readFileSync(join(dir, 'data', 'trace.jsonl'), 'utf8');
  for (const text of [stderr, trace, readFileSync(join(dir, 'environment'), 'utf8')])
    expect(text).not.toContain(server.token);
  expect((await runCli(['check-trace', join(dir, 'data', 'trace.jsonl')], { cwd: dir })).code).toBe(0);
});

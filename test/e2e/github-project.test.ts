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
import type { Project, ProjectItem } from '../support/github/github-projects.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import type { Issue } from '../support/github/github-state.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/** The command line as a process, a project at a GitHub server, and a bare repository that turns push to. */

vi.setConfig({ testTimeout: 180_000 });

const columns = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done'];
let dir: string;
let server: GitHubServer;
let project: Project;
let alice: GitHubPerson;
let code: CodeHost;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'project-')));
  await serve('Organization');
  await mkdir(join(dir, 'code'));
  code = makeCodeHost(join(dir, 'code'));
  code.push('main', { 'README.md': 'A repository to work on.\n' });
  writeWorkflow();
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

async function serve(ownerKind: Project['ownerKind']): Promise<void> {
  server = await githubServer({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
  project = server.state.projects.create('acme', 7, columns, ownerKind);
  alice = githubPerson(server.state, 'alice', { 'acme/web': 'write' });
}

function writeWorkflow(tracker: object = {}, repository = code.address): void {
  const front = {
    tracker: { kind: 'github-project', project: 'acme/7', endpoint: server.endpoint, ...tracker },
    repository,
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
const start = () =>
  runCli(
    ['start', '--until-idle', '--interval', '0.5', '--log-format', 'json', '--data', join(dir, 'data')],
    { cwd: dir, env: { GITHUB_TOKEN: server.token }, patienceMs: 120_000 },
  );
const rulesOf = ({ stdout }: CliResult) =>
  (JSON.parse(stdout).files[0].problems as { rule: string; path: string }[]).map(
    ({ rule, path }) => `${rule} ${path}`,
  );

function add(title: string, status: string, repository = 'acme/web'): { card: ProjectItem; issue: Issue } {
  const { state } = server;
  const issue = state.addIssue(state.repository(repository), alice.account, {
    title,
    body: `About: ${title}`,
  });
  return { issue, card: state.projects.add(project, issue, status) };
}

describe('validate', () => {
  test('holds the file against the columns that the project has', async () => {
    expect(await cli(['validate'])).toMatchObject({ code: 0 });
    server.state.projects.renameOption(project, 'In Review', 'Needs review');
    const found = await cli(['validate', '--json']);
    expect(found.code).toBe(1);
    expect(rulesOf(found)).toEqual(['state-exists tracker.handoff_state']);
  });

  test.each<readonly [string, () => void | Promise<void>, string, RegExp]>([
    [
      'a project that is not there',
      () => writeWorkflow({ project: 'acme/8' }),
      'board-read tracker.project',
      /there is no project acme\/8/,
    ],
    [
      'the project of a user, which an app cannot see',
      async () => {
        await server.close();
        await serve('User');
        writeWorkflow();
      },
      'board-read tracker.project',
      /a GitHub App cannot see projects of users: use a token of acme/,
    ],
  ])('tells of %s', async (_, prepare, rule, message) => {
    await prepare();
    const found = await cli(['validate', '--json']);
    expect(found.code).toBe(1);
    expect(rulesOf(found)).toEqual([rule]);
    expect(found.stdout).toMatch(message);
  });

  test("names the project's own automations, which fail nothing", async () => {
    project.workflows.push({ name: 'Item reopened', enabled: true }, { name: 'Item closed', enabled: false });
    const found = await cli(['validate']);
    expect(found.code).toBe(0);
    expect(found.stdout).toMatch(/^valid .*\n {2}board-notice +tracker\.project +.*"Item reopened" is on: /);
    expect(found.stdout).not.toContain('Item closed');
    server.fail('ReadWorkflows', { json: { errors: [{ type: 'FORBIDDEN', message: 'Not for you' }] } });
    const refused = await cli(['validate', '--json']);
    expect(refused.code).toBe(0);
    expect(refused.stdout).toContain('the automations of the board could not be read, if it has any');
  });

  test('asks for a token', async () => {
    const found = await cli(['validate', '--json'], {});
    expect(rulesOf(found)).toEqual(['token-needed tracker.kind']);
  });
});

test('plan says what a tick would do, and writes nothing', async () => {
  const { card } = add('Mend the gate', 'Todo');
  add('Just an idea', 'Backlog');
  const { stdout, code: exit } = await cli(['plan', '--json']);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).boards[0].decisions).toMatchObject([{ key: 'web#1', action: 'start' }]);
  expect(card.status?.name).toBe('Todo');
  expect(server.log.filter(({ operation }) => operation === 'MoveCard')).toEqual([]);
});

test('start works on what is active, pushes it, hands it off and says so, and leaves the rest alone', async () => {
  const wanted = add('Mend the gate', 'Todo');
  const idea = add('Just an idea', 'Backlog');
  const closed = add('Closed long ago', 'Todo');
  alice.close(closed.issue, 'NOT_PLANNED');
  const blocked = add('After the idea', 'Todo');
  blocked.issue.blockedBy = [idea.issue];
  const archived = add('Put away', 'Todo');
  archived.card.isArchived = true;
  server.state.projects.add(project, undefined, 'Todo');

  const { code: exit, stderr } = await start();
  expect(exit, stderr).toBe(0);
  expect(wanted.card.status?.name).toBe('In Review');
  expect(wanted.issue.state).toBe('OPEN');
  const branch = branchName(wanted.card.id as IssueId);
  expect(code.read(branch, 'work.txt')).toBe('work');
  expect(code.read(branch, 'prompt.txt')).toBe('web#1: Mend the gate\nAbout: Mend the gate');
  expect(wanted.issue.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('handed over to a person'),
  ]);
  for (const { card } of [closed, blocked, archived]) expect(card.status?.name).toBe('Todo');
  expect(closed.issue.stateReason).toBe('NOT_PLANNED');
  expect(server.state.allIssues().flatMap(({ comments }) => comments)).toHaveLength(1);

  const explained = await cli(['explain', 'web#4']);
  expect(explained.stdout).toContain('web#2');
  const trace = readFileSync(join(dir, 'data', 'trace.jsonl'), 'utf8');
  for (const text of [stderr, trace, readFileSync(join(dir, 'environment'), 'utf8')])
    expect(text).not.toContain(server.token);
  expect((await runCli(['check-trace', join(dir, 'data', 'trace.jsonl')], { cwd: dir })).code).toBe(0);
});

test('where the repository is called owner/repo, issues of others are left alone', async () => {
  add('Ours', 'Todo');
  add('Theirs', 'Todo', 'acme/api');
  const decided = async () => {
    const { stdout } = await cli(['plan', '--json']);
    const { decisions } = JSON.parse(stdout).boards[0];
    return decisions.map(({ key }: { key: string }) => key).sort();
  };
  expect(await decided()).toEqual(['api#1', 'web#1']);
  writeWorkflow({}, 'acme/web');
  expect(await decided()).toEqual(['web#1']);
});

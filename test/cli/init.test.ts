import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseWorkflow, type Workflow } from '../../lib/core/workflow.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { runCli } from '../support/run-cli.ts';

/** `init` as a process, answered by options; the boards at GitHub are those of a test server. */

let dir: string;
let server: GitHubServer;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'init-')));
  server = await githubServer();
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const cli = (...args: readonly string[]) => runCli(args, { cwd: dir, env: { GITHUB_TOKEN: server.token } });
const read = (name: string) => readFileSync(join(dir, name), 'utf8');

function workflowIn(name = 'WORKFLOW.md'): Workflow {
  const parsed = parseWorkflow(read(name), name);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.workflow;
}

function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];
  execFileSync('git', [...who, ...args], { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } });
}

describe('a board of labels', () => {
  const board = (...more: readonly string[]) =>
    cli('init', '--kind', 'github', '--repo', 'acme/web', '--endpoint', server.endpoint, ...more);

  test('is read, its states are recognised among its labels, and the file validates', async () => {
    server.state.repository('acme/web', ['bug', 'In Review', 'agent: todo', 'in progress', 'Done']);
    const { code, stdout, stderr } = await board('--yes', '--base', 'develop', '--agent', 'cat');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^written {2}WORKFLOW\.md: its rules hold, and the board has all of its states\n/);
    expect(workflowIn()).toMatchObject({
      tracker: {
        kind: 'github',
        project: 'acme/web',
        endpoint: server.endpoint,
        active_states: ['agent: todo', 'in progress'],
        in_progress_state: 'in progress',
        handoff_state: 'In Review',
        terminal_states: ['Done'],
      },
      repository: 'acme/web',
      base: 'develop',
      agent: { kind: 'command', command: 'cat' },
    });
    expect(await cli('validate')).toMatchObject({ code: 0 });
  });

  test('takes every answer from options, in the spelling of the board', async () => {
    server.state.repository('acme/web', ['Later', 'Now', 'Doing', 'Look', 'Over', 'Off']);
    const { code, stderr } = await board(
      ...['--active', 'now', 'doing', '--no-in-progress', '--handoff', 'LOOK'],
      ...['--terminal', 'over', 'off', '--base', 'main', '--agent', 'cat', '--output', 'policy/web.md'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { tracker } = workflowIn('policy/web.md');
    expect(tracker).toMatchObject({
      active_states: ['Now', 'Doing'],
      in_progress_state: undefined,
      handoff_state: 'Look',
      terminal_states: ['Over', 'Off'],
    });
    expect(await cli('validate', 'policy/web.md')).toMatchObject({ code: 0 });
  });

  test('that has no labels for states yet is told how to get them, and nothing is written anywhere', async () => {
    const { labels } = server.state.repository('acme/web', ['bug', 'todo']);
    const { code, stdout, stderr } = await board('--yes');
    expect(code).toBe(1);
    expect(stderr).toContain("The repository acme/web has no label 'in review' yet. Make it:");
    expect(stderr).toMatch(/gh label create 'in review' --repo 127\.0\.0\.1:\d+\/acme\/web/);
    expect(stdout).toMatch(/WORKFLOW\.md was not written:\n {2}state-exists +tracker\.handoff_state /);
    expect(readdirSync(dir)).toEqual([]);
    expect(labels.map(({ name }) => name)).toEqual(['bug', 'todo']);
    expect(server.log.filter(({ operation }) => operation !== 'Survey')).toEqual([]);
  });

  test('that is not there, or not for this token, writes nothing', async () => {
    const { code, stderr } = await board('--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /The states of the board could not be read: there is no repository acme\/web, or the token/,
    );
    expect(readdirSync(dir)).toEqual([]);
  });

  test('is the one that the folder is a checkout of, on the branch that its origin works from', async () => {
    git('init', '--quiet', '--initial-branch=mine', '.');
    git('remote', 'add', 'origin', `git@${new URL(server.endpoint).hostname}:acme/web.git`);
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    server.state.repository('acme/web', ['todo', 'in progress', 'in review', 'done']);
    const { code, stderr } = await cli('init', '--yes', '--endpoint', server.endpoint);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(workflowIn()).toMatchObject({ tracker: { kind: 'github', project: 'acme/web' }, base: 'trunk' });
  });

  test('needs a token, and says which', async () => {
    const args = ['init', '--kind', 'github', '--repo', 'acme/web', '--yes'];
    const { code, stderr } = await runCli(args, { cwd: dir });
    expect(code).toBe(1);
    expect(stderr).toMatch(/GITHUB_TOKEN is not set/);
  });
});

describe('a project', () => {
  const board = (...more: readonly string[]) =>
    cli(
      ...['init', '--kind', 'github-project', '--project', 'acme/7', '--repo', 'acme/web'],
      ...['--endpoint', server.endpoint, ...more],
    );

  test('is read by its columns, and the file validates', async () => {
    server.state.repository('acme/web');
    const columns = ['Backlog', 'Ready', 'In progress', 'In review', 'Done'];
    server.state.projects.create('acme', 7, columns, 'Organization');
    const { code, stderr } = await board('--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(workflowIn()).toMatchObject({
      tracker: {
        kind: 'github-project',
        project: 'acme/7',
        active_states: ['Ready', 'In progress'],
        in_progress_state: 'In progress',
        handoff_state: 'In review',
        terminal_states: ['Done'],
      },
      repository: 'acme/web',
    });
    expect(await cli('validate')).toMatchObject({ code: 0 });
  });

  test('without a column for what waits for a person is told so; --no-handoff does without', async () => {
    server.state.repository('acme/web');
    server.state.projects.create('acme', 7, ['Todo', 'In Progress', 'Done'], 'Organization');
    const refused = await board('--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /The project acme\/7 has no column 'In Review' yet\. Add it to the options/,
    );
    expect(existsSync(join(dir, 'WORKFLOW.md'))).toBe(false);
    expect(await board('--yes', '--no-handoff')).toMatchObject({ code: 0 });
    expect(workflowIn().tracker.handoff_state).toBeUndefined();
    expect(await cli('validate')).toMatchObject({ code: 0 });
  });
});

describe('a folder of issues', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=trunk', '.');
    git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  });

  test('that is no board yet gets its columns, and the file validates', async () => {
    const { code, stdout } = await cli(
      ...['init', '--kind', 'local', '--states', 'Todo', 'Doing, really', 'Review', 'Done', '--yes'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/written {2}WORKFLOW\.md: .*\nwritten {2}issues\/board\.yaml\n/);
    expect(read('issues/board.yaml')).toMatch(/^states: \[Todo, "Doing, really", Review, Done\]$/m);
    expect(workflowIn()).toMatchObject({
      tracker: { kind: 'local', project: 'issues', active_states: ['Todo'], handoff_state: 'Review' },
      repository: '.',
      base: 'trunk',
    });
    expect(await cli('validate')).toMatchObject({ code: 0 });
    expect(await cli('plan')).toMatchObject({ code: 0 });
  });

  test('that is a board keeps its columns; paths are relative to the file', async () => {
    mkdirSync(join(dir, 'cards'));
    writeFileSync(join(dir, 'cards', 'board.yaml'), 'states: [Ready, Doing, Review, Shipped]\n');
    const args = ['init', '--kind', 'local', '--project', 'cards', '--output', 'policy/WORKFLOW.md', '--yes'];
    expect(await cli(...args)).toMatchObject({ code: 0 });
    expect(workflowIn('policy/WORKFLOW.md')).toMatchObject({
      tracker: { project: '../cards', active_states: ['Ready', 'Doing'], terminal_states: ['Shipped'] },
      repository: '..',
    });
    expect(read('cards/board.yaml')).toBe('states: [Ready, Doing, Review, Shipped]\n');
    expect(await cli('validate', 'policy/WORKFLOW.md')).toMatchObject({ code: 0 });
    expect(await cli(...args, '--force', '--states', 'A')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--states names the columns of a local board that is not there yet/),
    });
  });

  test('is not made where the answers break a rule: nothing is written', async () => {
    const { code, stdout } = await cli(
      ...[
        'init',
        '--kind',
        'local',
        '--yes',
        '--active',
        'Todo',
        'Tod',
        '--handoff',
        'Todo',
        '--base',
        'gone',
      ],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/WORKFLOW\.md was not written:/);
    for (const rule of ['state-exists', 'handoff-not-active', 'base-exists']) expect(stdout).toContain(rule);
    expect(readdirSync(dir)).toEqual(['.git']);
  });

  test('is not made where the file cannot be written: no half of the two is left', async () => {
    writeFileSync(join(dir, 'policy'), 'This is no folder.');
    const { code, stderr } = await cli('init', '--kind', 'local', '--yes', '--output', 'policy/WORKFLOW.md');
    expect(code).toBe(1);
    expect(stderr).toContain('policy');
    expect(readdirSync(dir)).toEqual(['.git', 'policy']);
  });

  test('tells its result as JSON', async () => {
    const { code, stdout } = await cli('init', '--kind', 'local', '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: join(dir, 'WORKFLOW.md'),
      written: true,
      valid: true,
      problems: [],
      made: [join(dir, 'issues', 'board.yaml')],
    });
  });
});

describe('without a terminal', () => {
  test('every question that no option answers is named with its option, as wrong usage', async () => {
    server.state.repository('acme/web', ['todo', 'in review']);
    const { code, stdout, stderr } = await cli(
      ...['init', '--kind', 'github', '--repo', 'acme/web', '--endpoint', server.endpoint],
      ...['--active', 'todo', '--no-in-progress', '--no-terminal'],
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/There is nobody to ask/);
    expect([...stderr.matchAll(/^ {2}(--\S+)/gm)].map(([, option]) => option)).toEqual([
      '--handoff',
      '--base',
      '--agent',
    ]);
    expect(stderr).toContain('(suggested: "in review")');
    expect(readdirSync(dir)).toEqual([]);
  });

  test.each([
    [['--kind', 'github', '--yes'], 2, /--project <owner\/repo>/],
    [['--endpoint', 'ftp://example.org', '--yes'], 2, /It must be an http or https address/],
    [['--kind', 'linear', '--yes'], 1, /Boards at Linear are not built yet/],
    [
      ['--kind', 'github-project', '--project', 'acme/web', '--yes'],
      1,
      /--project .* is owner\/number.*"acme\/web"/,
    ],
  ])('options that no board can have are refused: %j', async (args, exit, message) => {
    const { code, stderr } = await cli('init', ...args);
    expect(code).toBe(exit);
    expect(stderr).toMatch(message);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('--from a file of another system', () => {
  const foreign = (name: string) => fileURLToPath(new URL(`translate/files/${name}.md`, import.meta.url));

  test('writes a file that validates against the board, and lists on stderr what has no counterpart', async () => {
    server.state.repository('acme/web', ['todo', 'in-progress', 'review', 'done', 'rejected']);
    const { code, stdout, stderr } = await cli(
      'init',
      '--from',
      foreign('sortie'),
      '--endpoint',
      server.endpoint,
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toBe('written  WORKFLOW.md: its rules hold, and the board has all of its states\n');
    expect(stderr).toMatch(/^What of .*sortie\.md is not the same here:\n/);
    expect(stderr).toMatch(
      /^ {2}reactions\.ci_failure +it was left out: .*move the card back for another one$/m,
    );
    expect(`${stdout}${stderr}${read('WORKFLOW.md')}`).not.toContain('ghp_doNotShowThis');
    expect(await cli('validate')).toMatchObject({ code: 0 });
  });

  test('writes it also with problems that remain, lists them and fails', async () => {
    server.state.repository('acme/web', ['todo', 'in-progress', 'Needs review', 'done', 'rejected']);
    const { code, stdout } = await cli('init', '--from', foreign('sortie'), '--endpoint', server.endpoint);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^written {2}WORKFLOW\.md, with a problem that remains; mend the file, and run `evenkeel validate`:\n {2}state-exists +tracker\.handoff_state /,
    );
    expect(workflowIn().tracker.handoff_state).toBe('review');
    expect(await cli('validate')).toMatchObject({ code: 1 });
  });

  test('takes the place of what the file says from options', async () => {
    server.state.repository('acme/payments');
    const columns = ['Todo', 'In Progress', 'Rework', 'Human Review', 'Done', 'Cancelled', 'Duplicate'];
    server.state.projects.create('acme', 7, columns, 'Organization');
    const { code, stdout } = await cli(
      ...['init', '--from', foreign('symphony'), '--endpoint', server.endpoint, '--json'],
      ...[
        '--kind',
        'github-project',
        '--project',
        'acme/7',
        '--repo',
        'acme/payments',
        '--handoff',
        'Human Review',
      ],
    );
    expect(code).toBe(1);
    const { problems, notes, written } = JSON.parse(stdout);
    expect(written).toBe(true);
    expect(problems.map(({ rule }: { rule: string }) => rule)).toEqual(['prompt-renders', 'prompt-renders']);
    expect(notes.map(({ key }: { key: string }) => key)).toContain('comments');
    const mended = read('WORKFLOW.md')
      .replace('{{ issue.branch_name }}', 'it')
      .replace(/\{% for[\s\S]*endfor %\}/, '');
    writeFileSync(join(dir, 'WORKFLOW.md'), mended);
    expect(await cli('validate')).toMatchObject({ code: 0 });
  });

  test.each<readonly [string, string, RegExp]>([
    ['that is not there', '', /missing\.md cannot be read \(ENOENT\)/],
    ['without front matter', 'Work.\n', /has no front matter.*\nNothing was written/s],
    ['with broken YAML', '---\na: [\n---\nWork.\n', /missing\.md:\d+: .*\nNothing was written/s],
  ])('writes nothing for one %s', async (_, text, message) => {
    if (text !== '') writeFileSync(join(dir, 'missing.md'), text);
    const { code, stderr } = await cli('init', '--from', 'missing.md');
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(existsSync(join(dir, 'WORKFLOW.md'))).toBe(false);
  });

  test('does not write over the file itself without --force', async () => {
    writeFileSync(join(dir, 'WORKFLOW.md'), readFileSync(foreign('sortie')));
    expect(await cli('init', '--from', 'WORKFLOW.md')).toMatchObject({ code: 1 });
    expect(read('WORKFLOW.md')).toBe(readFileSync(foreign('sortie'), 'utf8'));
  });
});

test('a file that is there is replaced only with --force, and nothing is asked before', async () => {
  writeFileSync(join(dir, 'WORKFLOW.md'), 'mine');
  const refused = await cli('init');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is there already\. Nothing was written/),
  });
  expect(read('WORKFLOW.md')).toBe('mine');
  server.state.repository('acme/web', ['todo', 'in progress', 'in review', 'done']);
  const args = ['--kind', 'github', '--repo', 'acme/web', '--endpoint', server.endpoint, '--yes'];
  expect(await cli('init', ...args, '--force')).toMatchObject({ code: 0 });
  expect(workflowIn().tracker.project).toBe('acme/web');
  expect(readdirSync(dir)).toEqual(['WORKFLOW.md']);
});

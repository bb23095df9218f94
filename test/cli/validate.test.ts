import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeExampleRepository } from '../../lib/host/example-repository.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { runCli } from '../support/run-cli.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-'));
  await mkdir(join(cwd, 'board'));
  await makeExampleRepository(join(cwd, 'repository.git'), { 'README.md': 'A repository.\n' });
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const good = `---
tracker:
  kind: local
  project: board
  active_states: [Todo, In Progress]
  handoff_state: In Review
  terminal_states: [Done]
repository: repository.git
agent:
  kind: command
  command: cat
---
You are working on {{ issue.key }}.
`;

async function lay(
  workflow: string,
  states: readonly string[] = ['Todo', 'In Progress', 'In Review', 'Done'],
) {
  await writeFile(join(cwd, 'WORKFLOW.md'), workflow);
  await writeFile(join(cwd, 'board', 'board.yaml'), `states: [${states.join(', ')}]\n`);
}

const rulesOf = (stdout: string) =>
  (JSON.parse(stdout) as { files: { problems: { rule: string; path: string }[] }[] }).files.flatMap((file) =>
    file.problems.map(({ rule, path }) => `${rule} ${path}`),
  );

describe('validate', () => {
  test('passes a workflow file whose states are on the board, found in the current folder', async () => {
    await lay(good);
    const { code, stdout } = await runCli(['validate'], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'valid    WORKFLOW.md: its rules hold, and the board has all of its states\n',
    });
  });

  test('names every problem of the file at once, with rule and field', async () => {
    await lay(
      good
        .replace('handoff_state: In Review', 'handoff_state: Todo')
        .replace('kind: command', 'knd: command'),
    );
    const { code, stdout } = await runCli(['validate', 'WORKFLOW.md', '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false });
    expect(rulesOf(stdout)).toEqual(
      expect.arrayContaining(['unknown-key agent.knd', 'handoff-not-active tracker.handoff_state']),
    );
  });

  test('names the problems of every kind at once: file, rules, machine, repository, board and prompt', async () => {
    await lay(
      good
        .replace('handoff_state: In Review', 'handoff_state: In Review\n  in_progress_state: Done')
        .replace('terminal_states: [Done]', 'terminal_states: [Done, Gone]')
        .replace('repository: repository.git', 'repository: repository.git\nbase: master')
        .replace('kind: command', 'kind: command\n  max_turns: none\n  comand: cat')
        .replace('{{ issue.key }}', '{{ issue.number }}'),
    );
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout).sort()).toEqual([
      'base-exists base',
      'in-progress-active tracker.in_progress_state',
      'prompt-renders ',
      'state-exists tracker.terminal_states[1]',
      'unknown-key agent.comand',
      'value agent.max_turns',
    ]);
  });

  test('says nothing of what a file with a misspelt key leaves out', async () => {
    await lay(
      good
        .replace('active_states:', 'active_stats:')
        .replace('repository: repository.git', 'repository: repository.git\nbse: main'),
      ['Todo', 'Done', 'In Review'],
    );
    const { stdout } = await runCli(['validate', '--json'], { cwd });
    expect(rulesOf(stdout).sort()).toEqual(['unknown-key bse', 'unknown-key tracker.active_stats']);
  });

  test('tells of issues in a state that the board does not have, and of broken ones, and fails nothing', async () => {
    await lay(good);
    await writeFile(join(cwd, 'board', 'A-1.md'), '---\ntitle: T\nstate: Tod\n---\n');
    await writeFile(join(cwd, 'board', 'A-2.md'), '---\nstate: Todo\n---\n');
    await writeFile(join(cwd, 'board', 'A-3.md'), '---\ntitle: T\nstate: todo\n---\n');
    await writeFile(join(cwd, 'board', 'A-4.md'), '---\ntitle: T\n---\n');
    const { code, stdout } = await runCli(['validate'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^valid /);
    expect(stdout).toMatch(/issue-broken +A-4\.md +A-4\.md: it has no state: write a `state:` line/);
    expect(stdout).toMatch(/issue-state +A-1\.md +it is in "Tod".*did you mean "Todo"\?/);
    expect(stdout).toMatch(/issue-broken +A-2\.md +A-2\.md: it has no title/);
    expect(stdout).not.toContain('A-3');
    const plan = await runCli(['plan'], { cwd });
    expect(plan.stdout).toMatch(/A-1 +wait +not-active +.*did you mean "Todo"/);
    expect(plan.stdout).toMatch(/A-4 +wait +unknown +.*it has no state/);
    const status = await runCli(['status'], { cwd });
    expect(status.stdout).toMatch(/A-1 +not-active +to resume: correct its state "Tod"/);
  });

  test('holds the states against the board, and names the nearest one there', async () => {
    await lay(good, ['Todo', 'In Progress', 'In Revue', 'Done']);
    const { code, stdout } = await runCli(['validate'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/state-exists +tracker\.handoff_state .*did you mean 'In Revue'/);
  });

  test('fails when the board does not tell its states', async () => {
    await lay(good);
    await rm(join(cwd, 'board', 'board.yaml'));
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout)).toEqual(['board-read tracker.project']);
  });

  test('fails when the repository is not there, because the host would refuse it', async () => {
    await lay(good.replace('repository: repository.git', 'repository: ./nowhere.git'));
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout)).toEqual(['repository-exists repository']);
  });

  test('fails for a kind of board that this version does not serve, because the host would refuse it', async () => {
    await lay(good.replace('kind: local', 'kind: linear').replace('project: board', 'project: ENG'));
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout)).toEqual(['kind-supported tracker.kind']);
  });

  test('fails for a variable that no turn has, also where only a later turn would meet it', async () => {
    await lay(good.replace('{{ issue.key }}.', '{{ issue.key }}. {% if attempt %}{{ lastword }}{% endif %}'));
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout)).toEqual(['prompt-renders ']);
    expect(stdout).toContain('lastword');
  });

  test('fails for a base that the repository does not have, and tells which branches it has', async () => {
    await lay(good.replace('repository: repository.git', 'repository: repository.git\nbase: master'));
    const { code, stdout } = await runCli(['validate', '--json'], { cwd });
    expect(code).toBe(1);
    expect(rulesOf(stdout)).toEqual(['base-exists base']);
    expect(stdout).toContain('has no branch master to start from; it has main');
  });

  test('fails for a repository that is a folder and no repository', async () => {
    await lay(good.replace('repository: repository.git', 'repository: board'));
    const { stdout } = await runCli(['validate', '--json'], { cwd });
    expect(rulesOf(stdout)).toEqual(['repository-exists repository']);
  });

  test('says what to do where there is no file', async () => {
    const missing = await runCli(['validate'], { cwd });
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^evenkeel: There is no WORKFLOW\.md in this folder\..*\n$/);
    const named = await runCli(['validate', 'elsewhere.md'], { cwd });
    expect(named).toMatchObject({ code: 1, stdout: '' });
    expect(named.stderr).toMatch(/elsewhere\.md cannot be read \(ENOENT\)/);
  });
});

describe('a file whose board is elsewhere and tells nothing is not called invalid', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await githubServer();
    server.state.repository('acme/web', ['Todo', 'In Progress', 'In Review', 'Done']);
    const { endpoint } = server;
    await lay(
      good.replace(
        'kind: local\n  project: board',
        `kind: github\n  project: acme/web\n  endpoint: ${endpoint}`,
      ),
    );
  });
  afterEach(() => server.close());
  /** A right that the token does not have is told for each question. */
  const refuse = () => {
    for (let n = 0; n < 50; n += 1) server.fail('Survey', { status: 403, json: { message: 'No' } });
  };
  const ask = (command: string, env = { GITHUB_TOKEN: server.token }) => runCli([command], { cwd, env });

  test('where it does not answer: what to look at is said', async () => {
    await server.close();
    const { code, stdout } = await ask('validate');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^unknown {2}WORKFLOW\.md: its own rules hold, and nothing is known of its board\n {2}board-reached +tracker\.endpoint /,
    );
    expect(stdout).toContain(
      `the board could not be read: GitHub did not answer: ${new URL(server.endpoint).host} refused the connection (ECONNREFUSED); look at the network, and at tracker.endpoint. The file may be fine: validate it again when that is mended`,
    );
    await lay(
      (await readFile(join(cwd, 'WORKFLOW.md'), 'utf8')).replace('{{ issue.key }}', '{{ issue.number }}'),
    );
    expect((await ask('validate')).stdout).toMatch(/^invalid {2}WORKFLOW\.md: 2 problems\n/);
  });

  const unreachable = 'refused the connection (ECONNREFUSED); look at the network';
  const causes: Record<string, readonly [act: () => unknown, words: string]> = {
    'does not answer': [() => server.close(), unreachable],
    'lets the token do nothing': [() => refuse(), '(403): No; give it the permissions that'],
    'is limited': [() => server.useUpQuota(), 'nothing is asked until 20'],
    'takes no token': [() => undefined, '(401): it is wrong, expired or revoked; put a valid one'],
  };
  const ofPlan = /^Board web {2}it could not be read: nothing starts\n {2}! +board-read /;
  test.each<readonly [string, string, RegExp]>([
    ['does not answer', 'plan', ofPlan],
    ['does not answer', 'status', /Nothing starts until it can be, and what runs goes on/],
    ['does not answer', 'explain web#1', /^evenkeel: Whether there is an issue called web#1 is not known: /],
    [
      'does not answer',
      'start --until-idle --interval 1 --log-format text',
      /^\S+ {2}web +board +board-read: the/m,
    ],
    [
      'does not answer',
      'init --kind github --repo acme/web --yes --output N.md',
      /^evenkeel: The states of/m,
    ],
    ['lets the token do nothing', 'plan', ofPlan],
    ['is limited', 'plan', ofPlan],
    ['takes no token', 'plan', ofPlan],
  ])('where it %s, `%s` says why, and never that there is nothing', async (cause, line, shape) => {
    const [act, words] = causes[cause]!;
    await act();
    const args = line.split(' ');
    const more = args[0] === 'init' ? ['--endpoint', server.endpoint] : [];
    const env = { GITHUB_TOKEN: cause === 'takes no token' ? 'ghp_old' : server.token };
    const { stdout, stderr } = await runCli([...args, ...more], { cwd, env });
    expect(stdout + stderr).toMatch(shape);
    expect(stdout + stderr).toContain('could not be read: ');
    expect(stdout + stderr).toContain(words);
  });

  test('where its quota is used up: it is asked again later', async () => {
    server.useUpQuota();
    const { code, stdout } = await ask('validate');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^unknown .*\n {2}board-reached .*: validate it again when the limit has ended$/m);
  });

  test('where there is no token: no command calls the file broken, and each names the variable', async () => {
    const nobody = { GITHUB_TOKEN: '' };
    const validated = await ask('validate', nobody);
    expect(validated).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^unknown .*\n {2}token-needed /),
    });
    const { code, stderr } = await ask('status', nobody);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /WORKFLOW\.md cannot be served: GITHUB_TOKEN is not set: .*give one that may read and write/,
    );
    expect(stderr).not.toContain('broken');
  });

  test('but a refusal is told as what it is', async () => {
    await lay((await readFile(join(cwd, 'WORKFLOW.md'), 'utf8')).replace('acme/web', 'acme/missing'));
    expect((await ask('validate')).stdout).toMatch(/^invalid .*\n {2}board-read +tracker\.project /);
  });
});

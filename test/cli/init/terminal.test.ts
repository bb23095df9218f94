import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseWorkflow } from '../../../lib/core/workflow.ts';
import { eventually } from '../../support/eventually.ts';
import { type GitHubServer, githubServer } from '../../support/github/github-server.ts';
import { evenkeel, runCli } from '../../support/run-cli.ts';

/** Gives a program a terminal of its own; part of util-linux. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

const keys = { enter: '\r', down: '\u001b[B', space: ' ', ctrlC: '\u0003', ctrlD: '\u0004' };

let dir: string;
let server: GitHubServer;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'init-')));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: dir });
  git('init', '--quiet', '--initial-branch=main', '.');
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  server = await githubServer();
});
afterEach(async () => {
  if (child?.exitCode === null) child.kill('SIGKILL');
  await server.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** `evenkeel init` on a terminal of its own. */
function askOnTerminal(...args: readonly string[]) {
  const line = [process.execPath, evenkeel, 'init', ...args].map((word) => `'${word}'`).join(' ');
  const terminal = spawn(
    'script',
    ['--quiet', '--return', '--command', `stty rows 40 cols 120; exec ${line}`, '/dev/null'],
    {
      cwd: dir,
      env: {
        PATH: process.env.PATH,
        HOME: dir,
        TERM: 'xterm',
        SHELL: '/bin/bash',
        GITHUB_TOKEN: server.token,
      },
    },
  );
  child = terminal;
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const plain = () => stripVTControlCharacters(shown);
  return {
    raw: () => shown,
    shown: plain,
    /** Waits until this is asked, and answers. */
    answer: async (question: string, ...pressed: readonly string[]) => {
      await eventually(plain, (text) => text.includes(`? ${question}`), 30_000);
      for (const key of pressed) terminal.stdin.write(key);
    },
    ended: once(terminal, 'close') as Promise<[code: number | null]>,
  };
}

function workflow() {
  const parsed = parseWorkflow(readFileSync(join(dir, 'WORKFLOW.md'), 'utf8'), 'WORKFLOW.md');
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.workflow;
}

describe.skipIf(!hasScript)('init on a terminal (needs `script` of util-linux)', () => {
  test('asks one thing after the other, and what is suggested is taken with Enter', async () => {
    const { answer, shown, ended } = askOnTerminal();
    await answer('Where is the board?', keys.down, keys.down, keys.enter);
    await answer('Which folder are the issues in?', keys.enter);
    await answer('Which repository do agents work in?', keys.enter);
    await answer('Which states does the new board have?', 'Idea, Ready, Doing, Review, Done', keys.enter);
    await answer('In which states should an agent be at work?', keys.enter);
    await answer('Which of them is written when a turn starts?', keys.enter);
    await answer('Which state is written when a turn has ended', keys.enter);
    await answer('Which states end an issue?', keys.enter);
    await answer('Which branch does work start from?', keys.enter);
    await answer('Which shell line is the agent?', 'cat', keys.enter);
    const [code] = await ended;
    expect(code, shown()).toBe(0);
    expect(shown()).toContain('Linear (not built yet)');
    expect(workflow()).toMatchObject({
      tracker: {
        kind: 'local',
        project: 'issues',
        active_states: ['Ready', 'Doing'],
        in_progress_state: 'Doing',
        handoff_state: 'Review',
        terminal_states: ['Done'],
      },
      repository: '.',
      base: 'main',
      agent: { command: 'cat' },
    });
    expect(await runCli(['validate'], { cwd: dir })).toMatchObject({ code: 0 });
  });

  test('looks again for a label that a person makes meanwhile', async () => {
    const repository = server.state.repository('acme/web', ['todo', 'in progress', 'done']);
    const { answer, shown, ended } = askOnTerminal(
      ...[
        '--kind',
        'github',
        '--repo',
        'acme/web',
        '--endpoint',
        server.endpoint,
        '--base',
        'main',
        '--agent',
        'cat',
      ],
    );
    await answer('In which states should an agent be at work?', keys.enter);
    await answer('Which of them is written when a turn starts?', keys.enter);
    await answer('Which state is written when a turn has ended', keys.enter);
    await answer('Which states end an issue?', keys.enter);
    await eventually(shown, (text) => text.includes("gh label create 'in review'"), 30_000);
    repository.labels.push({ id: 'LA_new', name: 'In review' });
    await answer('And then?', keys.enter);
    const [code] = await ended;
    expect(code, shown()).toBe(0);
    expect(workflow().tracker.handoff_state).toBe('in review');
    const env = { GITHUB_TOKEN: server.token };
    expect(await runCli(['validate'], { cwd: dir, env })).toMatchObject({ code: 0 });
  });

  test.each(['ctrlC', 'ctrlD'] as const)('%s leaves nothing behind', async (key) => {
    const { answer, shown, ended } = askOnTerminal('--kind', 'local');
    await answer('Which folder are the issues in?', keys.enter);
    await answer('Which repository do agents work in?', keys[key]);
    const [code] = await ended;
    expect(code, shown()).toBe(1);
    expect(shown()).toContain('Ended. Nothing was written.');
    // A question that nothing answers any more is warned of by newer versions of Node.
    expect(shown()).not.toContain('Warning');
    expect(readdirSync(dir)).toEqual(['.git']);
  });

  test('with --yes asks only what nothing is suggested for', async () => {
    const { answer, shown, ended } = askOnTerminal('--yes');
    await answer('Where is the board?', keys.down, keys.down, keys.enter);
    const [code] = await ended;
    expect(code, shown()).toBe(0);
    expect(shown()).not.toContain('? Which');
    expect(workflow().tracker).toMatchObject({ kind: 'local', active_states: ['Todo', 'In Progress'] });
  });

  test('shows names of the board that could steer the terminal as plain words', async () => {
    const steering = '\u001b]0;owned\u0007Review\u202e';
    server.state.repository('acme/web', ['todo', 'in progress', steering]);
    const { answer, raw, shown, ended } = askOnTerminal(
      ...['--kind', 'github', '--repo', 'acme/web', '--endpoint', server.endpoint],
    );
    await answer('In which states should an agent be at work?', keys.ctrlC);
    expect((await ended)[0], shown()).toBe(1);
    expect(shown()).toMatch(/◯ Review$/m);
    expect(raw()).not.toContain('owned');
    expect(raw()).not.toContain('\u202e');
  });

  test('stops without a word on the board when what it lacks is not made', async () => {
    server.state.repository('acme/web', ['bug']);
    const { answer, shown, ended } = askOnTerminal(
      ...['--kind', 'github', '--repo', 'acme/web', '--endpoint', server.endpoint, '--active', 'todo'],
      ...['--no-in-progress', '--no-handoff', '--no-terminal'],
    );
    await answer('And then?', keys.down, keys.enter);
    const [code] = await ended;
    expect(code, shown()).toBe(1);
    expect(readdirSync(dir)).toEqual(['.git']);
    expect(server.log.filter(({ operation }) => operation !== 'Survey')).toEqual([]);
  });
});

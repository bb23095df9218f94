import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../lib/cli/run-program.ts';
import { runCli } from '../support/run-cli.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** The same without a process of its own: half a second each, on a busy machine. */
async function runHere(args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = (stream: PassThrough) => ({ stream, isTerminal: false, isRich: false });
  const stdin = { stream: new PassThrough(), isTerminal: false };
  const context = {
    cwd,
    env: {},
    stdin,
    stdout: terminal(stdout),
    stderr: terminal(stderr),
    now: Date.now,
  };
  const code = await runProgram(args, context);
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const commands = [
  'init',
  'start',
  'validate',
  'plan',
  'explain',
  'status',
  'history',
  'logs',
  'tick',
  'pause',
  'resume',
  'bootstrap',
  'check-trace',
];

describe('help', () => {
  test('lists every command, and none that does nothing yet', async () => {
    const { code, stdout } = await runCli(['--help'], { cwd });
    expect(code).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(([, name]) => name);
    expect(listed).toEqual(commands);
  });

  test.each(commands)('of %s shows an example and that it tells its result as JSON', async (command) => {
    const { code, stdout, stderr } = await runHere([command, '--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`Examples?:\n  \\$ .*evenkeel ${command}`));
    expect(stdout).toContain('--json');
  });

  test('of the version is the version alone', async () => {
    const { code, stdout } = await runCli(['--version'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong usage', () => {
  test.each([
    ['no command at all', [], /Usage: evenkeel/],
    ['an unknown command, naming the nearest', ['strat'], /unknown command 'strat'[\s\S]*Did you mean start/],
    [
      'an unknown option, naming the nearest',
      ['plan', '--jsn'],
      /unknown option '--jsn'[\s\S]*Did you mean --json/,
    ],
    ['a missing argument', ['explain'], /missing required argument 'key'/],
    ['one argument too many', ['tick', 'now'], /too many arguments/],
    ['an interval that is no number', ['start', '--interval', 'soon'], /number of seconds from 0\.1 to 3600/],
    ['an interval of nothing', ['start', '--interval', '0'], /number of seconds from 0\.1 to 3600/],
    ['a negative cap', ['start', '--max-concurrent-agents=-1'], /whole number from 0 to 1000/],
    ['a port that is none', ['start', '--port', '70000'], /whole number from 0 to 65535/],
    ['a log format that does not exist', ['start', '--log-format', 'xml'], /choices are text, json/],
  ])('is refused with exit code 2: %s', async (_, args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('what goes wrong', () => {
  test('in the usage ends the process with exit code 2', async () => {
    expect(await runCli(['strat'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  });

  test('is one sentence without the inside of the program, which a variable adds', async () => {
    const args = ['check-trace', 'nowhere.jsonl'];
    const quiet = await runCli(args, { cwd });
    expect(quiet).toMatchObject({ code: 1, stdout: '' });
    expect(quiet.stderr).toBe(
      'evenkeel: nowhere.jsonl cannot be read (ENOENT). Name a file of trace lines.\n',
    );
    const loud = await runCli(args, { cwd, env: { EVENKEEL_DEBUG: '1' } });
    expect(loud.stderr).toMatch(/\n\s+at /);
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { evenkeel } from '../support/run-cli.ts';
import { makeScene, type Scene } from './support/scene.ts';

/** Gives a program a terminal of its own; part of util-linux. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

let scene: Scene;
let child: ChildProcess | undefined;
beforeEach(() => {
  scene = makeScene();
});
afterEach(async () => {
  if (child?.exitCode === null) child.kill('SIGKILL');
  await scene.end();
});

/** `evenkeel start` on a terminal of 30 lines and 100 columns. */
function startOnTerminal(env: Readonly<Record<string, string>> = {}) {
  const command = `stty rows 30 cols 100; exec '${process.execPath}' '${evenkeel}' start --interval 1 --data '${scene.dataDir}'`;
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: scene.dir,
    env: { PATH: process.env.PATH, HOME: scene.dir, TERM: 'xterm', SHELL: '/bin/bash', ...env },
  });
  child = terminal;
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  return {
    shown: () => shown,
    press: (key: string) => void terminal.stdin.write(key),
    ended: once(terminal, 'close') as Promise<[code: number | null]>,
  };
}

const ctrlC = '\u0003';
const handedOff = /DEMO-1.*handed off.*branch evenkeel\/issue\//;

describe.skipIf(!hasScript)('on a terminal (needs `script` of util-linux)', () => {
  test('the story has colour, one live line that is kept up to date, and Ctrl-C ends it cleanly', async () => {
    const { shown, press, ended } = startOnTerminal();
    await eventually(shown, (text) => handedOff.test(text), 40_000);
    await eventually(shown, (text) =>
      /0 running · \d waiting · 0 parked · \d in review · next tick in/.test(text),
    );
    press(ctrlC);
    const [code] = await ended;
    expect(code).toBe(0);
    const text = shown();
    expect(text).toContain('\u001b[36mstart');
    expect(text).toMatch(/Ended\. Nothing is running\.\r\n$/);
    // What moves the cursor is the return to the start of the one live line and its erasing, and nothing else.
    const sequences = text.split('\u001b').slice(1);
    const movements = sequences.flatMap((sequence) => /^\[[0-9;]*m/.exec(sequence) ?? [sequence.slice(0, 3)]);
    expect(new Set(movements.filter((movement) => !movement.endsWith('m')))).toEqual(new Set(['[2K']));
  });

  test('NO_COLOR leaves plain lines', async () => {
    const { shown, press, ended } = startOnTerminal({ NO_COLOR: '1' });
    await eventually(shown, (text) => handedOff.test(text), 40_000);
    press(ctrlC);
    expect((await ended)[0]).toBe(0);
    expect(shown()).not.toContain('\u001b');
    expect(shown()).not.toContain('next tick in');
  });
});

test('where stderr is no terminal it has trace lines only', async () => {
  const board = scene.board('board');
  const host = scene.launch({ args: ['--until-idle'] });
  board.add('A');
  const { code, stderr, stdout } = await host.ended;
  expect(code).toBe(0);
  expect(stdout).toBe('');
  for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('fact');
});

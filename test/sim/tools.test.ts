import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asOption } from './read-options.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const programs = {
  sim: 'test/sim/sim.ts',
  sweep: 'test/sim/sweep.ts',
  explore: 'test/model/explore-protocol.ts',
};
type Program = keyof typeof programs;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** As `npm run` does it: the arguments are read by a shell. A search that was not meant to begin is killed. */
function run(program: Program, args: string): Promise<Ran> {
  const line = `exec "$0" --import tsx ${programs[program]} ${args}`;
  return new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 2 ** 26, timeout: 50_000, killSignal: 'SIGKILL' } as const;
    const child = execFile('sh', ['-c', line, process.execPath], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe.concurrent('a command that was given what it cannot take says so, and does nothing', () => {
  test.each<readonly [Program, args: string, said: RegExp]>([
    ['sim', '--from nope', /^--from takes a whole number of at least 0, not 'nope'\.\n$/],
    ['sim', '--sedes 5', /^Unknown option '--sedes'\. --help says what there is\.\n$/],
    [
      'sim',
      '--show --mutant none',
      /^There is no mutant 'none'\. There are:\n( {2}.*\n)* {2}no start gate\n/,
    ],
    ['sweep', '--fault here', /^--fault is not KEY=KIND or KEY=KIND:MS: here\n$/],
    [
      'explore',
      'nonesuch',
      /^No row says 'nonesuch'\. There are:\n( {2}.*\n)* {2}hints, 4 changes, 2 ticks\n/,
    ],
  ])('npm run %s -- %s', async (program, args, said) => {
    const { code, stdout, stderr } = await run(program, args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
  });
});

const rule = 'write not announced';

describe('what a command prints to see a broken promise again shows it broken', () => {
  test.each<readonly [Program, args: string]>([
    ['sim', `--from 1 --seeds 1 --threads 1 --mutant '${rule}'`],
    ['sweep', `--story 'a turn ends well and' --pairs 0 --threads 1 --mutant '${rule}'`],
  ])('npm run %s -- %s', async (program, args) => {
    const search = await run(program, args);
    expect(search.code).toBe(1);
    const [, broken, replay] =
      / breaks ([\w-]+).*\n {2}replay: npm run \w+ -- (.*)\n/.exec(search.stdout) ?? [];
    const { stdout } = await run(program, String(replay));
    expect(stdout).toContain('"env":"violation"');
    expect(stdout).toContain(`rule: '${broken}'`);
  });
});

test('a name with an apostrophe is one word for the shell that the printed command is given to', () => {
  const words = execFileSync('sh', ['-c', `printf '%s|' ${asOption('mutant', "a person's")}`]);
  expect(String(words)).toBe("--mutant|a person's|");
});

test('npm run explore says which row it is on before it searches it', async () => {
  const { code, stdout, stderr } = await run('explore', "'hints, 4 changes, 2 ticks'");
  expect(stderr).toBe('1 of 1  hints, 4 changes, 2 ticks\n');
  expect(stdout).toContain('| holds |');
  expect(code).toBe(0);
});

test('npm run explore -- --help tells the usage, and searches nothing', async () => {
  const { code, stdout } = await run('explore', '--help');
  expect(stdout).toMatch(/^npm run explore -- \[TEXT\] \[--stories\] \[--write\]\n/);
  expect(stdout).not.toContain('states searched');
  expect(code).toBe(0);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startContainerPlatform } from '../support/container-platform.ts';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

interface Printed {
  readonly message?: string;
  readonly log?: string;
  readonly line?: string;
}

/** What the turn printed, line by line. */
async function printedBy(env: Readonly<Record<string, string>>): Promise<readonly Printed[]> {
  const { log } = await world.run({ env });
  return log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
}

const toLogs = { EVENKEEL_OUTPUT: 'logs' };
const outputOf = (printed: readonly Printed[]) =>
  printed.flatMap(({ log, line }) => (log === undefined ? [] : [[log, line]]));

test('where its files are gone with the turn, what hooks, agent and gates print stands among its steps', async () => {
  world = await makeTurnWorld({
    command: 'echo "to work"; echo trouble >&2; echo new > new.txt; printf "no end"',
    hooks: { before_run: 'echo ready' },
    verify: ['echo checked'],
  });
  const printed = await printedBy(toLogs);
  expect(outputOf(printed).sort()).toEqual([
    ['agent.log', 'no end'],
    ['agent.log', 'to work'],
    ['agent.log', 'trouble'],
    ['before_run.log', 'ready'],
    ['verify-1.log', 'checked'],
  ]);
  const at = (step: string) => printed.findIndex(({ message }) => message === step);
  const atLine = (text: string) => printed.findIndex(({ line }) => line === text);
  const order = [at('turn begins'), atLine('ready'), atLine('to work'), atLine('checked'), at('turn ended')];
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(readFileSync(join(world.dir, 'out', 'agent.log'), 'utf8')).toContain('to work\n');
});

test('elsewhere it is kept in files alone', async () => {
  world = await makeTurnWorld({ command: 'echo "to work"', hooks: { before_run: 'echo ready' } });
  expect(outputOf(await printedBy({}))).toEqual([]);
});

test('neither the prompt nor anything that the turn itself was told is printed', async () => {
  world = await makeTurnWorld({ command: 'cat > new.txt', prompt: 'Mend the gate.\n' });
  expect(JSON.stringify(await printedBy(toLogs))).not.toContain('Mend the gate');
});

test('a line with a key that the agent was given, or that looks like one, is withheld', async () => {
  const lines = ['first line of several', 'second line of several'];
  world = await makeTurnWorld({
    command: [
      'echo "key $MODEL_KEY"',
      'echo "$FILE_KEY"',
      'echo "the place is $PLACE"',
      `echo "ghp_${'a'.repeat(36)}"`,
      'printf "%s\\n" "-----BEGIN PRIVATE KEY-----" bm90IGEga2V5 "-----END PRIVATE KEY-----" after',
    ].join('; '),
  });
  const printed = await printedBy({
    ...toLogs,
    EVENKEEL_PASS: 'MODEL_KEY,FILE_KEY,PLACE',
    MODEL_KEY: 'k'.repeat(40),
    FILE_KEY: lines.join('\n'),
    PLACE: 'eu-central-1-and-more',
  });
  const given = '[withheld: it looks like a key that the agent was given]';
  const key = '[withheld: it looks like a private key]';
  expect(outputOf(printed).map(([, line]) => line)).toEqual([
    given,
    given,
    given,
    'the place is eu-central-1-and-more',
    '[withheld: it looks like an access token of a code host]',
    key,
    key,
    key,
    'after',
  ]);
});

test('a line is told as far as a log takes it, without what steers a terminal', async () => {
  world = await makeTurnWorld({
    command: String.raw`head -c 5000 /dev/zero | tr '\0' a; echo; printf '\033[31mred\033[0m\001\n'`,
  });
  const [long, red] = outputOf(await printedBy(toLogs)).map(([, line]) => line);
  expect(long).toBe(`${'a'.repeat(4_000)} [1000 more characters]`);
  expect(red).toBe('red');
});

test('no more of it is told than its file keeps', async () => {
  world = await makeTurnWorld({
    command: 'true',
    hooks: { before_run: String.raw`head -c 6000000 /dev/zero | tr '\0' a | fold -w 3000; echo done` },
  });
  const told = outputOf(await printedBy(toLogs)).map(([, line]) => line!);
  expect(told.at(-1)).toBe('[the rest of it is not kept]');
  const bytes = told.reduce((sum, line) => sum + line.length, 0);
  expect(bytes).toBeGreaterThan(3_900_000);
  expect(bytes).toBeLessThan(4 * 1024 * 1024);
});

describe('in a container of its own, which ends with the turn,', () => {
  /** What tells the program which task it is. */
  async function inContainer<Result>(act: (env: Record<string, string>) => Promise<Result>): Promise<Result> {
    const platform = await startContainerPlatform();
    try {
      return await act({ ...toLogs, ...platform.env });
    } finally {
      platform.stop();
    }
  }

  test('no place is told that is gone, and what is lost is told', async () => {
    const forbidden =
      'mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; git add -A; git commit -qm one';
    world = await makeTurnWorld({ command: `${forbidden}; echo y > b; git add -A; git commit -qm two` });
    const { result } = await inContainer((env) => world.run({ env }));
    expect(result).toMatchObject({
      failure: { class: 'delivery' },
      git: { commits: 2, pushed: false },
      notes: ['2 commits could be kept nowhere and ended with the container of the turn.'],
    });
    expect(JSON.stringify(result)).not.toContain(world.dir);
  });

  test('nothing is told lost that is on a branch', async () => {
    world = await makeTurnWorld({ command: 'echo half > half.txt; exit 3' });
    const { result } = await inContainer((env) => world.run({ env }));
    expect(result?.git).toMatchObject({ commits: 1, pushed: false, wipBranch: 'evenkeel/wip/web-1' });
    expect(result?.notes).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain(world.dir);
  });

  test('a hook that failed is said to have its output in the log of the turn', async () => {
    world = await makeTurnWorld({ command: 'true', hooks: { before_run: 'echo why; false' } });
    const { result, log } = await inContainer((env) => world.run({ env }));
    expect(result?.failure?.detail).toBe(
      'The hook before_run ended with exit code 1; its output is in the log of the turn, as before_run.log.',
    );
    expect(log).toContain('"line":"why"');
  });
});

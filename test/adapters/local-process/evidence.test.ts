import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProcessTable, processTable } from '../../../lib/adapters/local-process/process-table.ts';
import { launch, launchRequest, stateOf, turnOne, untilStopped } from '../../contracts/describe-runner.ts';
import { localRunner } from '../../support/local-runner.ts';

let world: Awaited<ReturnType<typeof localRunner>>;
afterEach(() => world.dispose());

const outcome = {
  version: 1,
  status: 'stopped',
  cause: 'no-answer',
  verify: [{ command: 'npm test', status: 'not-run', durationMs: 0 }],
  git: { branch: 'evenkeel/issue/x', commits: 1, files: 2, pushed: false, bundle: '/turn/out/turn.bundle' },
};

describe('the result that a turn left beside itself', () => {
  it('is part of the evidence', async () => {
    world = await localRunner(['leave-outcome']);
    world.control('outcome.json', JSON.stringify(outcome));
    const arn = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 0);
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { result: outcome } });
    expect(await stateOf(world.restartedHost(), arn)).toMatchObject({ evidence: { result: outcome } });
  });

  it.each([
    ['is told where a workspace is left', true],
    ['names no folder without one, since that is swept away', false],
  ])('is missing after a crash, whose evidence %s', async (_what, hasWorkspace) => {
    world = await localRunner();
    const arn = await launch(world.runner, launchRequest());
    await world.untilBegun(turnOne);
    if (hasWorkspace) mkdirSync(world.fileOf(turnOne, 'ws'));
    await world.finish(turnOne, 1);
    const where = hasWorkspace ? `; what it left is in ${world.fileOf(turnOne, '')}`.replace(/\/$/, '') : '';
    expect(await untilStopped(world.runner, arn)).toMatchObject({
      evidence: { detail: `the turn program exited with code 1${where}` },
    });
  });

  const plants: Readonly<Record<string, (path: string) => void>> = {
    'is no JSON': (path) => writeFileSync(path, '{"version": 1,'),
    'has another shape': (path) => writeFileSync(path, JSON.stringify({ ...outcome, status: 'merged' })),
    'is longer than 64 KB': (path) => writeFileSync(path, JSON.stringify(outcome).padEnd(64 * 1024 + 1)),
    'is a link': (path) => symlinkSync(`${world.dataDir}/outcome.json`, path),
    'is a pipe': (path) => void execFileSync('mkfifo', [path]),
    'is a folder': (path) => void mkdirSync(path),
  };
  for (const [what, plant] of Object.entries(plants)) {
    it(`is ignored when it ${what}`, async () => {
      world = await localRunner(['leave-outcome']);
      world.control('outcome.json', JSON.stringify(outcome));
      const arn = await launch(world.runner, launchRequest());
      await world.untilBegun(turnOne);
      rmSync(world.fileOf(turnOne, 'outcome.json'));
      plant(world.fileOf(turnOne, 'outcome.json'));
      await world.finish(turnOne, 1);
      expect(await untilStopped(world.runner, arn)).toMatchObject({
        evidence: { exitCode: 1, result: undefined },
      });
    });
  }
});

describe('a look at the machine', () => {
  /** The machine's own table until told otherwise. */
  function fragileTable() {
    const table = processTable();
    const reads: Array<ProcessTable['read']> = [];
    const read = () => (reads.shift() ?? table.read)();
    return {
      processes: { ...table, read },
      next: (...broken: ReadonlyArray<ProcessTable['read']>) => void reads.push(...broken),
    };
  }

  it('that fails is no absence: describe and list throw', async () => {
    const { processes, next } = fragileTable();
    world = await localRunner([], { processes });
    const arn = await launch(world.runner, launchRequest());
    const failing = () => Promise.reject(new Error('the process table cannot be read'));
    next(failing, failing, failing);
    await expect(world.runner.describe([arn])).rejects.toThrow(/cannot be read/);
    await expect(world.runner.list()).rejects.toThrow(/cannot be read/);
    await expect(world.runner.launch(launchRequest())).rejects.toThrow(/cannot be read/);
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
  });

  it('that finds the program gone before its exit was told leaves it running, so that no exit code is lost', async () => {
    const { processes, next } = fragileTable();
    world = await localRunner([], { processes });
    const arn = await launch(world.runner, launchRequest());
    next(
      async () => [],
      async () => [],
    );
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    await world.finish(turnOne, 6);
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { exitCode: 6 } });
  });

  it('that misses a process once is no proof that it ended', async () => {
    world = await localRunner();
    const arn = await launch(world.runner, launchRequest());
    await world.untilBegun(turnOne);
    const { processes, next } = fragileTable();
    const restarted = world.restartedHost({ processes });
    next(async () => []);
    expect(await stateOf(restarted, arn)).toEqual({ kind: 'running' });
    next(async () => []);
    expect(await restarted.list()).toHaveLength(1);
  });
});

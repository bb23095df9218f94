import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { localProcess } from '../../../lib/adapters/local-process/local-process.ts';
import { processTable } from '../../../lib/adapters/local-process/process-table.ts';
import type { TurnId } from '../../../lib/core/issue.ts';
import {
  launch,
  launchRequest,
  stateOf,
  turnOne,
  turnTwo,
  untilStopped,
} from '../../contracts/describe-runner.ts';
import { localRunner } from '../../support/local-runner.ts';

let world: Awaited<ReturnType<typeof localRunner>>;
afterEach(() => world.dispose());

describe('what a turn is started with', () => {
  it('the turn gets an allow-listed environment and the variables that were named', async () => {
    const environment = {
      PATH: '/usr/bin:/bin',
      HOME: '/home/me',
      GITHUB_TOKEN: 'host-secret',
      MODEL_KEY: 'key',
      AWS_PROFILE: 'x',
    };
    world = await localRunner([], { environment, passEnvironment: ['MODEL_KEY', 'NOT_SET'] });
    await launch(world.runner, launchRequest());
    const { env, cwd } = await world.untilBegun(turnOne);
    const folder = join(world.dataDir, 'turns', turnOne);
    expect(env).toEqual({
      PATH: '/usr/bin:/bin',
      HOME: '/home/me',
      MODEL_KEY: 'key',
      EVENKEEL_PASS: 'MODEL_KEY,NOT_SET',
      EVENKEEL_TURN_API: join(world.dataDir, 'host.json'),
      EVENKEEL_TURN_ID: turnOne,
      EVENKEEL_TURN_DIR: folder,
      EVENKEEL_TICKET: 'one-time-ticket',
      EVENKEEL_COOKIE: expect.stringContaining(`${world.options.deployment}.${turnOne}.`),
    });
    expect(cwd).toBe(folder);
  });

  it('the folder is for the user alone, says whose it is, and holds no secret', async () => {
    world = await localRunner([], {
      environment: { PATH: '/usr/bin:/bin', MODEL_KEY: 'model-secret' },
      passEnvironment: ['MODEL_KEY'],
    });
    const arn = await launch(world.runner, launchRequest());
    const { env } = await world.untilBegun(turnOne);
    const folder = join(world.dataDir, 'turns', turnOne);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(['runner.log', 'task.json', 'turn.json']);
    const { board, issueId, attempt, capStates } = launchRequest();
    const turn = JSON.parse(readFileSync(join(folder, 'turn.json'), 'utf8'));
    expect(turn).toEqual({
      turnId: turnOne,
      board,
      issueId,
      attempt,
      capStates,
      cookie: env.EVENKEEL_COOKIE,
    });
    expect(JSON.parse(readFileSync(join(folder, 'task.json'), 'utf8'))).toEqual({ arn });
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/ticket|secret/);
    }
  });

  it('each turn has a session of its own, so that Ctrl-C at the host does not reach it', async () => {
    world = await localRunner();
    await launch(world.runner, launchRequest());
    const { pid } = await world.untilBegun(turnOne);
    const session = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[3];
    expect(Number(session)).toBe(pid);
  });
});

describe('a launch that cannot be made', () => {
  it('is refused when the program does not exist, and can be made once it does', async () => {
    world = await localRunner([], { program: ['/nowhere/turn-program'] });
    const launched = await world.runner.launch(launchRequest());
    expect(launched).toMatchObject({ kind: 'refused', problem: expect.stringContaining('ENOENT') });
    expect(await world.runner.list()).toEqual([]);
    expect(readdirSync(join(world.dataDir, 'turns'))).toEqual([]);
    const repaired = world.restartedHost({ program: [process.execPath, '-e', ''] });
    await untilStopped(repaired, await launch(repaired, launchRequest()));
  });

  it('is refused when there can be no folder', async () => {
    world = await localRunner();
    symlinkSync(join(world.dataDir, 'nowhere/turns'), join(world.dataDir, 'turns'));
    const problem = expect.stringContaining('folder of the turn');
    expect(await world.runner.launch(launchRequest())).toEqual({ kind: 'refused', problem });
  });

  it('is refused when its files cannot be written', async () => {
    world = await localRunner();
    mkdirSync(join(world.dataDir, 'turns'));
    writeFileSync(join(world.dataDir, 'turns', turnOne), 'a file where the folder should be');
    expect(await world.runner.launch(launchRequest())).toMatchObject({ kind: 'refused' });
    expect(await world.runner.list()).toEqual([]);
  });

  it('is refused for a turn whose name would lead out of its folder', async () => {
    world = await localRunner();
    for (const turnId of ['../outside', 'a/b', '.', '', 'a.b'] as TurnId[]) {
      expect(await world.runner.launch(launchRequest({ turnId }))).toMatchObject({ kind: 'refused' });
    }
    expect(readdirSync(world.dataDir)).toEqual([]);
  });

  it('a deployment whose name would make cookies ambiguous is no deployment', async () => {
    world = await localRunner();
    expect(() => localProcess({ ...world.options, deployment: 'a.b' })).toThrow(/deployment/);
  });
});

describe('a launch that was cut short', () => {
  it('a folder without a task and without a process was never launched, and is launched once', async () => {
    world = await localRunner();
    mkdirSync(join(world.dataDir, 'turns', turnOne), { recursive: true });
    writeFileSync(world.fileOf(turnOne, 'turn.json'), '{"turnId": "1-');
    expect(await world.runner.list()).toEqual([]);
    const arn = await launch(world.runner, launchRequest());
    await world.untilBegun(turnOne);
    expect(await launch(world.runner, launchRequest())).toBe(arn);
    expect(await world.begun(turnOne)).toBe(1);
  });

  it('launches of one turn at the same moment start one process, however they interleave', async () => {
    world = await localRunner([], { processes: { ...processTable(), read: async () => [] } });
    const arns = await Promise.all([1, 2, 3].map(() => launch(world.runner, launchRequest())));
    expect(new Set(arns).size).toBe(1);
    const onlooker = world.restartedHost({ processes: processTable() });
    expect((await onlooker.list()).map((task) => task.arn)).toEqual([arns[0]]);
  });

  it('a folder that was launched from, but does not say as what, is unknown and starts nothing', async () => {
    world = await localRunner();
    const arn = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 0);
    await untilStopped(world.runner, arn);
    writeFileSync(world.fileOf(turnOne, 'task.json'), '{');
    const next = world.restartedHost();
    await expect(next.launch(launchRequest())).rejects.toThrow(/launched before/);
    expect(await next.list()).toEqual([]);
    expect(await world.begun(turnOne)).toBe(1);
  });
});

describe('what belongs to whom', () => {
  it('two data folders on one machine never see the processes of each other', async () => {
    world = await localRunner();
    const other = await localRunner();
    try {
      const arn = await launch(world.runner, launchRequest());
      await world.untilBegun(turnOne);
      expect(await other.runner.list()).toEqual([]);
      expect(await stateOf(other.runner, arn)).toEqual({ kind: 'missing' });
      await other.runner.stop(arn);
      await other.runner.reapLeftovers();
      expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    } finally {
      await other.dispose();
    }
  });

  it('a turn whose folder was taken away is still known, listed and not started again', async () => {
    world = await localRunner(['remove-folder']);
    const arn = await launch(world.runner, launchRequest());
    await world.untilBegun(turnOne);
    for (const host of [world.runner, world.restartedHost()]) {
      expect(await stateOf(host, arn)).toEqual({ kind: 'running' });
      const { turnId, board, issueId, attempt, capStates } = launchRequest();
      expect(await host.list()).toEqual([{ arn, turnId, board, issueId, attempt, capStates }]);
      expect(await launch(host, launchRequest())).toBe(arn);
    }
    await world.finish(turnOne, 4);
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { exitCode: 4 } });
    expect(await world.begun(turnOne)).toBe(1);
  });

  it('the whole turns folder may be taken away under running turns', async () => {
    world = await localRunner();
    await launch(world.runner, launchRequest());
    await launch(world.runner, launchRequest({ turnId: turnTwo }));
    await world.untilBegun(turnOne);
    await world.untilBegun(turnTwo);
    rmSync(join(world.dataDir, 'turns'), { recursive: true });
    expect((await world.restartedHost().list()).map((task) => task.turnId).sort()).toEqual([
      turnOne,
      turnTwo,
    ]);
  });
});

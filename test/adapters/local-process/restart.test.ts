import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processTable } from '../../../lib/adapters/local-process/process-table.ts';
import { taskArn } from '../../../lib/adapters/local-process/task-arn.ts';
import type { Arn } from '../../../lib/core/issue.ts';
import { launch, launchRequest, stateOf, turnOne, untilStopped } from '../../contracts/describe-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { launchFromKilledHost } from '../../support/killed-host.ts';
import { isAlive, localRunner } from '../../support/local-runner.ts';

let world: Awaited<ReturnType<typeof localRunner>>;
afterEach(() => world.dispose());

describe('a host that was killed', () => {
  it('the next one knows its running turn, lists it and starts no second one', async () => {
    world = await localRunner();
    const arn = await launchFromKilledHost(world.options, launchRequest());
    await world.untilBegun(turnOne);
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    expect((await world.runner.list()).map((task) => task.arn)).toEqual([arn]);
    expect(await launch(world.runner, launchRequest())).toBe(arn);
    expect(await world.begun(turnOne)).toBe(1);
  });

  it('a turn that ended meanwhile is stopped, with an exit that nobody knows', async () => {
    world = await localRunner();
    const arn = await launchFromKilledHost(world.options, launchRequest());
    const { pid } = await world.untilBegun(turnOne);
    await world.finish(turnOne, 0);
    await eventually(
      () => isAlive(pid),
      (alive) => !alive,
    );
    const evidence = { arn, exitCode: undefined, signal: undefined, cause: 'unknown' };
    expect(await stateOf(world.runner, arn)).toMatchObject({ kind: 'stopped', evidence });
    expect(await world.runner.list()).toEqual([]);
    expect(await launch(world.runner, launchRequest())).toBe(arn);
    expect(await world.begun(turnOne)).toBe(1);
  });

  it('killed between the start and the note of it: the process is found by its cookie and noted', async () => {
    world = await localRunner();
    const arn = await launchFromKilledHost(world.options, launchRequest());
    await world.untilBegun(turnOne);
    rmSync(world.fileOf(turnOne, 'task.json'));
    expect(await launch(world.runner, launchRequest())).toBe(arn);
    expect(await world.begun(turnOne)).toBe(1);
    await world.finish(turnOne, 0);
    await untilStopped(world.runner, arn);
    expect(await stateOf(world.restartedHost(), arn)).toMatchObject({ kind: 'stopped' });
  });

  it('what its turn left behind counts as running and is ended by the sweep for leftovers', async () => {
    world = await localRunner(['leave-stray']);
    const { arn, stray } = await leftoverOfKilledHost();
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    expect((await world.runner.list()).map((task) => task.arn)).toEqual([arn]);
    await world.runner.reapLeftovers();
    expect(await isAlive(stray)).toBe(false);
    expect(await stateOf(world.runner, arn)).toMatchObject({ kind: 'stopped' });
  });

  it('what its turn left behind is ended by a stop', async () => {
    world = await localRunner(['leave-stray']);
    const { arn, stray } = await leftoverOfKilledHost();
    await world.runner.stop(arn);
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { cause: 'unknown' } });
    expect(await isAlive(stray)).toBe(false);
  });

  it('what its turn left behind is known and can be ended without its folder', async () => {
    let now = Date.now();
    world = await localRunner(['leave-stray'], { clock: { now: () => now, sleep: async () => {} } });
    const { stray } = await leftoverOfKilledHost();
    rmSync(join(world.dataDir, 'turns', turnOne), { recursive: true });
    const [task] = await world.runner.list();
    const { turnId, board, issueId, attempt, capStates } = launchRequest();
    expect(task).toMatchObject({ turnId, board, issueId, attempt, capStates });
    // It cannot be told from a turn program any more, and gets a program's time.
    await world.runner.stop(task!.arn);
    now += 25_000;
    await world.runner.stop(task!.arn);
    await untilStopped(world.runner, task!.arn);
    expect(await isAlive(stray)).toBe(false);
  });

  it('the sweep for leftovers leaves turns alone whose program runs', async () => {
    world = await localRunner(['leave-stray']);
    const arn = await launchFromKilledHost(world.options, launchRequest());
    const { stray } = await world.untilBegun(turnOne);
    await world.runner.reapLeftovers();
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    expect(await isAlive(stray!)).toBe(true);
  });

  it('the exit that one host saw is known to the next one', async () => {
    world = await localRunner();
    const arn = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 7);
    const state = await untilStopped(world.runner, arn);
    expect(await stateOf(world.restartedHost(), arn)).toEqual(state);
  });
});

describe('names of processes', () => {
  const { bootId } = processTable();
  const own = processTable().startOf(process.pid)!;
  let arn: Arn;

  beforeEach(async () => {
    world = await localRunner();
    arn = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 0);
    await untilStopped(world.runner, arn);
    rmSync(world.fileOf(turnOne, 'exit.json'));
  });

  /** The next host finds this name in the folder of the ended turn. */
  function hostAfter(name: Arn) {
    writeFileSync(world.fileOf(turnOne, 'task.json'), JSON.stringify({ arn: name }));
    return world.restartedHost();
  }

  it('a live process with the pid and the start of the task is the task', async () => {
    const name = taskArn(bootId, process.pid, own);
    expect(await stateOf(hostAfter(name), name)).toEqual({ kind: 'running' });
  });

  it('a live process that only has the pid of the task is another one', async () => {
    const name = taskArn(bootId, process.pid, String(Number(own) - 1));
    const host = hostAfter(name);
    expect(await stateOf(host, name)).toMatchObject({ kind: 'stopped', evidence: { cause: 'unknown' } });
    expect(await host.list()).toEqual([]);
  });

  it('a live process with the pid and the start of a task from before a reboot is another one', async () => {
    const name = taskArn('another-boot', process.pid, own);
    const host = hostAfter(name);
    expect(await stateOf(host, name)).toMatchObject({ kind: 'stopped', evidence: { cause: 'platform' } });
    expect(await host.list()).toEqual([]);
  });

  it('a task from before a reboot has stopped, also when its folder did not survive', async () => {
    const name = taskArn('another-boot', 1, '1');
    const evidence = { arn: name, exitCode: undefined, cause: 'platform' };
    expect(await stateOf(world.runner, name)).toMatchObject({ kind: 'stopped', evidence });
  });

  it('a task of this boot that left neither folder nor process is missing, which is no evidence', async () => {
    rmSync(join(world.dataDir, 'turns', turnOne), { recursive: true });
    expect(await stateOf(world.restartedHost(), arn)).toEqual({ kind: 'missing' });
  });
});

async function leftoverOfKilledHost() {
  const arn = await launchFromKilledHost(world.options, launchRequest());
  const { pid, stray } = await world.untilBegun(turnOne);
  await world.finish(turnOne, 0);
  await eventually(
    () => isAlive(pid),
    (alive) => !alive,
  );
  return { arn, stray: stray! };
}

import { afterEach, describe, expect, it } from 'vitest';
import type { Arn } from '../../../lib/core/issue.ts';
import { launch, launchRequest, stateOf, turnOne, untilStopped } from '../../contracts/describe-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { isAlive, localRunner } from '../../support/local-runner.ts';

let world: Awaited<ReturnType<typeof localRunner>>;
afterEach(() => world.dispose());

/** A turn of this world, and a clock that stands still until it is moved. */
async function begin(habits: readonly string[], leftoverGraceMs = 200) {
  let now = Date.now();
  world = await localRunner(habits, { leftoverGraceMs, clock: { now: () => now, sleep: async () => {} } });
  const arn = await launch(world.runner, launchRequest());
  const begun = await world.untilBegun(turnOne);
  const passTime = (ms: number) => {
    now += ms;
  };
  return { arn, ...begun, passTime };
}

describe('a stop', () => {
  it('asks the turn program alone at first, and leaves it its time', async () => {
    const { arn, stray, passTime } = await begin(['ignore-term', 'leave-stray']);
    await world.runner.stop(arn);
    await eventually(() => world.has(`${turnOne}.term-ignored`), Boolean);
    passTime(24_999);
    await world.runner.stop(arn);
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    // Signals arrive in the order of their numbers, so that a TERM would have been noted before this one.
    process.kill(stray!, 'SIGWINCH');
    await eventually(() => world.has(`${stray}.SIGWINCH`), Boolean);
    expect(world.has(`${stray}.SIGTERM`)).toBe(false);
  });

  it('asked for again after the grace kills the whole tree, also children in sessions of their own', async () => {
    const { arn, pid, stray, passTime } = await begin(['ignore-term', 'leave-stray']);
    await world.runner.stop(arn);
    passTime(25_000);
    await world.runner.stop(arn);
    expect(await untilStopped(world.runner, arn)).toMatchObject({
      evidence: { signal: 'SIGKILL', cause: 'exit' },
    });
    expect([await isAlive(pid), await isAlive(stray!)]).toEqual([false, false]);
  });

  it('kills a child that cleared its environment too, while its parent is there to be asked', async () => {
    const { arn, cleared, passTime } = await begin(['ignore-term', 'leave-cleared-stray']);
    await world.runner.stop(arn);
    passTime(25_000);
    await world.runner.stop(arn);
    await untilStopped(world.runner, arn);
    expect(await isAlive(cleared!)).toBe(false);
  });
});

describe('the evidence of an end says that it was asked for', () => {
  it('when a stop came before it, and to the next host too', async () => {
    const { arn, pid } = await begin([]);
    await world.runner.stop(arn);
    await untilStopped(world.runner, arn);
    const next = world.restartedHost();
    expect(await untilStopped(next, arn)).toMatchObject({ evidence: { signal: 'SIGTERM', asked: true } });
    expect(await isAlive(pid)).toBe(false);
  });

  it('when the host ends, whoever sent the signal', async () => {
    const { arn, pid } = await begin([]);
    world.runner.beginClosing();
    process.kill(pid, 'SIGTERM');
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { asked: true } });
  });

  it('and does not when somebody else sent the signal', async () => {
    const { arn, pid } = await begin([]);
    process.kill(pid, 'SIGTERM');
    const { evidence } = await untilStopped(world.runner, arn);
    expect(evidence).toMatchObject({ signal: 'SIGTERM' });
    expect(evidence).not.toHaveProperty('asked');
  });
});

describe('what a turn program leaves behind', () => {
  it('counts as still running until it is ended, and is ended by itself when this host saw the exit', async () => {
    const { arn, pid, stray } = await begin(['leave-stray'], 2_000);
    await world.finish(turnOne, 5);
    await eventually(
      () => isAlive(pid),
      (alive) => !alive,
    );
    const state = await stateOf(world.runner, arn);
    // The stray was told to end, and has two seconds to obey.
    expect([state?.kind, await isAlive(stray!)]).toEqual(['running', true]);
    expect(await untilStopped(world.runner, arn)).toMatchObject({ evidence: { exitCode: 5 } });
    expect(await isAlive(stray!)).toBe(false);
  });
});

describe('an exit', () => {
  it('is told once, after everything has ended, to every listener', async () => {
    const { arn, stray } = await begin(['leave-stray']);
    const told: unknown[] = [];
    world.runner.onExit(() => {
      throw new Error('this listener fails');
    });
    world.runner.onExit(async (exited, turnId) => {
      told.push([exited, turnId, await isAlive(stray!), (await stateOf(world.runner, exited as Arn))?.kind]);
    });
    await world.finish(turnOne, 0);
    await eventually(
      () => told.length,
      (count) => count > 0,
    );
    expect(told).toEqual([[arn, turnOne, false, 'stopped']]);
  });

  it('is told also for a program that ends at once', async () => {
    world = await localRunner(['exit-at-once']);
    const told: unknown[] = [];
    world.runner.onExit((arn) => told.push(arn));
    const arn = await launch(world.runner, launchRequest());
    await eventually(
      () => told.length,
      (count) => count > 0,
    );
    expect(told).toEqual([arn]);
    expect(await stateOf(world.runner, arn)).toMatchObject({ kind: 'stopped', evidence: { exitCode: 0 } });
  });
});

import { describe, expect, it } from 'vitest';
import { type LaunchFate, memoryRunner } from '../support/memory-runner.ts';
import { describeRunner, launch, launchRequest, stateOf, turnOne, turnTwo } from './describe-runner.ts';

describeRunner('a runner in memory', async () => {
  const clock = { now: () => 1_000, sleep: async () => {} };
  const runner = memoryRunner(clock);
  return {
    runner,
    begun: async (turnId) => runner.tasks().filter((task) => task.request.turnId === turnId).length,
    finish: async (turnId, exitCode) => runner.end(runner.taskOf(turnId).arn, { exitCode }),
    letStopsTakeEffect: async () => runner.finishStops(),
    dispose: async () => {},
  };
});

describe('the fate of a launch in memory', () => {
  const runnerWith = (fate: LaunchFate) => {
    const runner = memoryRunner({ now: () => 1_000, sleep: async () => {} });
    runner.decideLaunches(fate);
    return runner;
  };

  it('lost: it throws, and nothing runs until it is repeated', async () => {
    const runner = runnerWith('lost');
    await expect(runner.launch(launchRequest())).rejects.toThrow();
    runner.landLaunches();
    expect(runner.tasks()).toEqual([]);
    await launch(runner, launchRequest());
    expect(runner.tasks()).toHaveLength(1);
  });

  it('answer lost: it throws, the task runs, and a repeat names it', async () => {
    const runner = runnerWith('answer-lost');
    await expect(runner.launch(launchRequest())).rejects.toThrow();
    expect(await launch(runner, launchRequest())).toBe(runner.taskOf(turnOne).arn);
    expect(runner.tasks()).toHaveLength(1);
  });

  it('late: it begins when it lands, unless a repeat came first', async () => {
    for (const [repeats, begunBefore] of [
      [0, 0],
      [1, 1],
    ] as const) {
      const runner = runnerWith('late');
      await expect(runner.launch(launchRequest())).rejects.toThrow();
      for (let repeat = 0; repeat < repeats; repeat += 1) await launch(runner, launchRequest());
      expect(runner.tasks()).toHaveLength(begunBefore);
      runner.landLaunches();
      expect(runner.tasks()).toHaveLength(1);
    }
  });

  it('refused: it is refused for ever, and another turn is not', async () => {
    const runner = runnerWith('refused');
    for (const _again of [1, 2])
      expect(await runner.launch(launchRequest())).toMatchObject({ kind: 'refused' });
    await launch(runner, launchRequest({ turnId: turnTwo }));
    expect(runner.tasks()).toHaveLength(1);
  });

  it('hidden and forgotten tasks are missing, and the hidden one is still listed', async () => {
    const runner = memoryRunner({ now: () => 1_000, sleep: async () => {} });
    runner.hideNewTasks();
    const arn = await launch(runner, launchRequest());
    expect([await stateOf(runner, arn), (await runner.list()).length]).toEqual([{ kind: 'missing' }, 1]);
    runner.revealTasks();
    expect(await stateOf(runner, arn)).toEqual({ kind: 'running' });
    runner.end(arn);
    runner.forget(arn);
    expect(await stateOf(runner, arn)).toEqual({ kind: 'missing' });
    expect(await launch(runner, launchRequest())).toBe(arn);
    runner.forgetToken(turnOne);
    expect(await launch(runner, launchRequest())).not.toBe(arn);
  });

  it('a call that fails has done nothing', async () => {
    const runner = memoryRunner({ now: () => 1_000, sleep: async () => {} });
    const arn = await launch(runner, launchRequest());
    for (const call of ['launch', 'describe', 'list', 'stop'] as const) runner.fail(call, true);
    await expect(runner.stop(arn)).rejects.toThrow(/did not answer stop/);
    await expect(runner.list()).rejects.toThrow(/did not answer list/);
    await expect(runner.describe([arn])).rejects.toThrow(/did not answer describe/);
    await expect(runner.launch(launchRequest({ turnId: turnTwo }))).rejects.toThrow(/did not answer launch/);
    expect(runner.tasks().map((task) => task.phase)).toEqual(['running']);
  });
});

import { memoryRunner } from '../support/memory-runner.ts';
import { describeRunner } from './describe-runner.ts';

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

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { TurnId } from '../../../lib/core/issue.ts';
import { launch, launchRequest, turnTwo } from '../../contracts/describe-runner.ts';
import { fargateWorld } from '../../support/ecs/fargate-world.ts';

const program = fileURLToPath(new URL('../../support/aws/check-requests.py', import.meta.url));

const turnThree = '3-cccccccccccccccccccccccccc' as TurnId;

interface Heard {
  readonly call: string;
  readonly input: unknown;
}

/** What AWS's own description of the container service finds wrong with these requests, as they went over the wire. */
function problemsOf(heard: readonly Heard[]): readonly string[] {
  const requests = heard.map(({ call, input }) => ({ service: 'ecs', call, input }));
  return JSON.parse(
    execFileSync('python3', [program], { input: JSON.stringify(requests), encoding: 'utf8' }),
  );
}

const isThere = spawnSync('python3', ['-c', 'import botocore']).status === 0;

describe.skipIf(!isThere)("by AWS's own description of them (needs python3 with botocore)", () => {
  test('all requests to the container service are well-formed', async () => {
    const world = await fargateWorld();
    try {
      const { runner, server } = world;
      const spot = { cpu: 2_048, memory: 8_192, spot: true, disk_gib: 100 };
      const one = await launch(runner, launchRequest());
      const two = await launch(runner, launchRequest({ turnId: turnTwo, task: spot }));
      // A refusal that is remembered, and other parameters under its token: what there is is looked for by that.
      server.desk.failNext({ reason: 'RESOURCE:CPU', detail: 'none is left' });
      await runner.launch(launchRequest({ turnId: turnThree }));
      const again = runner.launch(launchRequest({ turnId: turnThree, task: spot }));
      await expect(again).rejects.toThrow('cannot be found yet');
      await runner.describe([one, two]);
      await runner.list();
      for (const arn of [one, two]) await runner.stop(arn);
      const filters = server.heard
        .filter(({ call }) => call === 'ListTasks')
        .map(({ input }) =>
          Object.keys(input)
            .filter((name) => name !== 'cluster')
            .sort(),
        );
      expect(filters).toEqual([['startedBy'], ['desiredStatus', 'family'], ['desiredStatus', 'family']]);
      expect([...new Set(server.heard.map(({ call }) => call))].sort()).toEqual([
        'DescribeTasks',
        'ListTasks',
        'RunTask',
        'StopTask',
      ]);
      expect(problemsOf(server.heard)).toEqual([]);
    } finally {
      await world.dispose();
    }
  });

  test('the check sees a name, a type, a value and a call that there is not', () => {
    const found = problemsOf([
      { call: 'RunTask', input: { taskDefinition: 'a', clientTokens: 'b' } },
      { call: 'RunTask', input: { taskDefinition: 'a', count: '1' } },
      { call: 'RunTask', input: { taskDefinition: 'a', launchType: 'LAMBDA' } },
      { call: 'RunTask', input: {} },
      { call: 'RunTasks', input: {} },
    ]);
    expect(found).toEqual([
      expect.stringContaining('Unknown parameter in input: "clientTokens"'),
      expect.stringContaining('Invalid type for parameter count'),
      expect.stringContaining("RunTask.launchType is 'LAMBDA', and may be EC2, FARGATE"),
      expect.stringContaining('Missing required parameter in input: "taskDefinition"'),
      'there is no call RunTasks',
    ]);
  });
});

import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fargate } from '../../../lib/adapters/fargate/fargate.ts';
import type { IssueId, StateKey } from '../../../lib/core/issue.ts';
import { launch, launchRequest, stateOf, turnOne, turnTwo } from '../../contracts/describe-runner.ts';
import { testCluster, testDefinition } from '../../support/ecs/ecs-server.ts';
import {
  type FargateWorld,
  fargateWorld,
  testEcsClient,
  testTarget,
} from '../../support/ecs/fargate-world.ts';

const hourMs = 3_600_000;
let now = 1_800_000_000_000;
let world: FargateWorld;
beforeEach(async () => {
  world = await fargateWorld({ now: () => now });
});
afterEach(() => world.dispose());

const asked = () =>
  world.server.heard
    .filter(({ call }) => call === 'RunTask')
    .map(({ input }) => input as unknown as RunTaskCommandInput);

describe('a launch on Fargate', () => {
  it('names the turn as token and as starter, and tells the task opaque ids, columns and the ticket alone', async () => {
    await launch(world.runner, launchRequest());
    expect(asked()).toEqual([
      {
        cluster: testCluster,
        taskDefinition: testDefinition,
        count: 1,
        clientToken: turnOne,
        startedBy: turnOne,
        enableExecuteCommand: false,
        launchType: 'FARGATE',
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: ['subnet-1', 'subnet-2'],
            securityGroups: ['sg-1'],
            assignPublicIp: 'ENABLED',
          },
        },
        overrides: {
          cpu: '1024',
          memory: '4096',
          ephemeralStorage: { sizeInGiB: 21 },
          containerOverrides: [
            {
              name: 'turn',
              environment: [
                { name: 'EVENKEEL_TURN_ID', value: turnOne },
                { name: 'EVENKEEL_TICKET', value: 'one-time-ticket' },
                {
                  name: 'EVENKEEL_TASK',
                  value: JSON.stringify({
                    board: 'local:board',
                    issueId: 'issue/with any: name',
                    attempt: 1,
                    capStates: ['todo', 'in progress'],
                  }),
                },
              ],
            },
          ],
        },
      },
    ]);
  });

  it('asks for spot capacity where the workflow does', async () => {
    await launch(
      world.runner,
      launchRequest({ task: { cpu: 2048, memory: 8192, spot: true, disk_gib: 50 } }),
    );
    expect(asked()[0]).toMatchObject({
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      overrides: { cpu: '2048', memory: '8192', ephemeralStorage: { sizeInGiB: 50 } },
    });
    expect(asked()[0]).not.toHaveProperty('launchType');
  });

  it('whose answer is lost is unknown, and its repeat names the one task', async () => {
    world.server.trouble('RunTask', 'answer-lost');
    await expect(world.runner.launch(launchRequest())).rejects.toThrow();
    const arn = await launch(world.runner, launchRequest());
    expect(world.server.world.all().map((task) => task.arn)).toEqual([arn]);
  });

  it.each(['lost', 'broken'] as const)(
    'that is %s on its way is unknown, and nothing runs until it is repeated',
    async (what) => {
      world.server.trouble('RunTask', what);
      await expect(world.runner.launch(launchRequest())).rejects.toThrow();
      expect(world.server.world.all()).toEqual([]);
      await launch(world.runner, launchRequest());
      expect(world.server.world.all()).toHaveLength(1);
    },
  );

  it('that is throttled is refused, so that launches slow down', async () => {
    world.server.trouble('RunTask', 'throttled');
    expect(await world.runner.launch(launchRequest())).toEqual({
      kind: 'refused',
      problem: 'ThrottlingException: Rate exceeded',
    });
    expect(world.server.world.all()).toEqual([]);
  });

  it('that finds no capacity, with status 200, is refused for ever, and another turn is not', async () => {
    world.server.desk.failNext({ reason: 'Capacity is unavailable at this time', detail: 'try later' });
    for (const _again of [1, 2])
      expect(await world.runner.launch(launchRequest())).toEqual({
        kind: 'refused',
        problem: 'Capacity is unavailable at this time: try later',
      });
    await launch(world.runner, launchRequest({ turnId: turnTwo }));
    expect(world.server.world.all()).toHaveLength(1);
  });

  it('of a revision that was deployed away is refused', async () => {
    world.server.redefine(testDefinition.replace(':7', ':8'));
    expect(await world.runner.launch(launchRequest())).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('inactive'),
    });
  });

  it('of a cluster that does not exist is refused by name', async () => {
    const client = testEcsClient(world.server.endpoint);
    const elsewhere = fargate({
      client,
      launcher: client,
      cluster: `${testCluster}-other`,
      target: testTarget,
      clock: world.clock,
    });
    expect(await elsewhere.launch(launchRequest())).toMatchObject({
      problem: 'ClusterNotFoundException: Cluster not found.',
    });
    client.destroy();
  });

  it('whose size Fargate does not have is refused', async () => {
    const task = { cpu: 256, memory: 8192, spot: false, disk_gib: 21 };
    expect(await world.runner.launch(launchRequest({ task }))).toMatchObject({
      problem: expect.stringContaining('No Fargate configuration'),
    });
  });

  it('with ids too long for an override is refused before anything is sent', async () => {
    const capStates = ['s'.repeat(8_000)] as StateKey[];
    const launched = await world.runner.launch(launchRequest({ capStates }));
    expect(launched).toMatchObject({ kind: 'refused', problem: expect.stringContaining('8192') });
    expect(asked()).toEqual([]);
  });

  it('with ids just short enough is sent, whatever their letters', async () => {
    const issueId = 'ü"\\'.repeat(800) as IssueId;
    const arn = await launch(world.runner, launchRequest({ issueId }));
    expect(await world.runner.list()).toMatchObject([{ arn, issueId }]);
  });

  it('of a repeat after a deployment names the task of the revision before', async () => {
    const first = await launch(world.runner, launchRequest());
    const revision = testDefinition.replace(':7', ':8');
    world.server.redefine(testDefinition, revision);
    const client = testEcsClient(world.server.endpoint);
    const deployed = fargate({
      client,
      launcher: client,
      cluster: testCluster,
      target: { ...testTarget, taskDefinition: revision },
      clock: world.clock,
    });
    expect(await launch(deployed, launchRequest())).toBe(first);
    client.destroy();
  });

  it('that conflicts with a refusal of the revision before stays unknown, because no task is named', async () => {
    world.server.desk.failNext({ reason: 'RESOURCE:MEMORY', detail: 'no room' });
    await world.runner.launch(launchRequest());
    const client = testEcsClient(world.server.endpoint);
    const target = { ...testTarget, subnets: ['subnet-3'] };
    const deployed = fargate({ client, launcher: client, cluster: testCluster, target, clock: world.clock });
    await expect(deployed.launch(launchRequest())).rejects.toThrow(/cannot be found yet/);
    client.destroy();
  });

  it('of a turn whose task ended an hour and a minute ago is a new task: the service has forgotten the token', async () => {
    const first = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 0);
    now += hourMs - 1;
    expect(await launch(world.runner, launchRequest())).toBe(first);
    now += 60_000;
    expect(await launch(world.runner, launchRequest())).not.toBe(first);
    expect(await stateOf(world.runner, first)).toEqual({ kind: 'missing' });
  });

  it('is not for a function that only looks', async () => {
    const client = testEcsClient(world.server.endpoint);
    const onlooker = fargate({
      client,
      launcher: client,
      cluster: testCluster,
      target: undefined,
      clock: world.clock,
    });
    await expect(onlooker.launch(launchRequest())).rejects.toThrow(/no task definition/);
    await expect(onlooker.list()).rejects.toThrow(/no task definition/);
    client.destroy();
  });
});

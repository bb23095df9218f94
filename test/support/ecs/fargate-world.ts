import { ECSClient } from '@aws-sdk/client-ecs';
import { type FargateOptions, fargate } from '../../../lib/adapters/fargate/fargate.ts';
import type { TurnId } from '../../../lib/core/issue.ts';
import type { RunnerUnderTest } from '../../contracts/describe-runner.ts';
import { eventually } from '../eventually.ts';
import { type EcsServerOptions, startEcsServer, testCluster, testDefinition } from './ecs-server.ts';

export const testTarget = {
  taskDefinition: testDefinition,
  container: 'turn',
  subnets: ['subnet-1', 'subnet-2'],
  securityGroups: ['sg-1'],
  publicIp: 'ENABLED',
} as const;

/** The adapter over a container service whose tasks do nothing until they are ended. */
export async function fargateWorld(by: Partial<EcsServerOptions> = {}, over: Partial<FargateOptions> = {}) {
  const server = await startEcsServer(by);
  const client = testEcsClient(server.endpoint);
  server.world.hold('stops');
  const clock = { now: by.now ?? (() => Date.now()), sleep: async () => {} };
  const runner = fargate({
    client,
    launcher: client,
    cluster: testCluster,
    target: testTarget,
    clock,
    ...over,
  });
  const running = (turnId: TurnId) =>
    eventually(
      () => server.world.tasksOf(turnId).filter(({ status }) => status === 'RUNNING'),
      (tasks) => tasks.length > 0,
    );
  const underTest = {
    runner,
    begun: async (turnId) => server.world.tasksOf(turnId).filter(({ startedAt }) => startedAt).length,
    finish: async (turnId, exitCode) => {
      for (const task of await running(turnId)) server.world.end(task, { exitCode });
    },
    letStopsTakeEffect: async () => server.world.release('stops'),
    dispose: async () => {
      client.destroy();
      await server.stop();
    },
  } satisfies RunnerUnderTest;
  return { ...underTest, server, running, clock };
}

export type FargateWorld = Awaited<ReturnType<typeof fargateWorld>>;

/** A client for a server that checks no credentials; one attempt, so that a test sees each call's own fate. */
export function testEcsClient(endpoint: string): ECSClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new ECSClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
}

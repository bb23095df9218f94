/**
 * The end of a turn on AWS: `functions/turn-end.ts` with the adapters of a deployment. Triggered by the event of a task
 * that stopped. It looks at tasks and starts none.
 */
import { ecsClient } from '../../lib/adapters/fargate/ecs-client.ts';
import { fargate } from '../../lib/adapters/fargate/fargate.ts';
import { hashSeal } from '../../lib/adapters/secrets/hash-seal.ts';
import { readEnvironment, turnEndEnvironmentSchema } from '../environment.ts';
import { turnEndHandler } from '../turn-end.ts';
import type { TrackerOf } from './deployed-boards.ts';
import { lambdaHandler, once } from './lambda-handler.ts';
import { deploymentSettings } from './settings.ts';
import { trackerOf } from './tracker-of.ts';
import { wireBoards } from './wire-boards.ts';
import { wireTrigger } from './wiring.ts';

export const turnEndLambda = (trackers: TrackerOf) => {
  const open = once(() => openTurnEnd(trackers));
  return lambdaHandler(async (event: unknown, context) => {
    const { secrets, ...ports } = open();
    const handle = turnEndHandler({
      ...ports,
      seal: hashSeal((await secrets.current()).ticketSecret),
      // It starts nothing, so that no cap concerns it.
      settings: deploymentSettings({
        maxConcurrentAgents: 0,
        remainingMs: context.getRemainingTimeInMillis(),
      }),
    });
    return handle(event);
  });
};

export const handler = turnEndLambda(trackerOf);

function openTurnEnd(trackers: TrackerOf) {
  const environment = readEnvironment(turnEndEnvironmentSchema, process.env);
  const wired = wireBoards(trackers, environment);
  const client = ecsClient({ attempts: 2 });
  const cluster = environment.EVENKEEL_CLUSTER;
  return {
    ...wired,
    runner: fargate({ client, launcher: client, cluster, target: undefined, clock: wired.clock }),
    trigger: wireTrigger(wired.clock, environment),
  };
}

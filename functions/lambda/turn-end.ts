/**
 * The end of a turn on AWS: `functions/turn-end.ts` with the adapters of a deployment. Triggered by the event of a task
 * that stopped. It looks at tasks and starts none.
 */
import { ecsClient } from '../../lib/adapters/fargate/ecs-client.ts';
import { fargate } from '../../lib/adapters/fargate/fargate.ts';
import { hashSeal } from '../../lib/adapters/secrets/hash-seal.ts';
import { readEnvironment, turnEndEnvironmentSchema } from '../environment.ts';
import { turnEndHandler } from '../turn-end.ts';
import { deployedBoardAccess, type OpenBoardAccess } from './board-access.ts';
import { lambdaHandler, once } from './lambda-handler.ts';
import { deploymentSettings } from './settings.ts';
import { wireBoards } from './wire-boards.ts';
import { wireTrigger } from './wiring.ts';

export const turnEndLambda = (openAccess: OpenBoardAccess) => {
  const open = once(() => openTurnEnd(openAccess));
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

export const handler = turnEndLambda(deployedBoardAccess);

function openTurnEnd(openAccess: OpenBoardAccess) {
  const environment = readEnvironment(turnEndEnvironmentSchema, process.env);
  const wired = wireBoards(openAccess, environment);
  const client = ecsClient({ attempts: 2 });
  const cluster = environment.EVENKEEL_CLUSTER;
  return {
    ...wired,
    runner: fargate({ client, launcher: client, cluster, target: undefined, clock: wired.clock }),
    trigger: wireTrigger(wired.clock, environment),
  };
}

/**
 * The turn API on AWS: `functions/turn-api.ts` with the adapters of a deployment, and the turn program for containers that
 * begin. Triggered by `POST /turns/<turnId>/<call>` and `GET /turns/<turnId>/program`.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { readBundledFile } from '../../lib/adapters/runtime/read-bundled-file.ts';
import { s3Client, s3WorkStore } from '../../lib/adapters/s3/s3-work-store.ts';
import { hashSeal } from '../../lib/adapters/secrets/hash-seal.ts';
import { type BundledFile, readEnvironment, turnApiEnvironmentSchema } from '../environment.ts';
import { turnApiHandler } from '../turn-api.ts';
import { turnProgramHandler } from '../turn-program.ts';
import { deployedBoardAccess, type OpenBoardAccess } from './board-access.ts';
import { lambdaHandler, once } from './lambda-handler.ts';
import { deploymentSettings } from './settings.ts';
import { noRunner, noTrigger } from './unneeded-ports.ts';
import { wireBoards } from './wire-boards.ts';

export const turnApiLambda = (openAccess: OpenBoardAccess) => {
  const open = once(() => openTurnApi(openAccess));
  return lambdaHandler(async (event: APIGatewayProxyEventV2, context) => {
    const { secrets, program, ...ports } = open();
    const settings = deploymentSettings({
      maxConcurrentAgents: 0,
      remainingMs: context.getRemainingTimeInMillis(),
    });
    const answerWith = (ticketSecret: string): Promise<APIGatewayProxyStructuredResultV2> => {
      const seal = hashSeal(ticketSecret);
      return event.requestContext.http.method === 'GET'
        ? turnProgramHandler({ seal, program })(event)
        : turnApiHandler({ ...ports, seal, settings })(event);
    };
    const { ticketSecret } = await secrets.current();
    const answer = await answerWith(ticketSecret);
    if (answer.statusCode !== 401) return answer;
    // The ticket may have been made with another secret than the one that is remembered here.
    const renewed = await secrets.renewed();
    return renewed.ticketSecret === ticketSecret ? answer : answerWith(renewed.ticketSecret);
  });
};

export const handler = turnApiLambda(deployedBoardAccess);

function openTurnApi(openAccess: OpenBoardAccess) {
  const name: BundledFile = 'turn.mjs';
  const environment = readEnvironment(turnApiEnvironmentSchema, process.env);
  return {
    ...wireBoards(openAccess, environment),
    workStore: s3WorkStore({ client: s3Client(), bucket: environment.EVENKEEL_WORK_BUCKET }),
    program: once(() => readBundledFile(import.meta.url, name)),
    runner: noRunner,
    trigger: noTrigger,
  };
}

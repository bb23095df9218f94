/**
 * Deliveries on AWS: `functions/webhook.ts` with the adapters of a deployment. Triggered by `POST /webhooks/<source>`. It
 * knows neither boards nor tasks.
 */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { githubWebhook } from '../../lib/adapters/github/github-webhook.ts';
import { readEnvironment, webhookEnvironmentSchema } from '../environment.ts';
import { webhookHandler } from '../webhook.ts';
import { lambdaHandler, once } from './lambda-handler.ts';
import { wire, wireTicks, wireTrigger } from './wiring.ts';

const open = once(() => {
  const environment = readEnvironment(webhookEnvironmentSchema, process.env);
  const { secrets, ...wired } = wire(environment);
  const ledger = wireTicks(environment);
  const github = githubWebhook(async (renewed) => {
    const { githubWebhookSecret } = await (renewed === undefined ? secrets.current() : secrets.renewed());
    return githubWebhookSecret ?? [];
  });
  const trigger = wireTrigger(wired.clock, environment);
  return webhookHandler({ ...wired, ledger, trigger, webhooks: { github } });
});

export const handler = lambdaHandler((event: APIGatewayProxyEventV2) => open()(event));

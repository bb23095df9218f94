import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbTable } from '../../lib/adapters/dynamodb/dynamodb-table.ts';
import { dynamodbTicks } from '../../lib/adapters/dynamodb/dynamodb-ticks.ts';
import { eventbridgeClient, eventbridgeTrigger } from '../../lib/adapters/eventbridge/eventbridge-trigger.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import {
  type DeploymentSecret,
  deploymentSecretSchema,
} from '../../lib/adapters/secrets/deployment-secret.ts';
import { type SecretReader, secretReader, secretsClient } from '../../lib/adapters/secrets/secret-reader.ts';
import type { Clock, Ledger, Reporter, TickTrigger } from '../../lib/controller/ports.ts';
import type { TickEventDetailType, TickEventSource, WebhookEnvironment } from '../environment.ts';
import { logger } from './lambda-handler.ts';
import { logReporter } from './log-reporter.ts';

/** What every function works with. Made once in the life of a process; the first use of each opens its connection. */
export interface Wired {
  readonly secrets: SecretReader<DeploymentSecret>;
  readonly reporter: Reporter;
  readonly clock: Clock;
}

export function wire({ EVENKEEL_SECRET: secret }: Pick<WebhookEnvironment, 'EVENKEEL_SECRET'>): Wired {
  const clock = systemClock();
  return {
    secrets: secretReader({
      client: secretsClient(),
      secret,
      schema: deploymentSecretSchema,
      clock,
      onTrouble: (problem) => logger.error('the secret cannot be read', { problem }),
    }),
    reporter: logReporter(logger),
    clock,
  };
}

/** All of the ledger that a hint needs. */
export function wireTicks({
  EVENKEEL_TABLE: table,
}: Pick<WebhookEnvironment, 'EVENKEEL_TABLE'>): Pick<Ledger, 'changeTick'> {
  return dynamodbTicks(dynamodbTable({ client: dynamodbClient(), table }));
}

/** How long a requested tick waits before it begins, so that a burst of hints becomes one. */
export const hintPauseMs = 3_000;

export function wireTrigger(
  clock: Clock,
  { EVENKEEL_EVENT_BUS: bus }: Pick<WebhookEnvironment, 'EVENKEEL_EVENT_BUS'>,
): TickTrigger {
  const source: TickEventSource = 'evenkeel';
  const detailType: TickEventDetailType = 'Tick Requested';
  // Shorter than the pause: a request serves only what is counted before its tick begins.
  const gapMs = hintPauseMs - 1_000;
  return eventbridgeTrigger({ client: eventbridgeClient(), bus, source, detailType, clock, gapMs });
}

import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { eventbridgeClient, eventbridgeTrigger } from '../../lib/adapters/eventbridge/eventbridge-trigger.ts';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import {
  type DeploymentSecret,
  deploymentSecretSchema,
} from '../../lib/adapters/secrets/deployment-secret.ts';
import { type SecretReader, secretReader, secretsClient } from '../../lib/adapters/secrets/secret-reader.ts';
import type { Clock, Ids, Ledger, Reporter, TickTrigger } from '../../lib/controller/ports.ts';
import type { TickEventDetailType, TickEventSource, WebhookEnvironment } from '../environment.ts';
import { logger } from './lambda-handler.ts';
import { logReporter } from './log-reporter.ts';

/** What every function works with. Made once in the life of a process; the first use of each opens its connection. */
export interface Wired {
  readonly ledger: Ledger;
  readonly secrets: SecretReader<DeploymentSecret>;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function wire({
  EVENKEEL_TABLE: table,
  EVENKEEL_SECRET: secret,
}: Pick<WebhookEnvironment, 'EVENKEEL_TABLE' | 'EVENKEEL_SECRET'>): Wired {
  const clock = systemClock();
  return {
    ledger: dynamodbLedger({ client: dynamodbClient(), table }),
    secrets: secretReader({ client: secretsClient(), secret, schema: deploymentSecretSchema, clock }),
    reporter: logReporter(logger),
    clock,
    ids: randomIds(),
  };
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

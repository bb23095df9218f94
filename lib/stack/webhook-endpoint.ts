import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { WebhookEnvironment } from '../../functions/environment.ts';
import type { Workflow } from '../core/workflow.ts';
import type { DeploymentSecret } from './deployment-secret.ts';
import type { FunctionCode } from './function-code.ts';
import { HandlerFunction } from './handler-function.ts';
import type { HintBus } from './hint-bus.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import type { LedgerTable } from './ledger-table.ts';

export interface WebhookEndpointProps {
  readonly endpoint: HttpEndpoint;
  readonly code: FunctionCode;
  readonly ledger: LedgerTable;
  readonly secret: DeploymentSecret;
  readonly bus: HintBus;
  /** The trackers that send deliveries, as their addresses name them. */
  readonly sources: readonly WebhookSourceName[];
  readonly logRetention: RetentionDays;
}

export type WebhookSourceName = 'github' | 'linear';

/** Who sends the deliveries of a board of this kind. */
export function webhookSourceOf(kind: Workflow['tracker']['kind']): readonly WebhookSourceName[] {
  if (kind === 'local') return [];
  return [kind === 'linear' ? 'linear' : 'github'];
}

/**
 * Takes the trackers' deliveries, which only ask for an early tick. The function may count a hint and ask for a tick, and
 * can neither read an issue nor touch a turn.
 */
export class WebhookEndpoint extends Construct {
  readonly handler: HandlerFunction;
  /** The address for the deliveries of each tracker that this deployment serves. */
  readonly urls: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: WebhookEndpointProps) {
    super(scope, id);
    const { endpoint, ledger, secret, bus } = props;
    this.handler = new HandlerFunction(this, 'Webhook', {
      description: "Evenkeel: verifies a tracker's delivery and asks for an early tick",
      code: props.code.of('webhook'),
      environment: {
        EVENKEEL_TABLE: ledger.table.tableName,
        EVENKEEL_SECRET: secret.arn,
        EVENKEEL_EVENT_BUS: bus.name,
      } satisfies WebhookEnvironment,
      timeoutSeconds: 10,
      memoryMiB: 256,
      logRetention: props.logRetention,
    });
    const { lambda, role } = this.handler;
    ledger.grantHint(role);
    secret.grantRead(role);
    bus.grantAsk(role);
    endpoint.serve('Webhooks', {
      method: HttpMethod.POST,
      path: '/webhooks/{source}',
      handler: lambda,
      // A delivery that is refused costs at most one interval.
      throttle: { rate: 20, burst: 50 },
      authorisation:
        'Trackers sign their deliveries; the handler verifies the signature over the raw bytes before it does anything, and no authoriser of the gateway sees those.',
    });
    this.urls = Object.fromEntries(
      props.sources.map((source) => [source, `${endpoint.url}/webhooks/${source}`]),
    );
  }
}

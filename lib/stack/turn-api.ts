import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TurnApiEnvironment } from '../../functions/environment.ts';
import type { DeploymentSecret } from './deployment-secret.ts';
import type { FunctionCode } from './function-code.ts';
import { HandlerFunction } from './handler-function.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { WorkBucket } from './work-bucket.ts';

export interface TurnApiProps {
  readonly endpoint: HttpEndpoint;
  readonly code: FunctionCode;
  readonly ledger: LedgerTable;
  readonly secret: DeploymentSecret;
  readonly work: WorkBucket;
  readonly logRetention: RetentionDays;
}

/** What a running turn may ask, and the turn program that it runs. */
export class TurnApi extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: TurnApiProps) {
    super(scope, id);
    const { endpoint, ledger, secret, work } = props;
    this.handler = new HandlerFunction(this, 'TurnApi', {
      description: 'Evenkeel: what a running turn may ask',
      code: props.code.of('turn-api'),
      environment: {
        EVENKEEL_TABLE: ledger.table.tableName,
        EVENKEEL_SECRET: secret.arn,
        EVENKEEL_WORK_BUCKET: work.bucket.bucketName,
      } satisfies TurnApiEnvironment,
      // The gateway waits no longer.
      timeoutSeconds: 29,
      logRetention: props.logRetention,
    });
    const { lambda, role } = this.handler;
    ledger.grantUse(role);
    secret.grantRead(role);
    work.grantKeep(role);
    const route = {
      handler: lambda,
      // A hundred turns send four heartbeats a second, and start within a few seconds of each other.
      throttle: { rate: 50, burst: 100 },
      authorisation:
        "Each call carries the turn's one-time ticket or the key that the turn made itself; the handler checks it against the lease, which no authoriser of the gateway could.",
    };
    endpoint.serve('Calls', { ...route, method: HttpMethod.POST, path: '/turns/{turnId}/{call}' });
    endpoint.serve('Program', { ...route, method: HttpMethod.GET, path: '/turns/{turnId}/program' });
  }
}

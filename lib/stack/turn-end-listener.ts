import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TurnEndEnvironment } from '../../functions/environment.ts';
import type { AgentCluster } from './agent-cluster.ts';
import type { DeploymentSecret } from './deployment-secret.ts';
import type { FunctionCode } from './function-code.ts';
import { HandlerFunction } from './handler-function.ts';
import type { HintBus } from './hint-bus.ts';
import type { LedgerTable } from './ledger-table.ts';

export interface TurnEndListenerProps {
  readonly code: FunctionCode;
  readonly ledger: LedgerTable;
  readonly secret: DeploymentSecret;
  readonly cluster: AgentCluster;
  readonly bus: HintBus;
  readonly logRetention: RetentionDays;
}

/**
 * Settles a turn as soon as its task is reported stopped. A report that is lost, late or doubled changes nothing: ticks
 * find the same end by looking, so that nothing has to be kept for a second try.
 */
export class TurnEndListener extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: TurnEndListenerProps) {
    super(scope, id);
    const { ledger, secret, cluster, bus } = props;
    this.handler = new HandlerFunction(this, 'TurnEnd', {
      description: 'Evenkeel: settles a turn whose task has stopped',
      code: props.code.of('turn-end'),
      environment: {
        EVENKEEL_TABLE: ledger.table.tableName,
        EVENKEEL_SECRET: secret.arn,
        EVENKEEL_EVENT_BUS: bus.name,
        EVENKEEL_CLUSTER: cluster.clusterArn,
      } satisfies TurnEndEnvironment,
      timeoutSeconds: 60,
      logRetention: props.logRetention,
    });
    const { lambda, role } = this.handler;
    ledger.grantUse(role);
    secret.grantRead(role);
    cluster.grantDescribe(role);
    bus.grantAsk(role);
    lambda.configureAsyncInvoke({ retryAttempts: 1, maxEventAge: latest });
    new Rule(this, 'TaskStopped', {
      description: 'A turn has stopped',
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Task State Change'],
        detail: { clusterArn: [cluster.clusterArn], lastStatus: ['STOPPED'] },
      },
      targets: [new LambdaFunction(lambda, { retryAttempts: 1, maxEventAge: latest })],
    });
  }
}

/** The wait after a lost ledger counts on it that no older report is still on its way. */
const latest = Duration.seconds(90);

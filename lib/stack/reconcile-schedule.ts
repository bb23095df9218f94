import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ReconcileEnvironment } from '../../functions/environment.ts';
import type { AgentCluster } from './agent-cluster.ts';
import type { DeploymentSecret } from './deployment-secret.ts';
import type { FunctionCode } from './function-code.ts';
import { HandlerFunction } from './handler-function.ts';
import type { HintBus } from './hint-bus.ts';
import type { LedgerTable } from './ledger-table.ts';
import { deploymentName } from './metrics.ts';
import { once } from './once.ts';

export interface ReconcileScheduleProps {
  readonly code: FunctionCode;
  readonly ledger: LedgerTable;
  readonly secret: DeploymentSecret;
  readonly cluster: AgentCluster;
  readonly bus: HintBus;
  /** Turns at once over all boards; 0 starts nothing. */
  readonly maxConcurrentAgents: number;
  readonly logRetention: RetentionDays;
}

/** The tick: every minute, and early when a hint asks for it. The only function that starts turns. */
export class ReconcileSchedule extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: ReconcileScheduleProps) {
    super(scope, id);
    const { ledger, secret, cluster, bus } = props;
    this.handler = new HandlerFunction(this, 'Reconcile', {
      description: 'Evenkeel: the tick, which looks at the boards and at what runs, and closes the gap',
      code: props.code.of('reconcile'),
      environment: {
        EVENKEEL_DEPLOYMENT: deploymentName(this),
        EVENKEEL_TABLE: ledger.table.tableName,
        EVENKEEL_SECRET: secret.arn,
        EVENKEEL_EVENT_BUS: bus.name,
        EVENKEEL_CLUSTER: cluster.clusterArn,
        ...cluster.launch,
        EVENKEEL_MAX_CONCURRENT_AGENTS: String(props.maxConcurrentAgents),
      } satisfies ReconcileEnvironment,
      // A tick plans for 38 s of work; what a dead one still sends is over before its writes are taken over.
      timeoutSeconds: 50,
      logRetention: props.logRetention,
    });
    const { lambda, role } = this.handler;
    ledger.grantUse(role);
    ledger.grantForget(role);
    secret.grantRead(role);
    cluster.grantLaunch(role);
    cluster.grantList(role);
    cluster.grantDescribe(role);
    cluster.grantStop(role);
    bus.grantAsk(role);
    bus.wake(lambda);
    lambda.configureAsyncInvoke(once);
    new Rule(this, 'EveryMinute', {
      description: 'The tick of every minute',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(lambda, once)],
    });
  }
}

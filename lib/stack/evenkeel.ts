import { Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Workflow } from '../core/workflow.ts';
import { AgentCluster } from './agent-cluster.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import { DeploymentProblem } from './deployment-problem.ts';
import { DeploymentSecret } from './deployment-secret.ts';
import { FunctionCode } from './function-code.ts';
import { HintBus } from './hint-bus.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { LedgerTable } from './ledger-table.ts';
import type { Network } from './network.ts';
import { readWorkflows, type WorkflowSource } from './read-workflows.ts';
import { ReconcileSchedule } from './reconcile-schedule.ts';
import { TurnApi } from './turn-api.ts';
import { TurnEndListener } from './turn-end-listener.ts';
import { WebhookEndpoint, webhookSourceOf } from './webhook-endpoint.ts';
import { WorkBucket } from './work-bucket.ts';

export interface EvenkeelProps {
  /** The workflow file of each board. */
  readonly workflows: readonly WorkflowSource[];
  /** Turns at once over all boards; 0 starts nothing. @default 5, which a new account's quota of 6 processors can hold */
  readonly maxConcurrentAgents?: number | undefined;
  /** Where turns run. @default a network of its own, without a way in and without a NAT gateway */
  readonly network?: Network | undefined;
  /** Any image with Node 20 or newer and git. @default the public Node image */
  readonly image?: string | undefined;
  /** The processor that the image is for. @default arm64 */
  readonly architecture?: 'arm64' | 'x86_64' | undefined;
  /** The uid that agents have in their container, not 0. @default 1000, the user `node` of the public Node image */
  readonly agentUid?: number | undefined;
  /** The name of a secret that exists already. @default one is made */
  readonly secretName?: string | undefined;
  /**
   * The name of a table that exists already, such as one that was restored from a backup and renewed with
   * `evenkeel bootstrap --restored`. Its ledger is used as it is. @default one is made
   */
  readonly tableName?: string | undefined;
  /** Whom alarms tell. @default nobody: subscribe to `alarms.topic` */
  readonly alarmEmail?: string | undefined;
  /** What becomes of what agents, hooks and gates print. @default it goes to the log of turns */
  readonly turnOutput?: 'logs' | 'none' | undefined;
  /** How long logs are kept. @default one month */
  readonly logRetention?: RetentionDays | undefined;
  /** The folder with the bundles that `npm run prepare` makes. @default that of this project */
  readonly bundles?: string | undefined;
}

/**
 * A whole deployment: the boards of some workflow files are kept level by agents that run as Fargate tasks. One in each
 * stack. Throws `WorkflowProblems` when a workflow file cannot be deployed, and `DeploymentProblem` for a second one.
 */
export class Evenkeel extends Construct {
  readonly ledger: LedgerTable;
  readonly secret: DeploymentSecret;
  readonly endpoint: HttpEndpoint;
  readonly cluster: AgentCluster;
  readonly reconcile: ReconcileSchedule;
  readonly turnEnd: TurnEndListener;
  readonly work: WorkBucket;
  readonly turnApi: TurnApi;
  readonly webhooks: WebhookEndpoint;
  readonly alarms: Alarms;
  readonly dashboard: Dashboard;
  /** The policy of each board, as it was read. */
  readonly workflows: readonly Workflow[];
  readonly maxConcurrentAgents: number;

  constructor(scope: Construct, id: string, props: EvenkeelProps) {
    super(scope, id);
    this.#standAlone();
    const logRetention = props.logRetention ?? RetentionDays.ONE_MONTH;
    this.workflows = readWorkflows(props.workflows);
    this.maxConcurrentAgents = props.maxConcurrentAgents ?? 5;
    const code = new FunctionCode(this.workflows, props.bundles);
    this.ledger = new LedgerTable(this, 'Ledger', { ...props, logRetention });
    this.secret = new DeploymentSecret(this, 'Access', props);
    this.endpoint = new HttpEndpoint(this, 'Http', { logRetention });
    this.cluster = new AgentCluster(this, 'Agents', {
      ...props,
      turnApiUrl: this.endpoint.url,
      turnProgramSha256: code.turnProgramSha256,
      logRetention,
    });
    const common = {
      code,
      ledger: this.ledger,
      secret: this.secret,
      cluster: this.cluster,
      endpoint: this.endpoint,
      bus: new HintBus(this, 'Hints'),
      logRetention,
    };
    this.reconcile = new ReconcileSchedule(this, 'Ticks', {
      ...common,
      maxConcurrentAgents: this.maxConcurrentAgents,
    });
    this.turnEnd = new TurnEndListener(this, 'Ends', common);
    this.work = new WorkBucket(this, 'Work');
    this.turnApi = new TurnApi(this, 'Turns', { ...common, work: this.work });
    this.webhooks = new WebhookEndpoint(this, 'Deliveries', {
      ...common,
      sources: [...new Set(this.workflows.flatMap(({ tracker }) => webhookSourceOf(tracker.kind)))],
    });
    this.alarms = new Alarms(this, 'Alarms', { email: props.alarmEmail, reconcile: this.reconcile.handler });
    this.dashboard = new Dashboard(this, 'Dashboard', {
      alarms: this.alarms,
      reconcile: this.reconcile.handler,
      turnEnd: this.turnEnd.handler,
      turnApi: this.turnApi.handler,
      webhook: this.webhooks.handler,
    });
  }
  /** Alarms, the dashboard and what ticks measure have the stack's name; two deployments would mix theirs up. */
  #standAlone(): void {
    const stack = Stack.of(this);
    const other = stack.node
      .findAll()
      .find((one) => one instanceof Evenkeel && one !== this && Stack.of(one) === stack);
    if (other === undefined) return;
    throw new DeploymentProblem(
      `A stack holds one deployment, and ${other.node.path} is in ${stack.stackName} already; give ${this.node.path} a stack of its own, or name both boards' workflow files in one.`,
    );
  }
}

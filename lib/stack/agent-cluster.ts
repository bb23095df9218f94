import { Names, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { CfnCluster, CfnTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ReconcileEnvironment, TurnContainerEnvironment } from '../../functions/environment.ts';
import { agentUidRule, isAgentUid } from './agent-uid.ts';
import { defaultImage, grantPull } from './container-image.ts';
import { DeploymentProblem } from './deployment-problem.ts';
import { explain } from './explain.ts';
import { type Network, TaskNetwork } from './network.ts';
import { turnBootstrap } from './turn-bootstrap.ts';

export interface AgentClusterProps {
  /** @default a network of its own, without a way in and without a NAT gateway */
  readonly network?: Network | undefined;
  /** Any image with Node 20 or newer and git; one in a private ECR of the same account and region will do. @default the public Node image */
  readonly image?: string | undefined;
  /** The processor that the image is for. @default arm64 */
  readonly architecture?: 'arm64' | 'x86_64' | undefined;
  /** The https address of the turn API, without a slash at its end. */
  readonly turnApiUrl: string;
  /** SHA-256 of the turn program, 64 hex digits. */
  readonly turnProgramSha256: string;
  /**
   * The uid that agents, hooks and gates have in their container, not 0. A user of the image with that uid has its home
   * folder there. @default 1000, the user `node` of the public Node image
   */
  readonly agentUid?: number | undefined;
  /** What becomes of what agents, hooks and gates print. @default it goes to the log of turns, where lines that hold a secret are withheld */
  readonly turnOutput?: 'logs' | 'none' | undefined;
  readonly logRetention: RetentionDays;
}

/**
 * Where turns run: a cluster that holds nothing else, and one task definition for turns of all sizes. A turn has no AWS
 * credential (there is no task role), cannot be logged into, and cannot be connected to.
 */
export class AgentCluster extends Construct {
  readonly clusterArn: string;
  /** What agents and the turn program print. */
  readonly logGroup: LogGroup;
  /** What a turn's log stream is called, before the id of its task. */
  readonly turnLogStreams = `${streamPrefix}/${container}/`;
  /** What `launch` needs to know. */
  readonly launch: Pick<
    ReconcileEnvironment,
    | 'EVENKEEL_TASK_DEFINITION'
    | 'EVENKEEL_CONTAINER'
    | 'EVENKEEL_SUBNETS'
    | 'EVENKEEL_SECURITY_GROUPS'
    | 'EVENKEEL_PUBLIC_IP'
  >;
  readonly #cluster: CfnCluster;
  readonly #executionRole: Role;

  constructor(scope: Construct, id: string, props: AgentClusterProps) {
    super(scope, id);
    const network = new TaskNetwork(this, 'Network', props.network ?? { kind: 'public' });
    this.#cluster = new CfnCluster(this, 'Cluster', { capacityProviders: ['FARGATE', 'FARGATE_SPOT'] });
    explain(this.#cluster, {
      'AwsSolutions-ECS4':
        'Container Insights bills a dozen metrics for every turn; what turns do is in the ledger, the logs and on the dashboard.',
    });
    this.clusterArn = this.#cluster.attrArn;
    this.logGroup = new LogGroup(this, 'TurnLogs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#executionRole = new Role(this, 'ExecutionRole', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      description: 'Starts turns: pulls their image and opens their logs. Turns themselves have no role.',
    });
    this.logGroup.grantWrite(this.#executionRole);
    grantPull(this.#executionRole, props.image ?? defaultImage);
    const task = this.#defineTask(props);
    this.launch = {
      EVENKEEL_TASK_DEFINITION: task.ref,
      EVENKEEL_CONTAINER: container,
      EVENKEEL_SUBNETS: network.subnetIds.join(','),
      EVENKEEL_SECURITY_GROUPS: network.securityGroupId,
      EVENKEEL_PUBLIC_IP: network.publicIp,
    };
  }

  /** Starting turns: this revision of this task definition, in this cluster, under one role. */
  grantLaunch(role: Role): void {
    this.#grant(role, ['ecs:RunTask'], this.launch.EVENKEEL_TASK_DEFINITION, this.#inCluster());
    this.#grant(role, ['iam:PassRole'], this.#executionRole.roleArn, {
      StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' },
    });
  }

  /** Seeing which turns run. */
  grantList(role: Role): void {
    this.#grant(role, ['ecs:ListTasks'], '*', this.#inCluster());
    explain(role, {
      'AwsSolutions-IAM5[Resource::*]':
        'Listing tasks is about no resource that IAM knows; the condition narrows it to this cluster.',
    });
  }

  /** Seeing how a turn ended. */
  grantDescribe(role: Role): void {
    this.#grantOnTasks(role, 'ecs:DescribeTasks');
  }

  /** Stopping turns. */
  grantStop(role: Role): void {
    this.#grantOnTasks(role, 'ecs:StopTask');
  }

  #defineTask(props: AgentClusterProps): CfnTaskDefinition {
    const environment: TurnContainerEnvironment = {
      EVENKEEL_TURN_API: props.turnApiUrl,
      EVENKEEL_TURN_PROGRAM_SHA256: props.turnProgramSha256,
      EVENKEEL_OUTPUT: props.turnOutput ?? 'logs',
      EVENKEEL_AGENT_UID: String(uidOfAgents(props.agentUid)),
    };
    const task = new CfnTaskDefinition(this, 'Turn', {
      family: Names.uniqueResourceName(this, { maxLength: 100, separator: '-' }),
      requiresCompatibilities: ['FARGATE'],
      networkMode: 'awsvpc',
      // Each turn's own size comes with its launch.
      cpu: '1024',
      memory: '4096',
      runtimePlatform: {
        operatingSystemFamily: 'LINUX',
        cpuArchitecture: props.architecture === 'x86_64' ? 'X86_64' : 'ARM64',
      },
      executionRoleArn: this.#executionRole.roleArn,
      containerDefinitions: [
        {
          name: container,
          image: props.image ?? defaultImage,
          essential: true,
          // Only root can give the agent a user of its own, whatever user the image has.
          user: '0',
          entryPoint: ['node'],
          command: ['-e', turnBootstrap],
          environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
          // Time for the last push after a stop.
          stopTimeout: 120,
          linuxParameters: { initProcessEnabled: true },
          logConfiguration: {
            logDriver: 'awslogs',
            options: {
              'awslogs-group': this.logGroup.logGroupName,
              'awslogs-region': Stack.of(this).region,
              'awslogs-stream-prefix': streamPrefix,
              // An agent that prints much loses lines rather than time.
              mode: 'non-blocking',
              'max-buffer-size': '4m',
            },
          },
        },
      ],
    });
    explain(task, {
      'AwsSolutions-ECS2':
        'The variables are an address, a hash, a choice and a number, and the hash must not be changed apart from the command that checks it.',
    });
    return task;
  }

  /** Tasks have names of their own only once they run; the cluster holds nothing but turns. */
  #grantOnTasks(role: Role, action: string): void {
    const stack = Stack.of(this);
    const resourceName = `${this.#cluster.ref}/*`;
    this.#grant(role, [action], stack.formatArn({ service: 'ecs', resource: 'task', resourceName }));
    const shown = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
    const place = [shown(stack.region, 'Region'), shown(stack.account, 'AccountId')].join(':');
    const arn = `arn:${shown(stack.partition, 'Partition')}:ecs:${place}:task/<${stack.getLogicalId(this.#cluster)}>/*`;
    explain(role, {
      [`AwsSolutions-IAM5[Resource::${arn}]`]:
        'Tasks get their names when they start; the cluster is named, and holds nothing but turns.',
    });
  }

  #inCluster() {
    return { ArnEquals: { 'ecs:cluster': this.clusterArn } };
  }

  #grant(
    grantee: Role,
    actions: string[],
    resource: string,
    conditions: Record<string, Record<string, unknown>> = {},
  ): void {
    Grant.addToPrincipal({ grantee, actions, resourceArns: [resource], conditions });
  }
}

const container = 'turn';
const streamPrefix = 'turn';

/** By default `node` of the public Node image. Turns of a root user would each refuse to begin. */
function uidOfAgents(uid = 1_000): number {
  if (isAgentUid(uid)) return uid;
  throw new DeploymentProblem(`agentUid is ${uid}; it ${agentUidRule}.`);
}

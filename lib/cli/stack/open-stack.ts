import type { Deployment } from '../../adapters/cloudformation/deployment-facts.ts';
import { cloudformationClient, findDeployment } from '../../adapters/cloudformation/find-deployment.ts';
import {
  type AlarmState,
  cloudwatchClient,
  readAlarmStates,
} from '../../adapters/cloudwatch/alarm-states.ts';
import { cloudwatchLogsClient, type LogStream, logStream } from '../../adapters/cloudwatch/log-stream.ts';
import { dynamodbClient } from '../../adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../adapters/dynamodb/dynamodb-ledger.ts';
import { ecsClient } from '../../adapters/fargate/ecs-client.ts';
import { fargate } from '../../adapters/fargate/fargate.ts';
import { listLiveTasks } from '../../adapters/fargate/list-live-tasks.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { Ledger, Runner } from '../../controller/ports.ts';
import type { Arn } from '../../core/issue.ts';
import { programVersion } from '../../host/program-version.ts';
import type { CliContext } from '../cli-context.ts';
import { harmlessLine } from '../harmless-text.ts';
import { describeTrouble, type StackPlace } from './describe-trouble.ts';

/** Which deployment in AWS is meant, and as who to ask for it. */
export interface StackTarget {
  readonly stack: string;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** Another table than the one that the deployment uses. */
  readonly table?: string | undefined;
}

/** A deployment in AWS, reached with the credentials of whoever runs the command. */
export interface OpenStack {
  readonly name: string;
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  /** What runs, to look at only. */
  readonly runner: Pick<Runner, 'describe' | 'list'>;
  /** How its alarms stand. */
  alarms(): Promise<readonly AlarmState[]>;
  /** What the turn of this task printed. */
  turnLog(task: Arn): LogStream;
}

/**
 * Finds the deployment that a stack holds and acts on it. Whatever AWS refuses, or does not have, is thrown as a sentence
 * that names it and the remedy.
 */
export async function withStack<Result>(
  target: StackTarget,
  { env }: Pick<CliContext, 'env'>,
  act: (stack: OpenStack) => Promise<Result>,
): Promise<Result> {
  const { stack, profile } = target;
  // The AWS CLI reads either.
  const region = target.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  const place = { ...(region && { region }), ...(profile && { profile }) };
  let ledger: Pick<StackPlace, 'table' | 'isOwnTable'> = {};
  // It is for developers of programs, and would stand between the lines of this one.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  try {
    const deployment = await findOrExplain(place, stack);
    const table = target.table ?? deployment.TableName;
    ledger = { table, isOwnTable: table === deployment.TableName };
    return await act(openDeployment(stack, deployment, { ...place, table }));
  } catch (error) {
    throw describeTrouble(error, { stack, region, profile, ...ledger });
  }
}

type Place = Readonly<Pick<StackTarget, 'region' | 'profile'>>;

async function findOrExplain(place: Place, stack: string): Promise<Deployment> {
  const found = await findDeployment(cloudformationClient(place), stack, programVersion);
  switch (found.kind) {
    case 'found':
      return found.deployment;
    case 'missing':
      throw new Error(
        `There is no stack called ${stack} in this account and region. \`aws cloudformation list-stacks\` lists what there is; --region and --profile choose another place.`,
      );
    case 'other-version':
      throw new Error(
        `The stack ${stack} was deployed by evenkeel ${harmlessLine(found.version)} and this is ${programVersion}. Use that version, or deploy again with this one.`,
      );
    case 'unfit':
      throw new Error(
        `The stack ${stack} (${found.status}) holds no deployment that this version of evenkeel can read: ${found.problems.map(harmlessLine).join(', ')} missing or unfit. If it is one, deploy it again with this version.`,
      );
  }
}

function openDeployment(
  name: string,
  deployment: Deployment,
  { table, ...place }: Place & { readonly table: string },
): OpenStack {
  const { ClusterArn: cluster, TaskDefinition: taskDefinition, container } = deployment;
  const tasks = ecsClient({ ...place, attempts: 3 });
  const looking = fargate({
    client: tasks,
    launcher: tasks,
    cluster,
    target: undefined,
    clock: systemClock(),
  });
  return {
    name,
    deployment,
    ledger: dynamodbLedger({
      client: dynamodbClient({ ...place, timeoutMs: patienceMs }),
      table,
    }),
    runner: {
      describe: looking.describe,
      list: () => listLiveTasks(tasks, cluster, { taskDefinition, container }),
    },
    alarms: () => readAlarmStates(cloudwatchClient(place), deployment.alarms),
    turnLog: (task) =>
      logStream({
        client: cloudwatchLogsClient(place),
        group: deployment.TurnLogs,
        stream: `${deployment.turnLogStreams}${task.replace(/^.*\//, '')}`,
      }),
  };
}

/** Whoever asks may be far from the region. */
const patienceMs = 10_000;

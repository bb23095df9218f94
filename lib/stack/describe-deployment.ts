import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { DeploymentMetadata, DeploymentOutputs } from '../adapters/cloudformation/deployment-facts.ts';
import type { Evenkeel } from './evenkeel.ts';
import { version } from './version.ts';

type Output = readonly [value: string, description: string];

/**
 * Says in the stack what its operator, and the command line with `--stack`, need to know of the deployment in it: as
 * outputs, and in the template's metadata. For a stack that holds one deployment.
 */
export function describeDeployment(stack: Stack, evenkeel: Evenkeel): void {
  const { webhooks, ledger, secret, cluster, reconcile, turnEnd, turnApi, work, alarms, dashboard } =
    evenkeel;
  const forProgram: DeploymentOutputs = {
    TableName: ledger.table.tableName,
    ClusterArn: cluster.clusterArn,
    TaskDefinition: cluster.launch.EVENKEEL_TASK_DEFINITION,
    TurnLogs: cluster.logGroup.logGroupName,
  };
  const outputs: Readonly<Record<string, Output> & Record<keyof DeploymentOutputs, Output>> = {
    TableName: [forProgram.TableName, 'The ledger'],
    SecretName: [secret.name, 'The secret that holds the access to trackers'],
    ClusterArn: [forProgram.ClusterArn, 'Where turns run'],
    TaskDefinition: [forProgram.TaskDefinition, 'What turns are launched from'],
    TickFunction: [reconcile.handler.lambda.functionName, 'The function that ticks'],
    TickLogs: [reconcile.handler.logGroup.logGroupName, 'What ticks decided'],
    TurnEndLogs: [turnEnd.handler.logGroup.logGroupName, 'How turns were settled'],
    TurnApiLogs: [turnApi.handler.logGroup.logGroupName, 'What turns asked'],
    WebhookLogs: [webhooks.handler.logGroup.logGroupName, 'What deliveries asked'],
    TurnLogs: [forProgram.TurnLogs, 'What turns print'],
    WorkBucket: [work.bucket.bucketName, 'Commits that could be put on no branch'],
    AlarmTopic: [alarms.topic.topicArn, 'Where alarms are told'],
    Dashboard: [dashboard.name, 'The dashboard in CloudWatch'],
  };
  for (const [name, [value, description]] of Object.entries(outputs))
    new CfnOutput(stack, name, { value, description });
  for (const [source, url] of Object.entries(webhooks.urls))
    new CfnOutput(stack, `WebhookUrl${source}`, {
      value: url,
      description: `Where deliveries of ${source} go`,
    });
  stack.templateOptions.metadata = { ...stack.templateOptions.metadata, ...metadataOf(evenkeel) };
}

function metadataOf({ cluster, alarms, workflows, maxConcurrentAgents }: Evenkeel): DeploymentMetadata {
  return {
    Evenkeel: {
      version,
      maxConcurrentAgents,
      container: cluster.launch.EVENKEEL_CONTAINER,
      turnLogStreams: cluster.turnLogStreams,
      alarms: [...alarms.names],
      workflows: toAscii(JSON.stringify(workflows)),
    },
  };
}

/** CloudFormation answers a template with a question mark in the place of every other character. */
function toAscii(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

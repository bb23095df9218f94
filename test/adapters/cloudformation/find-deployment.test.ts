import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDeployment } from '../../../lib/adapters/cloudformation/find-deployment.ts';
import { type CloudformationServer, startCloudformation } from '../../support/aws/cloudformation-server.ts';

let server: CloudformationServer;
let client: CloudFormationClient;
beforeEach(async () => {
  server = await startCloudformation();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new CloudFormationClient({
    endpoint: server.endpoint,
    region: 'eu-west-1',
    credentials,
    maxAttempts: 1,
  });
  server.stacks.set('keel', { status: 'UPDATE_COMPLETE', outputs, template: templateWith({}) });
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const outputs = {
  TableName: 'ledger',
  ClusterArn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/evenkeel',
  TaskDefinition: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/turn:7',
  TurnLogs: 'turns <&>',
  Other: 'of somebody else',
};

function templateWith(facts: object): string {
  const told = {
    version: '1.0.0',
    maxConcurrentAgents: 3,
    container: 'turn',
    turnLogStreams: 'turn/turn/',
    alarms: ['keel-one'],
  };
  return JSON.stringify({ Metadata: { Evenkeel: { ...told, workflows: '[]', ...facts }, Other: {} } });
}

const find = () => findDeployment(client, 'keel', '1.0.0');

test('a deployment is read from the outputs and the template of its stack', async () => {
  const { Other: _, ...own } = outputs;
  expect(await find()).toEqual({
    kind: 'found',
    deployment: {
      ...own,
      version: '1.0.0',
      maxConcurrentAgents: 3,
      container: 'turn',
      turnLogStreams: 'turn/turn/',
      alarms: ['keel-one'],
      workflows: [],
    },
  });
});

test('one of another version is told by that, whatever else it says otherwise', async () => {
  const template = templateWith({ version: '2.0.0', container: undefined, workflows: 'in a new form' });
  server.stacks.set('keel', { status: 'UPDATE_COMPLETE', outputs: {}, template });
  expect(await find()).toEqual({ kind: 'other-version', version: '2.0.0' });
});

test('a stack is missing by the word of the service alone', async () => {
  server.stacks.clear();
  expect(await find()).toEqual({ kind: 'missing' });
});

describe('whatever else goes wrong is no absence:', () => {
  test.each([
    ['a name that cannot be one', [400, 'ValidationError', 'Member must satisfy regular expression']],
    ['a permission', [403, 'AccessDenied', 'not authorized to perform: cloudformation:DescribeStacks']],
    ['a busy service', [400, 'Throttling', 'Rate exceeded']],
    ['a broken one', [500, 'InternalFailure', 'does not exist']],
  ] as const)('%s', async (_, fault) => {
    server.faults.set('DescribeStacks', fault);
    await expect(find()).rejects.toThrow(fault[2]);
  });
});

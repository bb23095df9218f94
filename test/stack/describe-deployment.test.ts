import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ReadDeployment, readDeployment } from '../../lib/adapters/cloudformation/deployment-facts.ts';
import { describeDeployment } from '../../lib/stack/describe-deployment.ts';
import type { Evenkeel } from '../../lib/stack/evenkeel.ts';
import { deployableWorkflow, evenkeelStack, resourcesOf, templateOf } from '../support/stack-world.ts';

const stack = evenkeelStack({
  workflows: [deployableWorkflow({ agent: { command: 'werke „weiter“ 🚀' } })],
  maxConcurrentAgents: 7,
});
describeDeployment(stack, stack.node.findChild('Evenkeel') as Evenkeel);
const template = templateOf(stack);
const { Outputs, Metadata } = template.toJSON();
const outputs = Object.fromEntries(Object.keys(Outputs).map((name) => [name, `the ${name}`]));

describe('a stack', () => {
  test('says everything of its deployment that the command line reads', () => {
    const { deployment } = readDeployment(outputs, Metadata) as Extract<
      ReadDeployment,
      { deployment: object }
    >;
    expect(deployment).toMatchObject({
      version: JSON.parse(readFileSync('package.json', 'utf8')).version,
      maxConcurrentAgents: 7,
      TableName: 'the TableName',
      workflows: [{ tracker: { project: 'acme/web' }, agent: { command: 'werke „weiter“ 🚀' } }],
    });
  });

  test('says it in ASCII, because CloudFormation keeps nothing else', () => {
    expect(JSON.stringify(Metadata)).not.toMatch(/[^ -~]/);
  });

  test('names the log stream of a turn and its container as the task definition has them', () => {
    const [task] = resourcesOf(template, 'AWS::ECS::TaskDefinition');
    const [container] = task?.Properties.ContainerDefinitions ?? [];
    const prefix = container.LogConfiguration.Options['awslogs-stream-prefix'];
    expect(Metadata.Evenkeel).toMatchObject({
      container: container.Name,
      turnLogStreams: `${prefix}/${container.Name}/`,
    });
  });

  test('names its alarms', () => {
    const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(
      ({ Properties }) => Properties.AlarmName,
    );
    expect([...Metadata.Evenkeel.alarms].sort()).toEqual(alarms.sort());
  });

  test('differs from one of another version in a resource, or it would not be deployed', () => {
    const told = resourcesOf(template, 'AWS::Lambda::Function').map(
      ({ Properties }) => Properties.Description,
    );
    expect(told).toContainEqual(expect.stringContaining(`(${Metadata.Evenkeel.version})`));
  });

  test('tells nothing secret', () => {
    expect(JSON.stringify([Outputs, Metadata])).not.toMatch(
      /GetSecretValue|ticketSecret|resolve:secretsmanager/,
    );
  });
});

describe('what a stack does not say', () => {
  test.each([
    ['an output', { ...outputs, TurnLogs: undefined }, Metadata, ['output TurnLogs']],
    ['everything', {}, undefined, ['output TableName', 'metadata']],
    [
      'the version',
      outputs,
      { Evenkeel: { ...Metadata.Evenkeel, version: undefined } },
      ['metadata Evenkeel.version'],
    ],
    [
      'what a workflow needs',
      outputs,
      { Evenkeel: { ...Metadata.Evenkeel, workflows: '[{}]' } },
      ['workflow 0.tracker'],
    ],
    ['workflows at all', outputs, { Evenkeel: { ...Metadata.Evenkeel, workflows: '' } }, ['workflow']],
  ])('is named: %s', (_, given, metadata, named) => {
    const read = readDeployment(given, metadata);
    expect('problems' in read && read.problems).toEqual(expect.arrayContaining(named));
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MeasureName } from '../../functions/environment.ts';
import { factKinds } from '../../lib/core/trace.ts';
import { describeDeployment } from '../../lib/stack/describe-deployment.ts';
import type { Evenkeel } from '../../lib/stack/evenkeel.ts';
import { evenkeelStack, resourceOf, resourcesOf, templateOf } from '../support/stack-world.ts';

const template = templateOf(evenkeelStack({ alarmEmail: 'team@example.org' }));
const described = describedStack();
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
const alarmOf = (name: string) => alarms.find(({ AlarmName }) => AlarmName === `Keel-${name}`);
const page = readFileSync('docs/operating.md', 'utf8');
const sections = page.split(/^## /m).slice(1);

describe('docs/operating.md', () => {
  test('has a section for each alarm, and none for what is no alarm', () => {
    const named = alarms.map(
      ({ AlarmDescription }) => /docs\/operating\.md, "(.+)"/.exec(AlarmDescription)?.[1],
    );
    expect(sections.map((section) => section.split('\n')[0]).sort()).toEqual([...named].sort());
  });

  test('says in each section what it means, where to look and what to do', () => {
    for (const section of sections)
      for (const part of ['**What it means.**', '**Where to look.**', '**What to do.**'])
        expect(section.split(part), section.split('\n')[0]).toHaveLength(2);
  });
});

describe('what an operator is told to ask', () => {
  const dashboard = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const asked = `${page} ${JSON.stringify(dashboard)}`;

  test('is about facts that there are', () => {
    const named = [
      ...[...asked.matchAll(/filter fact = \W*([\w-]+)/g)].map(([, name]) => name!),
      ...[...asked.matchAll(/filter fact in \[([^\]]*)\]/g)].flatMap(
        ([, names]) => names!.match(/\w[\w-]*/g)!,
      ),
    ];
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !(factKinds as readonly string[]).includes(name))).toEqual([]);
  });

  test('is asked of logs that the stack names', () => {
    const { Outputs } = described.toJSON();
    const outputs = [...page.matchAll(/\$\(output (\w+)\)/g)].map(([, name]) => name!);
    expect(outputs).toContain('TurnEndLogs');
    expect(outputs.filter((name) => !(name in Outputs))).toEqual([]);
  });
});

describe('an alarm', () => {
  test('says what is the matter before it says where to read on', () => {
    for (const { AlarmDescription } of alarms)
      expect(AlarmDescription).toMatch(/^[A-Z].+\. What to do: docs/);
  });

  test('is told when it begins and when it is over', () => {
    const topic = { Ref: resourceOf(template, 'AWS::SNS::Topic').id };
    for (const { AlarmActions, OKActions } of alarms)
      expect([AlarmActions, OKActions]).toEqual([[topic], [topic]]);
  });

  test.each<[string, MeasureName]>([
    ['contract-invalid', 'ContractInvalid'],
    ['stuck-lease', 'StuckLeases'],
    ['parked-issues', 'ParkedIssues'],
    ['write-limit-hit', 'WriteLimitHits'],
    ['quota-low', 'QuotaLow'],
    ['launch-breaker-open', 'BreakersOpen'],
  ])('%s watches %s of this deployment, and silence is no alarm', (name, metric) => {
    expect(alarmOf(name)).toMatchObject({
      Namespace: 'Evenkeel',
      MetricName: metric,
      Dimensions: [{ Name: 'service', Value: 'Keel' }],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      Period: 60,
      TreatMissingData: 'notBreaching',
    });
  });

  test('of an invalid contract comes within one tick', () => {
    expect(alarmOf('contract-invalid')).toMatchObject({
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
      Period: 60,
    });
  });

  test('of no completed tick comes after five minutes, also when there is nothing but silence', () => {
    expect(alarmOf('no-completed-tick')).toMatchObject({
      MetricName: 'TicksCompleted',
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 5,
      TreatMissingData: 'breaching',
    });
  });

  test('of failing ticks watches the function that ticks', () => {
    const ticking = resourcesOf(template, 'AWS::Lambda::Function').find(({ id }) => id.includes('Reconcile'));
    expect(alarmOf('tick-failing')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: ticking?.id } }],
    });
  });
});

describe("the alarms' topic", () => {
  test('takes messages from CloudWatch for this account, and from nobody without TLS', () => {
    const { Statement } = resourceOf(template, 'AWS::SNS::TopicPolicy').Properties.PolicyDocument;
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });

  test("is not encrypted with AWS's own key, with which alarms would be lost without a word", () => {
    expect(resourceOf(template, 'AWS::SNS::Topic').Properties.KmsMasterKeyId).toBeUndefined();
  });

  test('tells the e-mail address that was given, and nobody else', () => {
    expect(resourcesOf(template, 'AWS::SNS::Subscription').map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({ Protocol: 'email', Endpoint: 'team@example.org' }),
    ]);
    expect(resourcesOf(templateOf(evenkeelStack()), 'AWS::SNS::Subscription')).toEqual([]);
  });
});

test('metrics of their own are at most eight, told apart by the deployment alone', () => {
  const { DashboardBody } = resourceOf(template, 'AWS::CloudWatch::Dashboard').Properties;
  const shown = JSON.stringify(DashboardBody).match(/\\"Evenkeel\\",\\"(\w+)\\",\\"(\w+)\\"/g) ?? [];
  const watched = alarms
    .filter(({ Namespace }) => Namespace === 'Evenkeel')
    .map(({ MetricName }) => MetricName);
  const names = new Set([...watched, ...shown.map((one) => one.split('\\"')[3])]);
  expect(new Set(shown.map((one) => one.split('\\"')[5]))).toEqual(new Set(['service']));
  expect(names.size).toBeLessThanOrEqual(8);
});

function describedStack() {
  const stack = evenkeelStack();
  describeDeployment(stack, stack.node.findChild('Evenkeel') as Evenkeel);
  return templateOf(stack);
}

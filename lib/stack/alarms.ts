import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type AlarmRule, alarmRules, describeAlarm } from './alarm-rules.ts';
import type { HandlerFunction } from './handler-function.ts';
import { deploymentMetric, deploymentName } from './metrics.ts';

export interface AlarmsProps {
  /** Whom to tell; the address has to be confirmed once. @default nobody: subscribe to the topic yourself */
  readonly email?: string | undefined;
  readonly reconcile: HandlerFunction;
}

/** One alarm for each thing that a person has to know, and the topic that tells them. */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly alarms: readonly Alarm[];
  readonly names: readonly string[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = this.#makeTopic(props.email);
    this.names = alarmRules.map((rule) => nameOf(this, rule));
    const action = new SnsAction(this.topic);
    this.alarms = alarmRules.map((rule) => {
      const alarm = this.#makeAlarm(rule, metricOf(this, rule, props.reconcile));
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
  }

  #makeTopic(email: string | undefined): Topic {
    const topic = new Topic(this, 'Topic', {
      displayName: `Evenkeel ${deploymentName(this)}`,
      enforceSSL: true,
    });
    // Not encrypted at rest: alarms tell nothing of an issue, AWS's own key for topics would silently swallow them, and a key
    // of one's own costs more than all of them. A topic with a policy of its own takes nothing from anybody who is not named in it.
    topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  #makeAlarm(rule: AlarmRule, metric: IMetric): Alarm {
    const [datapointsToAlarm, evaluationPeriods] = rule.minutes;
    const isAbsence = rule.missing === 'breaching';
    return new Alarm(this, rule.title.replaceAll(/[^A-Za-z]/g, ''), {
      alarmName: nameOf(this, rule),
      alarmDescription: describeAlarm(rule),
      metric,
      threshold: rule.threshold,
      datapointsToAlarm,
      evaluationPeriods,
      comparisonOperator: isAbsence
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: isAbsence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
  }
}

function nameOf(scope: Construct, { id }: AlarmRule): string {
  return `${deploymentName(scope)}-${id}`;
}

function metricOf(scope: Construct, { metric, statistic }: AlarmRule, { lambda }: HandlerFunction): IMetric {
  const every = { statistic, period: Duration.minutes(1) };
  return metric === 'failures' ? lambda.metricErrors(every) : deploymentMetric(scope, metric, every);
}

import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard as CloudwatchDashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { MeasureName } from '../../functions/environment.ts';
import type { Alarms } from './alarms.ts';
import type { HandlerFunction } from './handler-function.ts';
import { deploymentMetric, deploymentName } from './metrics.ts';

export interface DashboardProps {
  readonly alarms: Alarms;
  readonly reconcile: HandlerFunction;
  readonly turnEnd: HandlerFunction;
  readonly turnApi: HandlerFunction;
  readonly webhook: HandlerFunction;
}

/**
 * What runs, waits, is parked and waits for review, how long ticks take, how turns end and what they cost. What has too
 * many values for a metric is read from the log lines when somebody looks.
 */
export class Dashboard extends Construct {
  readonly name: string;

  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { alarms, reconcile, turnEnd, turnApi, webhook } = props;
    this.name = deploymentName(this);
    const gauge = (name: MeasureName) =>
      deploymentMetric(this, name, { statistic: 'Maximum', period: minute });
    const functions = [reconcile, turnEnd, turnApi, webhook].map(({ lambda }) => lambda);
    const told = [reconcile, turnEnd].map(({ logGroup }) => logGroup);
    new CloudwatchDashboard(this, 'Dashboard', {
      dashboardName: this.name,
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms.alarms], width: 24, height: 3 })],
        [
          graph('Turns that run', [gauge('RunningTurns')]),
          graph('Parked issues', [gauge('ParkedIssues')]),
          logs('Waiting for review', told, backlog, LogQueryVisualizationType.LINE),
        ],
        [logs('What waits now, and why', told, waiting, LogQueryVisualizationType.TABLE)],
        [
          graph('A tick takes', [
            reconcile.lambda.metricDuration({ statistic: 'p50', period: minute }),
            reconcile.lambda.metricDuration({ statistic: 'Maximum', period: minute }),
          ]),
          logs('Of that, repair', told, repair, LogQueryVisualizationType.LINE),
          graph(
            'Functions that failed',
            functions.map((lambda) => lambda.metricErrors({ period: Duration.minutes(5) })),
          ),
        ],
        [
          logs('How turns ended', told, endings, LogQueryVisualizationType.TABLE),
          logs('Spend by day, in USD', told, spend, LogQueryVisualizationType.BAR),
          logs('Alarms and refusals', told, troubles, LogQueryVisualizationType.TABLE),
        ],
      ],
    });
  }
}

const minute = Duration.minutes(1);
const size = { width: 8, height: 6 };

const ticks = 'filter fact = "tick-ended"';
const backlog = [ticks, 'stats max(inHandoff) as issues by bin(5m)'];
const reasons = Array.from({ length: 8 }, (_, at) => `waits.${at}`);
const waiting = [`fields @timestamp, ${reasons.join(', ')}`, ticks, 'sort @timestamp desc', 'limit 1'];
const repair = [ticks, 'stats max(repairMs) as repair by bin(5m)'];
const endings = [
  'filter fact = "settled"',
  'fields coalesce(class, "none") as failureClass',
  'stats count(*) as turns by failureClass, outcome',
  'sort turns desc',
];
const spend = ['filter fact = "settled"', 'stats sum(usd) as usd by bin(1d)'];
const troubles = [
  'filter fact in ["alarm", "launch-refused", "parked"]',
  'stats count(*) as times, latest(@timestamp) as last by fact, reason',
  'sort times desc',
];

function graph(title: string, metrics: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...metrics], leftYAxis: { min: 0 }, ...size });
}

function logs(
  title: string,
  groups: readonly ILogGroup[],
  query: readonly string[],
  view: LogQueryVisualizationType,
): LogQueryWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: groups.map(({ logGroupName }) => logGroupName),
    queryLines: [...query],
    view,
    ...size,
  });
}

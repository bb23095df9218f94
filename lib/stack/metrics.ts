import { Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import type { MeasureName } from '../../functions/environment.ts';

/** What ticks measure, told apart by deployment and by nothing else: each further value would be billed anew. */
export function deploymentMetric(of: IConstruct, metricName: MeasureName, options: MetricOptions): Metric {
  return new Metric({
    namespace: 'Evenkeel',
    metricName,
    dimensionsMap: { service: deploymentName(of) },
    ...options,
  });
}

/** Tells a deployment from others of the same account and region. */
export function deploymentName(of: IConstruct): string {
  return Stack.of(of).stackName;
}

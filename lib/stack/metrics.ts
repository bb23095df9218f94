import { Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';

/** What the functions measure, told apart by deployment and by nothing else: each further value would be billed anew. */
export function deploymentMetric(of: IConstruct, metricName: string, options: MetricOptions): Metric {
  return new Metric({
    namespace: 'Evenkeel',
    metricName,
    dimensionsMap: { Deployment: Stack.of(of).stackName },
    ...options,
  });
}

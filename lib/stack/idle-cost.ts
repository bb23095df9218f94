import type { Workflow } from '../core/workflow.ts';
import { DeploymentProblem } from './deployment-problem.ts';
import { prices } from './prices.ts';

export interface CostLine {
  readonly what: string;
  /** How the figure comes about. */
  readonly arithmetic: string;
  /** USD a month. */
  readonly usd: number;
}

interface TemplateOfCost {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

/** An hour's share of a month, and a tick's of a month with one every minute. */
const hoursAMonth = 730;
const ticksAMonth = hoursAMonth * 60;

/** What an idle tick takes, rounded up: its board does not change. */
const tick = { seconds: 2, gb: 0.5, writes: 3, reads: 5, logKb: 4 };

/** What costs nothing for being there. */
const free = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CDK::Metadata',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::ECS::Cluster',
  'AWS::ECS::TaskDefinition',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  // Idle it is empty; a bundle of 10 MB costs 0.0007 USD in its 90 days.
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'Custom::AWS',
]);

/** What costs by the piece, a month. */
const pieces: Readonly<Record<string, readonly [what: string, usd: number]>> = {
  'AWS::CloudWatch::Alarm': ['alarms', prices.alarmMonth],
  'AWS::CloudWatch::Dashboard': ['dashboard', prices.dashboardMonth],
  'AWS::SecretsManager::Secret': ['secret', prices.secretMonth],
  'AWS::EC2::NatGateway': ['NAT gateway', prices.natHour * hoursAMonth],
  'AWS::EC2::EIP': ['public address', prices.publicAddressHour * hoursAMonth],
  'AWS::KMS::Key': ['key', prices.keyMonth],
};

/** What costs by use; `priceTicks` says how much an idle deployment uses. */
const byUse = new Set(['AWS::DynamoDB::GlobalTable', 'AWS::Lambda::Function', 'AWS::Logs::LogGroup']);

/**
 * What a deployment costs a month while no issue is worked on, from its template. Throws for a resource whose price is not
 * known, so that none is forgotten.
 */
export function priceIdle(template: TemplateOfCost): readonly CostLine[] {
  const counts = new Map<string, number>();
  for (const { Type } of Object.values(template.Resources)) counts.set(Type, (counts.get(Type) ?? 0) + 1);
  const unknown = [...counts.keys()].filter(
    (type) => !free.has(type) && !byUse.has(type) && !(type in pieces),
  );
  if (unknown.length > 0) throw new DeploymentProblem(`No price is known for ${unknown.join(', ')}.`);
  const byPiece = Object.entries(pieces).flatMap(([type, [what, usd]]) =>
    line(what, counts.get(type) ?? 0, usd),
  );
  return [...priceTicks(), ...line('metrics', metricsIn(template).size, prices.metricMonth), ...byPiece];
}

/** What an hour of a turn costs, with a public address, without its model. */
export function priceTurnHour(
  { cpu, memory, disk_gib }: Workflow['agent']['task'],
  architecture: keyof typeof prices.taskHour,
): number {
  const hour = prices.taskHour[architecture];
  const disk = (disk_gib - 20) * hour.disk;
  return (cpu / 1_024) * hour.cpu + (memory / 1_024) * hour.memory + disk + prices.publicAddressHour;
}

function line(what: string, count: number, usd: number): readonly CostLine[] {
  return count === 0 ? [] : [{ what, arithmetic: `${count} × ${usd.toFixed(2)}`, usd: count * usd }];
}

function priceTicks(): readonly CostLine[] {
  const { seconds, gb, writes, reads, logKb } = tick;
  const ticks = `${ticksAMonth.toLocaleString('en-US')} ticks`;
  const logGb = (ticksAMonth * logKb) / 1e6;
  // A function that stays warm asks again every five minutes.
  const secretReads = (hoursAMonth * 60) / 5;
  return [
    {
      what: 'ticks',
      arithmetic: `${ticks} × ${seconds} s × ${gb} GB`,
      usd: ticksAMonth * (prices.lambdaRequest + seconds * gb * prices.lambdaGbSecond),
    },
    {
      what: 'ledger',
      arithmetic: `${ticks} × (${writes} writes + ${reads} reads), 0.1 GB`,
      usd:
        ticksAMonth * (writes * prices.tableWrite + reads * prices.tableRead) +
        0.1 * (prices.tableGbMonth + prices.tableBackupGbMonth),
    },
    {
      what: 'logs',
      arithmetic: `${ticks} × ${logKb} KB`,
      usd: logGb * (prices.logGbIn + prices.logGbMonth),
    },
    {
      what: 'reads of the secret',
      arithmetic: `${secretReads.toLocaleString('en-US')} reads`,
      usd: secretReads * prices.secretRead,
    },
  ];
}

/** The metrics of its own that a deployment watches or shows. */
function metricsIn(template: TemplateOfCost): ReadonlySet<string> {
  const text = JSON.stringify(template);
  const watched = [...text.matchAll(/"MetricName":"(\w+)","Namespace":"Evenkeel"/g)];
  const shown = [...text.matchAll(/\\"Evenkeel\\",\\"(\w+)\\"/g)];
  return new Set([...watched, ...shown].map(([, name]) => name ?? ''));
}

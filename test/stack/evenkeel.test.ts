import { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { describe, expect, test } from 'vitest';
import {
  reconcileEnvironmentSchema,
  turnApiEnvironmentSchema,
  turnEndEnvironmentSchema,
  webhookEnvironmentSchema,
} from '../../functions/environment.ts';
import { Evenkeel } from '../../lib/stack/evenkeel.ts';
import {
  deployableWorkflow,
  evenkeelStack,
  resourceOf,
  resourcesOf,
  stubBundles,
  templateOf,
} from '../support/stack-world.ts';

const template = templateOf(evenkeelStack({ maxConcurrentAgents: 7 }));

/** What AWS would put in the place of a reference, as far as the functions can see its form. */
function resolved(of: Template, value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': att, 'Fn::Join': join } = value as Record<string, unknown>;
  if (join !== undefined) {
    const [separator, parts] = join as [string, unknown[]];
    return parts.map((part) => resolved(of, part)).join(separator);
  }
  const id = String(Ref ?? (att as string[])[0]);
  const type = of.toJSON().Resources[id]?.Type as string | undefined;
  const place = 'eu-central-1:123456789012';
  const forms: Record<string, string> = {
    'AWS::ECS::Cluster': `arn:aws:ecs:${place}:cluster/${id}`,
    'AWS::ECS::TaskDefinition': `arn:aws:ecs:${place}:task-definition/${id}:1`,
    'AWS::EC2::Subnet': `subnet-${id}`,
    'AWS::EC2::SecurityGroup': `sg-${id}`,
  };
  return (type && forms[type]) ?? id;
}

function environmentOf(name: string, of = template): Record<string, string> {
  const found = resourcesOf(of, 'AWS::Lambda::Function').find(({ id }) => id.includes(name));
  const variables = (found?.Properties.Environment.Variables ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, resolved(of, value)]));
}

const functionNamed = (name: string) =>
  resourcesOf(template, 'AWS::Lambda::Function').find(({ id }) => id.includes(name))!;
const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

describe('each function', () => {
  test.each([
    ['Reconcile', reconcileEnvironmentSchema],
    ['TurnEnd', turnEndEnvironmentSchema],
    ['TurnApi', turnApiEnvironmentSchema],
    ['Webhook', webhookEnvironmentSchema],
  ])('%s is told what it parses, and nothing else', (name, schema) => {
    expect(schema.safeParse(environmentOf(name)).error).toBeUndefined();
  });

  test('runs on the newest Node, and on the processor that costs less', () => {
    for (const name of ['Reconcile', 'TurnEnd', 'TurnApi', 'Webhook'])
      expect(functionNamed(name).Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
  });

  test('takes no share of the account for itself', () => {
    for (const { Properties } of resourcesOf(template, 'AWS::Lambda::Function'))
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
  });
});

describe('the tick', () => {
  const reconcile = functionNamed('Reconcile');
  const once = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };

  test('comes every minute, once: a missed one is made up for by the next', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: arnOf(reconcile.id), RetryPolicy: once })],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: reconcile.id },
      ...once,
    });
  });

  test('comes early for a hint, on a bus of its own', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: resourceOf(template, 'AWS::Events::EventBus').id },
      EventPattern: { source: ['evenkeel'], 'detail-type': ['Tick Requested'] },
      Targets: [Match.objectLike({ Arn: arnOf(reconcile.id), RetryPolicy: once })],
    });
  });

  test('has more time than it plans for, and less than a minute', () => {
    expect(reconcile.Properties.Timeout).toBe(50);
  });

  test('knows how many turns may run at once', () => {
    expect(environmentOf('Reconcile').EVENKEEL_MAX_CONCURRENT_AGENTS).toBe('7');
  });
});

test('the end of a turn is reported from the one cluster, and not when it is older than 90 seconds', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.ecs'],
      'detail-type': ['ECS Task State Change'],
      detail: {
        clusterArn: [arnOf(resourceOf(template, 'AWS::ECS::Cluster').id)],
        lastStatus: ['STOPPED'],
      },
    },
    Targets: [Match.objectLike({ RetryPolicy: { MaximumEventAgeInSeconds: 90, MaximumRetryAttempts: 1 } })],
  });
});

describe('the address of a deployment', () => {
  const stage = resourceOf(template, 'AWS::ApiGatewayV2::Stage');
  const routes = resourcesOf(template, 'AWS::ApiGatewayV2::Route');

  test('serves deliveries, the calls of turns and the turn program, and nothing else', () => {
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual([
      'GET /turns/{turnId}/program',
      'POST /turns/{turnId}/{call}',
      'POST /webhooks/{source}',
    ]);
  });

  test('limits each route by itself, so that a flood of deliveries leaves turns alone', () => {
    for (const { Properties } of routes)
      expect(stage.Properties.RouteSettings[Properties.RouteKey]).toEqual({
        ThrottlingRateLimit: expect.any(Number),
        ThrottlingBurstLimit: expect.any(Number),
      });
    expect(stage.Properties.DefaultRouteSettings.ThrottlingRateLimit).toBeLessThanOrEqual(10);
  });

  test('is set up after its routes, which its limits name', () => {
    expect(stage.DependsOn).toEqual(expect.arrayContaining(routes.map(({ id }) => id)));
  });

  test('logs who asked for what, and nothing of what was sent', () => {
    const { Format } = stage.Properties.AccessLogSettings;
    expect(Object.keys(JSON.parse(Format))).toEqual([
      'time',
      'requestId',
      'ip',
      'route',
      'status',
      'latencyMs',
      'error',
    ]);
    expect(Format).not.toMatch(/authoriz|header|body|\$context\.path/i);
  });
});

describe('turns run', () => {
  test('without a NAT gateway by default, with addresses of their own', () => {
    template.resourceCountIs('AWS::EC2::NatGateway', 0);
    template.resourceCountIs('AWS::EC2::EIP', 0);
    expect(environmentOf('Reconcile')).toMatchObject({
      EVENKEEL_PUBLIC_IP: 'ENABLED',
      EVENKEEL_SUBNETS: expect.stringMatching(/^subnet-\w+,subnet-\w+$/),
    });
  });

  test('behind one NAT gateway, without addresses of their own', () => {
    const nat = templateOf(evenkeelStack({ network: { kind: 'nat' } }));
    nat.resourceCountIs('AWS::EC2::NatGateway', 1);
    expect(environmentOf('Reconcile', nat)).toMatchObject({
      EVENKEEL_PUBLIC_IP: 'DISABLED',
      EVENKEEL_SUBNETS: expect.stringMatching(/^subnet-\w*tasks\w*,subnet-\w*tasks\w*$/i),
    });
  });

  test.each([
    ['private ones where it has them', { privateSubnetIds: ['subnet-in'] }, 'subnet-in', 'DISABLED'],
    ['public ones otherwise', {}, 'subnet-out', 'ENABLED'],
  ])('in an existing network: in its %s', (_, more, subnets, publicIp) => {
    const elsewhere = new Stack();
    const vpc = Vpc.fromVpcAttributes(elsewhere, 'Vpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['a'],
      publicSubnetIds: ['subnet-out'],
      ...more,
    });
    const existing = templateOf(evenkeelStack({ network: { kind: 'existing', vpc } }));
    existing.resourceCountIs('AWS::EC2::VPC', 0);
    expect(environmentOf('Reconcile', existing)).toMatchObject({
      EVENKEEL_SUBNETS: subnets,
      EVENKEEL_PUBLIC_IP: publicIp,
    });
  });

  test('on spot capacity, too, for which the cluster is ready', () => {
    expect(resourceOf(template, 'AWS::ECS::Cluster').Properties.CapacityProviders).toEqual([
      'FARGATE',
      'FARGATE_SPOT',
    ]);
  });

  test('in an image of your own, for the processor that it is for', () => {
    const own = templateOf(evenkeelStack({ image: 'ghcr.io/acme/agent@sha256:0', architecture: 'x86_64' }));
    const task = resourceOf(own, 'AWS::ECS::TaskDefinition').Properties;
    expect(task.ContainerDefinitions[0].Image).toBe('ghcr.io/acme/agent@sha256:0');
    expect(task.RuntimePlatform.CpuArchitecture).toBe('X86_64');
  });

  test('with time for a last push after they are stopped', () => {
    const [container] = resourceOf(template, 'AWS::ECS::TaskDefinition').Properties.ContainerDefinitions;
    expect(container).toMatchObject({ StopTimeout: 120, Essential: true });
  });
});

test('an existing secret is read by its name, and none is made', () => {
  const own = templateOf(evenkeelStack({ secretName: 'acme/evenkeel' }));
  own.resourceCountIs('AWS::SecretsManager::Secret', 0);
  expect(environmentOf('Webhook', own).EVENKEEL_SECRET).toBe('acme/evenkeel');
  expect(JSON.stringify(resourcesOf(own, 'AWS::IAM::Policy'))).toContain(':secret:acme/evenkeel-??????');
});

test("a second deployment in the same stack is refused: alarms, dashboard and measures have the stack's name", () => {
  const stack = evenkeelStack();
  const more = { workflows: [deployableWorkflow({ tracker: { project: 'acme/shop' } })] };
  expect(() => new Evenkeel(stack, 'Second', { ...more, bundles: stubBundles() })).toThrow(
    /A stack holds one deployment, and Keel\/Evenkeel is in Keel already; give Keel\/Second a stack of its own/,
  );
  const own = new Stack(stack, 'Own');
  expect(() => new Evenkeel(own, 'Second', { ...more, bundles: stubBundles() })).not.toThrow();
});

test('an existing network without a way to the internet is refused with what to do', () => {
  const vpc = Vpc.fromVpcAttributes(new Stack(), 'Own', {
    vpcId: 'vpc-12345678',
    availabilityZones: ['eu-central-1a'],
    isolatedSubnetIds: ['subnet-1'],
  });
  expect(() => evenkeelStack({ network: { kind: 'existing', vpc } })).toThrow(
    /no subnet that tasks could use: none with a way to the internet\. Take another network/,
  );
});

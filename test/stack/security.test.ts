import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import type { EvenkeelProps } from '../../lib/stack/evenkeel.ts';
import { evenkeelStack, resourceOf, resourcesOf, templateOf } from '../support/stack-world.ts';

const stack = evenkeelStack();
const template = templateOf(stack);
const image = '123456789012.dkr.ecr.eu-central-1.amazonaws.com/team/agent:7';
const withPrivateImage = evenkeelStack({ image, secretName: 'acme/evenkeel', tableName: 'restored' });

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What each role may do, by the start of the role's name. */
function statementsOf(of = template): readonly (Statement & { readonly role: string })[] {
  return resourcesOf(of, 'AWS::IAM::Policy').flatMap(({ Properties }) =>
    (Properties.PolicyDocument.Statement as readonly Statement[]).map((statement) => ({
      ...statement,
      role: String(Properties.Roles[0].Ref),
    })),
  );
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const actionsOf = (role: string) =>
  statementsOf()
    .filter((statement) => statement.role.includes(role))
    .flatMap(({ Action }) => listed(Action))
    .filter((action) => !String(action).startsWith('logs:'))
    .sort();

describe('no role', () => {
  test('may do everything of a service', () => {
    const wide = statementsOf().filter(({ Action }) => listed(Action).some((one) => /\*/.test(String(one))));
    expect(wide).toEqual([]);
  });

  test.each([
    ['by default', template],
    ['with an image in a private registry', templateOf(withPrivateImage)],
  ])('may do something to everything, save what IAM knows no resource for, %s', (_, of) => {
    const wide = statementsOf(of).filter(({ Resource }) => listed(Resource).includes('*'));
    const cluster = { 'Fn::GetAtt': [expect.stringContaining('Cluster'), 'Arn'] };
    for (const { Action, Condition } of wide) {
      if (Action === 'ecr:GetAuthorizationToken') continue;
      expect({ Action, Condition }).toEqual({
        Action: 'ecs:ListTasks',
        Condition: { ArnEquals: { 'ecs:cluster': cluster } },
      });
    }
  });

  test('names a resource by a pattern, save the tasks of the one cluster and the bundles of the one bucket', () => {
    const patterns = statementsOf()
      .flatMap(({ Resource }) => listed(Resource))
      .filter((resource) => resource !== '*' && JSON.stringify(resource).includes('*'));
    for (const pattern of patterns)
      expect(JSON.stringify(pattern)).toMatch(
        /:task\/",\{"Ref":"EvenkeelAgentsCluster[0-9A-F]+"\},"\/\*"\]\]\}$|"EvenkeelWorkBucket[0-9A-F]+","Arn"\]\},"\/turns\/\*"\]\]\}$/,
      );
    expect(patterns.length).toBeGreaterThan(0);
  });

  test('has a policy that somebody else keeps', () => {
    for (const { Properties } of resourcesOf(template, 'AWS::IAM::Role'))
      expect(Properties.ManagedPolicyArns).toBeUndefined();
  });
});

describe('each function', () => {
  test('has a role of its own', () => {
    const roles = resourcesOf(template, 'AWS::Lambda::Function').map(({ Properties }) =>
      JSON.stringify(Properties.Role),
    );
    expect(new Set(roles).size).toBe(roles.length);
    expect(roles).toHaveLength(5);
  });

  const ledger = [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ];
  test.each<[string, readonly string[]]>([
    [
      'Reconcile',
      [
        'dynamodb:BatchGetItem',
        'dynamodb:DeleteItem',
        ...ledger.slice(1),
        'ecs:DescribeTasks',
        'ecs:ListTasks',
        'ecs:RunTask',
        'ecs:StopTask',
        'events:PutEvents',
        'iam:PassRole',
        'secretsmanager:GetSecretValue',
      ],
    ],
    ['TurnEndRole', [...ledger, 'ecs:DescribeTasks', 'events:PutEvents', 'secretsmanager:GetSecretValue']],
    ['TurnApi', [...ledger, 's3:PutObject', 'secretsmanager:GetSecretValue']],
    ['Webhook', ['dynamodb:UpdateItem', 'events:PutEvents', 'secretsmanager:GetSecretValue']],
    ['TickRecordRole', ['dynamodb:PutItem']],
    ['ExecutionRole', []],
  ])('%s may do what it does and nothing else', (role, actions) => {
    expect(actionsOf(role)).toEqual(actions);
  });

  test('that anybody may call touches no lease, turn or history: only the partition of the tick record', () => {
    const conditions = statementsOf()
      .filter(
        ({ role, Action }) => role.includes('Webhook') && listed(Action).includes('dynamodb:UpdateItem'),
      )
      .map(({ Condition }) => Condition);
    expect(conditions).toEqual([{ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['EVENKEEL'] } }]);
  });

  test('that forgets leases deletes nothing else', () => {
    const deleting = statementsOf().filter(({ Action }) => listed(Action).includes('dynamodb:DeleteItem'));
    expect(deleting).toEqual([
      expect.objectContaining({
        role: expect.stringContaining('Reconcile'),
        Action: 'dynamodb:DeleteItem',
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['EVENKEEL#*'] } },
      }),
    ]);
  });

  test('that starts turns passes one role on, to tasks only', () => {
    const passing = statementsOf().filter(({ Action }) => listed(Action).includes('iam:PassRole'));
    expect(passing).toEqual([
      expect.objectContaining({
        Action: 'iam:PassRole',
        Resource: { 'Fn::GetAtt': [expect.stringContaining('ExecutionRole'), 'Arn'] },
        Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
    ]);
  });

  test('that starts turns starts one revision, in one cluster', () => {
    const [run, ...more] = statementsOf().filter(({ Action }) => listed(Action).includes('ecs:RunTask'));
    expect(more).toEqual([]);
    expect(run?.Resource).toEqual({ Ref: expect.stringMatching(/^EvenkeelAgentsTurn/) });
    expect(run?.Condition).toEqual({
      ArnEquals: { 'ecs:cluster': { 'Fn::GetAtt': [expect.any(String), 'Arn'] } },
    });
  });
});

describe('a turn', () => {
  const task = resourceOf(template, 'AWS::ECS::TaskDefinition');

  test('has no role, so that it has no AWS credential', () => {
    expect(task.Properties).not.toHaveProperty('TaskRoleArn');
    expect(task.Properties.ExecutionRoleArn).toBeDefined();
  });

  test('cannot be logged into', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/ExecuteCommand|ssmmessages/);
  });

  test('is not privileged and shares nothing with its host', () => {
    const text = JSON.stringify(task.Properties);
    expect(text).not.toMatch(/"Privileged":true|"PidMode"|"IpcMode"|"HostPath"|SYS_PTRACE/);
  });

  test('finds an address, a hash, a choice and a number in its definition, and no secret', () => {
    const [container] = task.Properties.ContainerDefinitions;
    expect(container.Secrets).toBeUndefined();
    expect(container.Environment.map(({ Name }: { Name: string }) => Name)).toEqual([
      'EVENKEEL_TURN_API',
      'EVENKEEL_TURN_PROGRAM_SHA256',
      'EVENKEEL_OUTPUT',
      'EVENKEEL_AGENT_UID',
    ]);
  });

  test('is root, so that its program can make its agent another user, whatever the image says', () => {
    const uidOf = (props: Partial<EvenkeelProps>) => {
      const [container] = resourceOf(templateOf(evenkeelStack(props)), 'AWS::ECS::TaskDefinition').Properties
        .ContainerDefinitions;
      expect(container.User).toBe('0');
      return container.Environment.find(({ Name }: { Name: string }) => Name === 'EVENKEEL_AGENT_UID').Value;
    };
    expect(uidOf({})).toBe('1000');
    expect(uidOf({ image: 'example.com/tools:1', agentUid: 4711 })).toBe('4711');
    for (const agentUid of [0, -1, 1.5, Number.NaN, 1_000_000_000])
      expect(() => evenkeelStack({ agentUid })).toThrow(/agentUid is .*a user other than root/);
  });

  test('cannot be connected to', () => {
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
    for (const { Properties } of resourcesOf(template, 'AWS::EC2::SecurityGroup'))
      expect(Properties.SecurityGroupIngress).toBeUndefined();
  });
});

describe('what is kept', () => {
  test('in the ledger is protected, can be restored, and outlives the stack', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        Replicas: [
          {
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      },
    });
  });

  test('in logs ends: each group is named and has a retention, and none is made on the way', () => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(30);
    for (const { Properties } of resourcesOf(template, 'AWS::Lambda::Function'))
      expect(groups.map(({ id }) => id)).toContain(Properties.LoggingConfig.LogGroup.Ref);
    const opening = statementsOf().flatMap(({ Action }) => listed(Action));
    expect(opening).not.toContain('logs:CreateLogGroup');
  });

  test('as secret has no value in the template', () => {
    const secret = resourceOf(template, 'AWS::SecretsManager::Secret');
    expect(secret.Properties.SecretString).toBeUndefined();
    expect(secret.Properties.GenerateSecretString).toMatchObject({
      GenerateStringKey: 'ticketSecret',
      PasswordLength: 64,
    });
    for (const { Properties } of resourcesOf(template, 'AWS::Lambda::Function'))
      expect(JSON.stringify(Properties.Environment ?? {})).not.toContain('{{resolve:');
  });
});

describe('the rules of AwsSolutions find', () => {
  const findingsIn = (of: typeof stack) =>
    new AwsSolutionsChecks(of)
      .validateScope(of)
      .violations.map(
        ({ ruleName, violatingResources }) =>
          `${ruleName} ${violatingResources.map(({ constructPath }) => constructPath).join(' ')}`,
      );

  test.each([
    ['by default', stack],
    ['with a NAT gateway', evenkeelStack({ network: { kind: 'nat' } })],
    ['with an image in a private registry, a secret and a table of its own', withPrivateImage],
  ])('nothing that is not explained, %s', (_, of) => {
    expect(findingsIn(of)).toEqual([]);
  });
});

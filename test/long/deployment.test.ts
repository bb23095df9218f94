import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ECSClient } from '@aws-sdk/client-ecs';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { fargate } from '../../lib/adapters/fargate/fargate.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { s3Settings, s3WorkStore } from '../../lib/adapters/s3/s3-work-store.ts';
import type { Arn, BoardId, TurnId } from '../../lib/core/issue.ts';
import { launch, launchRequest, stateOf } from '../contracts/describe-runner.ts';
import { aSettlement } from '../support/ledger-records.ts';
import { type MotoAccount, motoAccount, motoMissing } from '../support/moto/moto-account.ts';
import { evenkeel as evenkeelProgram, runCli } from '../support/run-cli.ts';

// biome-ignore lint/suspicious/noExplicitAny: the command line answers with every shape.
type Answer = any;

const assembly = mkdtempSync(join(tmpdir(), 'evenkeel-synth-'));
const template = join(assembly, 'evenkeel.template.json');

beforeAll(() => {
  const app = `${process.execPath} --import tsx bin/app.ts`;
  const env = { PATH: process.env.PATH, HOME: assembly, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  execFileSync('node_modules/.bin/cdk', ['synth', '--quiet', '--app', app, '--output', assembly], { env });
});

describe('a synthesised template', () => {
  test("has nothing that CloudFormation's own schemas refuse", () => {
    // Written when the template was checked; what is wrong also fails the synth.
    const { pluginReports } = JSON.parse(readFileSync(join(assembly, 'validation-report.json'), 'utf8'));
    expect(pluginReports).toEqual([]);
  });

  const cfnLint = spawnSync('cfn-lint', ['--version']).status === 0;
  test.skipIf(!cfnLint)('has nothing that cfn-lint finds (needs cfn-lint)', () => {
    // The CDK names dependencies that references imply.
    const { status, stdout } = spawnSync('cfn-lint', ['-i', 'W3005', '-t', template], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});

const missing = motoMissing();
describe.skipIf(missing !== undefined)(
  'a deployment to moto (needs python3 with moto, and the AWS CLI)',
  () => {
    let account: MotoAccount;
    let left: readonly string[];
    let names: Readonly<Record<string, string>>;
    beforeAll(async () => {
      account = await motoAccount();
      left = await account.deploy(assembly, 'evenkeel');
      const answer: Answer = await account.aws(
        'cloudformation',
        'describe-stack-resources',
        '--stack-name',
        'evenkeel',
      );
      names = Object.fromEntries(
        answer.StackResources.map((one: Record<string, string>) => [
          one.LogicalResourceId,
          one.PhysicalResourceId,
        ]),
      );
    });
    afterAll(() => account?.stop());

    const nameOf = (part: string): string => {
      const found = Object.entries(names).find(([id]) => id.startsWith(part))?.[1];
      if (found === undefined) throw new Error(`nothing was created whose id begins with ${part}`);
      return found;
    };
    const place = () => ({
      endpoint: account.env.AWS_ENDPOINT_URL!,
      region: account.env.AWS_REGION!,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const ask = (...args: readonly string[]): Promise<Answer> => account.aws(...args);

    test('leaves out only what moto does not know', () => {
      expect(left).toEqual([
        'AWS::ApiGatewayV2::Api',
        'AWS::ApiGatewayV2::Integration',
        'AWS::ApiGatewayV2::Route',
        'AWS::ApiGatewayV2::Stage',
        'AWS::CDK::Metadata',
        'AWS::CloudWatch::Alarm',
        'AWS::Lambda::EventInvokeConfig',
        'AWS::S3::BucketPolicy',
        'AWS::SNS::TopicPolicy',
        'AWS::SecretsManager::Secret',
        'Custom::AWS',
      ]);
    });

    test('creates the table with the keys of the ledger, on demand and protected', async () => {
      const { Table } = await ask(
        'dynamodb',
        'describe-table',
        '--table-name',
        nameOf('EvenkeelLedgerTable'),
      );
      expect(Table).toMatchObject({
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
        DeletionProtectionEnabled: true,
      });
    });

    test('creates a bucket that takes a bundle at the address that is signed for it', async () => {
      const bucket = nameOf('EvenkeelWorkBucket');
      const store = s3WorkStore({
        client: new S3Client({ ...s3Settings, ...place(), forcePathStyle: true }),
        bucket,
      });
      const offered = await store.offer('1-abc' as TurnId, 5);
      if (offered === 'none') throw new Error('no place was offered');
      expect((await fetch(offered.uploadUrl, { method: 'PUT', body: 'bytes' })).status).toBe(200);
      const key = 'turns/1-abc.bundle';
      const head = await ask('s3api', 'head-object', '--bucket', bucket, '--key', key);
      expect(head).toMatchObject({ ContentLength: 5 });
    });

    test('ticks every minute, and for hints on a bus of its own', async () => {
      const reconcile = await ask(
        'lambda',
        'get-function-configuration',
        '--function-name',
        nameOf('EvenkeelTicksReconcileFunction'),
      );
      const arn = reconcile.FunctionArn;
      const { Rules } = await ask('events', 'list-rules');
      const minute = Rules.find((rule: Answer) => rule.ScheduleExpression === 'rate(1 minute)');
      expect(minute).toMatchObject({ State: 'ENABLED' });
      const targets = await ask('events', 'list-targets-by-rule', '--rule', minute.Name);
      expect(targets.Targets).toMatchObject([
        { Arn: arn, RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
      ]);
      const { EventBuses } = await ask('events', 'list-event-buses');
      const bus = EventBuses.find(({ Name }: Answer) => Name !== 'default');
      const hints = await ask('events', 'list-rules', '--event-bus-name', bus.Name);
      expect(hints.Rules.map(({ EventPattern }: Answer) => JSON.parse(EventPattern))).toEqual([
        { source: ['evenkeel'], 'detail-type': ['Tick Requested'] },
      ]);
    });

    test('creates the functions on the newest Node with their code and their log groups', async () => {
      for (const name of [
        'EvenkeelTicksReconcile',
        'EvenkeelEndsTurnEnd',
        'EvenkeelTurnsTurnApi',
        'EvenkeelDeliveriesWebhook',
      ]) {
        const configuration = await ask(
          'lambda',
          'get-function-configuration',
          '--function-name',
          nameOf(`${name}Function`),
        );
        expect(configuration).toMatchObject({ Runtime: 'nodejs24.x', Handler: 'index.handler' });
        expect(configuration.CodeSize).toBeGreaterThan(10_000);
        expect(configuration.Environment.Variables.EVENKEEL_TABLE).toBe(nameOf('EvenkeelLedgerTable'));
      }
      const { logGroups } = await ask('logs', 'describe-log-groups');
      expect(logGroups.map(({ retentionInDays }: Answer) => retentionInDays)).toEqual(Array(7).fill(30));
    });

    test('registers a task without a role, and a group that lets nothing in', async () => {
      const { taskDefinition } = await ask(
        'ecs',
        'describe-task-definition',
        '--task-definition',
        nameOf('EvenkeelAgentsTurn5'),
      );
      expect(taskDefinition.containerDefinitions).toMatchObject([{ name: 'turn', entryPoint: ['node'] }]);
      expect(taskDefinition.taskRoleArn).toBeUndefined();
      const group = await ask(
        'ec2',
        'describe-security-groups',
        '--group-ids',
        nameOf('EvenkeelAgentsNetworkTasks'),
      );
      expect(group.SecurityGroups[0].IpPermissions).toEqual([]);
    });

    test('launches, sees, lists and stops a task by the requests that a deployment makes', async () => {
      const environment = await ask(
        'lambda',
        'get-function-configuration',
        '--function-name',
        nameOf('EvenkeelTicksReconcileFunction'),
      );
      const told = environment.Environment.Variables;
      const client = new ECSClient(place());
      const runner = fargate({
        client,
        launcher: client,
        cluster: told.EVENKEEL_CLUSTER,
        target: {
          taskDefinition: told.EVENKEEL_TASK_DEFINITION,
          container: told.EVENKEEL_CONTAINER,
          subnets: told.EVENKEEL_SUBNETS.split(','),
          securityGroups: told.EVENKEEL_SECURITY_GROUPS.split(','),
          publicIp: told.EVENKEEL_PUBLIC_IP,
        },
        clock: systemClock(),
      });
      const request = launchRequest({ task: { cpu: 2_048, memory: 8_192, spot: false, disk_gib: 50 } });
      const arn = await launch(runner, request);
      expect(await stateOf(runner, arn)).toEqual({ kind: 'running' });
      const { task: _task, ticket: _ticket, ...facts } = request;
      expect(await runner.list()).toEqual([{ ...facts, arn }]);
      const { tasks } = await ask(
        'ecs',
        'describe-tasks',
        '--cluster',
        told.EVENKEEL_CLUSTER,
        '--tasks',
        arn,
      );
      expect(tasks).toMatchObject([
        {
          startedBy: request.turnId,
          launchType: 'FARGATE',
          overrides: { cpu: '2048', memory: '8192', ephemeralStorage: { sizeInGiB: 50 } },
        },
      ]);
      await runner.stop(arn);
      expect(await stateOf(runner, arn)).toMatchObject({ kind: 'stopped', evidence: { arn } });
      expect(await runner.list()).toEqual([]);
    });

    // Its own tables and logs, and a command line that knows of it nothing but the stack's name.
    const evenkeel = (...args: readonly string[]) =>
      runCli([...args, '--stack', 'evenkeel'], { cwd: assembly, env: account.env });

    test('is asked by the name of its stack', async () => {
      // What makes the record of ticks is one of the things that moto does not know.
      expect(await evenkeel('bootstrap')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('The tick record is put, closed.'),
      });
      expect(await evenkeel('pause')).toMatchObject({ code: 0, stdout: 'Paused github:acme/web.\n' });
      expect(await evenkeel('history')).toMatchObject({ code: 0, stderr: 'No turn has ended yet.\n' });
    });

    test('tells what a turn printed', async () => {
      const arn = 'arn:aws:ecs:eu-central-1:123456789012:task/agents/0123456789abcdef' as Arn;
      const ledger = dynamodbLedger({
        client: dynamodbClient(place()),
        table: nameOf('EvenkeelLedgerTable'),
      });
      await ledger.putHistory(aSettlement({ board: 'github:acme/web' as BoardId, arn }));
      const stream = [
        '--log-group-name',
        nameOf('EvenkeelAgentsTurnLogs'),
        '--log-stream-name',
        'turn/turn/0123456789abcdef',
      ];
      await account.run('aws', ['logs', 'create-log-stream', ...stream]);
      const events = [1, 2, 3].map((at) => ({ timestamp: Date.now() + at, message: `line ${at}` }));
      await account.run('aws', ['logs', 'put-log-events', ...stream, '--log-events', JSON.stringify(events)]);
      expect(await evenkeel('logs', 'web#1')).toMatchObject({
        code: 0,
        stdout: '==> runner.log <==\nline 1\nline 2\nline 3\n',
      });
    });

    /** Does what the page on operating says in the code that each of these matches, or what is given, by its means. */
    const doAsOperatingSays = (...steps: readonly (RegExp | string)[]): Promise<string> => {
      const page = readFileSync('docs/operating.md', 'utf8');
      const code = [/```sh\n(STACK=[\s\S]*?)```/, ...steps].map((step) =>
        typeof step === 'string' ? step : step.exec(page)![1],
      );
      const program = `evenkeel() { ${process.execPath} ${evenkeelProgram} "$@"; }\n`;
      return account.run('bash', ['-euc', program + code.join('')]);
    };

    test('is asked for facts as the page on operating says', async () => {
      const stream = ['--log-group-name', nameOf('EvenkeelEndsTurnEndLogs'), '--log-stream-name', 'one'];
      await account.run('aws', ['logs', 'create-log-stream', ...stream]);
      const events = [{ timestamp: Date.now() - 60_000, message: 'it was settled' }];
      await account.run('aws', ['logs', 'put-log-events', ...stream, '--log-events', JSON.stringify(events)]);
      expect(await doAsOperatingSays("facts 'fields @message | limit 5'")).toContain('it was settled');
    });

    test('gets a backup ready to be used by what the page on operating says', async () => {
      const restored = 'evenkeel-ledger-restored';
      const table = nameOf('EvenkeelLedgerTable');
      const before = await ask('dynamodb', 'scan', '--table-name', table);
      const told = await doAsOperatingSays(
        /### Restoring[\s\S]*?```sh\n([\s\S]*?)```/,
        /### Restoring[\s\S]*?```sh\n[\s\S]*?```sh\n([\s\S]*?)```/,
      );
      expect(told).toContain(`The ledger in ${restored} is closed, under a new generation.`);
      const { Table } = await ask('dynamodb', 'describe-table', '--table-name', restored);
      expect(Table).toMatchObject({ DeletionProtectionEnabled: true });
      const after = await ask('dynamodb', 'scan', '--table-name', restored);
      const isTick = ({ sk }: Answer) => sk.S === 'TICK';
      expect(after.Items.filter((one: Answer) => !isTick(one))).toEqual(
        before.Items.filter((one: Answer) => !isTick(one)),
      );
      const [was, is] = [before, after].map(({ Items }) => Items.find(isTick));
      expect(is.gen.S).not.toBe(was.gen.S);
      expect(is.epoch).toBeUndefined();
      expect(await ask('dynamodb', 'scan', '--table-name', table)).toMatchObject({ Items: before.Items });
    });

    test('gets its lost table back by what the page on operating says', async () => {
      const table = nameOf('EvenkeelLedgerTable');
      const change = ['dynamodb', 'update-table', '--table-name', table, '--no-deletion-protection-enabled'];
      await account.run('aws', change);
      await account.run('aws', ['dynamodb', 'delete-table', '--table-name', table]);
      expect(await evenkeel('history')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`its table ${table} does not exist any more`),
      });
      const told = await doAsOperatingSays(/\*The table is gone\.\*[\s\S]*?```sh\n([\s\S]*?)```/);
      expect(told).toContain('The tick record is put, closed.');
      expect(await evenkeel('history')).toMatchObject({ code: 0 });
      const { Table } = await ask('dynamodb', 'describe-table', '--table-name', table);
      expect(Table).toMatchObject({ DeletionProtectionEnabled: true });
    });
  },
);

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programVersion } from '../../../lib/host/program-version.ts';
import { type AskedStack, askedStack, askedTable } from '../../support/aws/asked-stack.ts';
import { notAllowed } from '../../support/aws/cloudformation-server.ts';
import { startJsonService } from '../../support/aws/json-service.ts';

let asked: AskedStack;
beforeEach(async () => {
  asked = await askedStack();
  await asked.openLedger();
});
afterEach(() => asked.dispose());

const onStack = (...args: readonly string[]) => [...args, '--stack', 'keel'];

/** What a command that must fail says. */
async function complaintOf(args: readonly string[], more: Readonly<Record<string, string | undefined>> = {}) {
  const { code, stdout, stderr } = await asked.runHere(args, more);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^evenkeel: .*\n$/);
  return stderr;
}

describe('a command says what is the matter, and what to do,', () => {
  test('without credentials', async () => {
    const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
    expect(await complaintOf(onStack('history'), none)).toMatch(
      /No AWS credentials were found .*--profile, or set AWS_ACCESS_KEY_ID/,
    );
  });

  test('without a region', async () => {
    expect(await complaintOf(onStack('history'), { AWS_REGION: undefined })).toContain(
      'No AWS region is known. Name one with --region, or set AWS_REGION.',
    );
  });

  test('with a profile that is not there', async () => {
    const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
    expect(await complaintOf([...onStack('history'), '--profile', 'other'], none)).toContain(
      'No AWS credentials were found for the profile other (',
    );
  });

  test('with a stack that is not there', async () => {
    const said = await complaintOf(['history', '--stack', 'other']);
    expect(said).toContain('There is no stack called other in this account and region.');
    expect(said).toContain('--region and --profile choose another place');
  });

  test('with a stack of another version', async () => {
    const stack = asked.cloudformation.stacks.get('keel')!;
    const template = stack.template.replace(`"version": "${programVersion}"`, '"version": "0.0.1"');
    asked.cloudformation.stacks.set('keel', { ...stack, template });
    expect(await complaintOf(onStack('history'))).toContain(
      `The stack keel was deployed by evenkeel 0.0.1 and this is ${programVersion}. Use that version, or deploy again with this one.`,
    );
  });

  test.each([
    ['that holds something else', { status: 'CREATE_COMPLETE', outputs: {}, template: 'Resources: {}' }],
    ['that was not made to its end', { status: 'ROLLBACK_COMPLETE', outputs: {}, template: '{}' }],
  ])('with a stack %s', async (_, stack) => {
    asked.cloudformation.stacks.set('keel', stack);
    expect(await complaintOf(onStack('history'))).toContain(
      `The stack keel (${stack.status}) holds no deployment that this version of evenkeel can read: output TableName, output ClusterArn`,
    );
  });

  test('with a table that was deleted', async () => {
    await asked.dynalite.client.send(new DeleteTableCommand({ TableName: askedTable }));
    for (const args of [['history'], ['plan'], ['pause'], ['logs', 'web#1'], ['bootstrap']])
      expect(await complaintOf(onStack(...args)), args.join(' ')).toContain(
        `The ledger of the stack keel is gone: its table ${askedTable} does not exist any more.`,
      );
  });

  test('without access to the board', async () => {
    for (const args of [['plan'], ['status'], ['explain', 'web#1']])
      expect(await complaintOf(onStack(...args), { GITHUB_TOKEN: undefined })).toMatch(
        /GITHUB_TOKEN is not set: .*read as you\. Set it to a token that may read acme\/web; nothing is written/,
      );
  });

  test('when AWS does not answer', async () => {
    const nobody = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
    expect(await complaintOf(onStack('history'), nobody)).toMatch(
      /AWS does not answer in eu-west-1 \(.*\)\. Ask again; .*the region/,
    );
  });

  test('when the credentials are refused', async () => {
    const service = await startJsonService({
      GetItem: () => {
        throw new Error('UnrecognizedClientException', {
          cause: 'The security token included in the request is invalid.',
        });
      },
    });
    expect(await complaintOf(onStack('plan'), { AWS_ENDPOINT_URL_DYNAMODB: service.endpoint })).toMatch(
      /AWS refuses the credentials \(.*invalid\.\)\. Log in again/,
    );
    await service.stop();
  });
});

describe('a missing permission is named:', () => {
  test.each(['DescribeStacks', 'GetTemplate'])('cloudformation:%s', async (call) => {
    asked.cloudformation.faults.set(call, [403, 'AccessDenied', notAllowed('cloudformation', call)]);
    expect(await complaintOf(onStack('history'))).toContain(
      `The AWS credentials in use may not do cloudformation:${call} (`,
    );
  });

  const denying = (service: string, call: string, others: Parameters<typeof startJsonService>[0] = {}) =>
    startJsonService({
      ...others,
      [call]: () => {
        throw new Error('AccessDeniedException', { cause: notAllowed(service, call) });
      },
    });

  test.each([
    ['GetItem', ['plan']],
    ['Query', ['history']],
    ['UpdateItem', ['bootstrap']],
  ])('dynamodb:%s', async (call, args) => {
    const service = await denying('dynamodb', call);
    expect(await complaintOf(onStack(...args), { AWS_ENDPOINT_URL_DYNAMODB: service.endpoint })).toContain(
      `The AWS credentials in use may not do dynamodb:${call} (`,
    );
    await service.stop();
  });

  test('logs:GetLogEvents', async () => {
    const issue = await asked.addIssue();
    await asked.runTurn(issue);
    const service = await denying('logs', 'GetLogEvents');
    expect(
      await complaintOf(onStack('logs', issue.key), {
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: service.endpoint,
      }),
    ).toContain('The AWS credentials in use may not do logs:GetLogEvents (');
    await service.stop();
  });

  test('cloudwatch:DescribeAlarms, beside a status without alarms', async () => {
    const service = await denying('cloudwatch', 'DescribeAlarms');
    const { code, stdout, stderr } = await asked.runHere([...onStack('status'), '--json'], {
      AWS_ENDPOINT_URL_CLOUDWATCH: service.endpoint,
    });
    expect({ code, alarms: JSON.parse(stdout).alarms }).toEqual({ code: 0, alarms: null });
    expect(stderr).toMatch(/^evenkeel: The alarms could not be read: .*cloudwatch:DescribeAlarms.*\n$/);
    await service.stop();
  });

  test.each(['DescribeTasks', 'ListTasks'])(
    'ecs:%s, once, beside a plan that knows nothing of what runs',
    async (call) => {
      const { arn } = await asked.runTurn(await asked.addIssue());
      const service = await denying('ecs', call, {
        ListTasks: () => ({ taskArns: [arn] }),
        DescribeTasks: () => ({ failures: [{ arn, reason: 'MISSING' }] }),
      });
      const { code, stdout, stderr } = await asked.runHere(onStack('status'), {
        AWS_ENDPOINT_URL_ECS: service.endpoint,
      });
      expect(code).toBe(0);
      expect(stdout).toContain('1 running');
      expect(stderr).toMatch(/^evenkeel: What runs could not be seen: .*\n$/);
      expect(stderr).toContain(`ecs:${call}`);
      await service.stop();
    },
  );
});

describe('a ledger that is not open', () => {
  test('is told beside the plan: there is no record', async () => {
    const { client } = asked.dynalite;
    await client.send(new DeleteTableCommand({ TableName: askedTable }));
    await asked.makeTable();
    const { code, stderr } = await asked.runHere(onStack('plan'));
    expect(code).toBe(0);
    expect(stderr).toContain('`evenkeel bootstrap --stack keel` puts it');
  });

  test('is told beside the plan: the record is closed', async () => {
    await asked.dynalite.client.send(new DeleteTableCommand({ TableName: askedTable }));
    await asked.makeTable();
    await asked.runHere(onStack('bootstrap'));
    const { stderr } = await asked.runHere(onStack('status'));
    expect(stderr).toMatch(/^evenkeel: The ledger is closed, so that nothing starts yet: .*\n$/);
  });
});

test('a profile brings credentials and region, as with the AWS CLI', async () => {
  await mkdir(join(asked.cwd, '.aws'));
  const profile = 'aws_access_key_id = test\naws_secret_access_key = test\nregion = eu-west-1\n';
  await writeFile(join(asked.cwd, '.aws', 'config'), `[profile me]\n${profile}`);
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_REGION: undefined };
  expect(await asked.run([...onStack('history'), '--profile', 'me'], none)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No turn has ended yet.\n',
  });
});

test('the region may be named as the AWS CLI names it, and by an option', async () => {
  for (const [more, args] of [
    [{ AWS_REGION: undefined, AWS_DEFAULT_REGION: 'eu-west-1' }, []],
    [{ AWS_REGION: undefined }, ['--region', 'eu-west-1']],
  ] as const)
    expect(await asked.runHere([...onStack('history'), ...args], more)).toMatchObject({ code: 0 });
});

test.each([
  ['--region without a stack', ['status', '--region', 'eu-west-1'], /name it with --stack/],
  ['--profile without a stack', ['pause', '--profile', 'me'], /name it with --stack/],
  [
    'a workflow file for a stack that has its own',
    ['status', '--stack', 'keel', '--workflow', 'W.md'],
    /--workflow is for this machine/,
  ],
  ['bootstrap without a stack', ['bootstrap'], /required option '--stack <name>' not specified/],
  ['a tick of a stack, which ticks by itself', ['tick', '--stack', 'keel'], /unknown option '--stack'/],
])('wrong usage: %s', async (_, args, message) => {
  const { code, stdout, stderr } = await asked.runHere(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

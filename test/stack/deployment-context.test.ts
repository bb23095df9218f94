import { describe, expect, test } from 'vitest';
import { readContext } from '../../lib/stack/deployment-context.ts';

describe('the context of a deployment', () => {
  test('needs nothing', () => {
    expect(readContext({ 'aws:cdk:version-reporting': true })).toEqual({
      stack: 'evenkeel',
      network: 'public',
    });
  });

  test('is read alike from the command line and from cdk.json', () => {
    const fromCommandLine = {
      workflows: 'a/WORKFLOW.md, b/WORKFLOW.md',
      maxConcurrentAgents: '0',
      logRetentionDays: '90',
      agentUid: '1001',
    };
    const fromFile = {
      workflows: ['a/WORKFLOW.md', 'b/WORKFLOW.md'],
      maxConcurrentAgents: 0,
      logRetentionDays: 90,
      agentUid: 1001,
    };
    expect(readContext(fromCommandLine)).toEqual(readContext(fromFile));
    expect(readContext(fromFile)).toMatchObject({ maxConcurrentAgents: 0, logRetentionDays: 90 });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ maxConcurrentAgents: 'four' }, 'maxConcurrentAgents must be a whole number'],
    [{ maxConcurrentAgents: '-1' }, 'maxConcurrentAgents must be a whole number'],
    [{ network: 'private' }, 'network must be public, nat, or the id of a VPC'],
    [{ architecture: 'arm' }, 'architecture must be arm64 or x86_64'],
    [{ alarmEmail: 'the team' }, 'alarmEmail must be an e-mail address'],
    [
      { logRetentionDays: '31' },
      'logRetentionDays must be one of the numbers of days that CloudWatch has: 1, 3',
    ],
    [{ workflows: ' , ' }, 'workflows must name at least one workflow file'],
    [{ stack: 'my stack' }, 'stack must begin with a letter'],
    [{ image: '' }, 'image must be the name of a container image'],
    [{ secret: '' }, 'secret must be the name of a secret'],
    [{ agentUid: '0' }, 'agentUid must be the number of a user other than root'],
    [{ agentUid: 0 }, 'agentUid must be the number of a user other than root'],
    [{ agentUid: 'node' }, 'agentUid must be the number of a user other than root'],
    [{ agentUid: 1.5 }, 'agentUid must be the number of a user other than root'],
    [{ turnOutput: 'false' }, 'turnOutput must be logs or none'],
    [{ table: 'my table' }, 'table must be the name of a table'],
  ])('is refused with the key and what it may be: %o', (context, message) => {
    expect(() => readContext(context)).toThrow(message);
  });

  test('names every key at fault at once', () => {
    expect(() => readContext({ network: 'x', alarmEmail: 'y' })).toThrow(/network must.*alarmEmail must/);
  });

  test.each([
    ['workflow', 'workflows'],
    ['maxConcurrentAgent', 'maxConcurrentAgents'],
    ['alarmEMail', 'alarmEmail'],
  ])('is refused for %s, which would be left unread: %s was meant', (key, meant) => {
    expect(() => readContext({ [key]: 'x' })).toThrow(`${key} is no key; ${meant} is`);
  });

  test.each(['@aws-cdk/core:newStyle', 'availability-zones:account=1:region=x', 'tags', 'environmentName'])(
    'leaves %s to whom it belongs',
    (key) => {
      expect(() => readContext({ [key]: true })).not.toThrow();
    },
  );
});

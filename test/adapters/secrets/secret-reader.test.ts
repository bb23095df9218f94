import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deploymentSecretSchema } from '../../../lib/adapters/secrets/deployment-secret.ts';
import { type SecretReader, secretReader } from '../../../lib/adapters/secrets/secret-reader.ts';
import { type JsonService, startJsonService } from '../../support/aws/json-service.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const good = (mark: string) => JSON.stringify({ ticketSecret: mark.repeat(40), other: 'left alone' });
let now = 1_000_000;
let text: string | Error;
let service: JsonService;
let troubles: string[];
let reader: SecretReader<{ readonly ticketSecret: string }>;
const asked = () => service.heard.length;
const markOf = async (value: Promise<{ readonly ticketSecret: string }>) => (await value).ticketSecret[0];

beforeEach(async () => {
  text = good('a');
  service = await startJsonService({
    GetSecretValue: () => {
      if (text instanceof Error) throw text;
      return { SecretString: text };
    },
  });
  const client = new SecretsManagerClient({
    endpoint: service.endpoint,
    region: 'eu-west-1',
    credentials,
    maxAttempts: 1,
  });
  const clock = { now: () => now, sleep: async () => {} };
  troubles = [];
  const onTrouble = (problem: string) => void troubles.push(problem);
  reader = secretReader({
    client,
    secret: 'evenkeel/test',
    schema: deploymentSecretSchema,
    clock,
    onTrouble,
  });
});
afterEach(() => service.stop());

describe('the secret of a deployment', () => {
  test('is read once for all who need it at the same time, and kept for five minutes', async () => {
    expect(await Promise.all([1, 2, 3].map(() => markOf(reader.current())))).toEqual(['a', 'a', 'a']);
    text = good('b');
    now += 299_999;
    expect([await markOf(reader.current()), asked()]).toEqual(['a', 1]);
    now += 1;
    expect([await markOf(reader.current()), asked()]).toEqual(['b', 2]);
    expect(service.heard[0]).toEqual({ call: 'GetSecretValue', input: { SecretId: 'evenkeel/test' } });
  });

  test('is read anew for who met something that does not fit, at most every 30 seconds', async () => {
    await reader.current();
    text = good('b');
    now += 29_999;
    expect(await markOf(reader.renewed())).toBe('a');
    now += 1;
    expect(await Promise.all([markOf(reader.renewed()), markOf(reader.renewed())])).toEqual(['b', 'b']);
    expect([await markOf(reader.renewed()), await markOf(reader.current()), asked()]).toEqual(['b', 'b', 2]);
  });

  test('stays known while it cannot be read, and is asked for every 30 seconds until it can', async () => {
    await reader.current();
    text = new Error('InternalServiceError');
    now += 300_000;
    expect([await markOf(reader.current()), asked()]).toEqual(['a', 2]);
    expect([await markOf(reader.current()), asked()]).toEqual(['a', 2]);
    text = good('b');
    now += 30_000;
    expect([await markOf(reader.current()), asked()]).toEqual(['b', 3]);
  });

  test('that was spoilt while it is known serves on, and somebody is told each time, without a value', async () => {
    await reader.current();
    text = '{"ticketSecret":"value of the secret"}';
    now += 300_000;
    expect(await markOf(reader.current())).toBe('a');
    now += 30_000;
    expect(await markOf(reader.renewed())).toBe('a');
    expect(troubles).toEqual(
      Array(2).fill(
        'the secret evenkeel/test cannot be used: ticketSecret: must have at least 32 characters',
      ),
    );
  });

  test('that was never read fails closed, and is asked for again at once', async () => {
    text = new Error('ResourceNotFoundException');
    await expect(reader.current()).rejects.toThrow();
    await expect(reader.renewed()).rejects.toThrow();
    text = good('a');
    expect(await markOf(reader.current())).toBe('a');
  });

  test.each([
    ['no JSON', 'value of the secret', /its value/],
    ['no object', '"value of the secret"', /its value/],
    ['not complete', '{"githubWebhookSecret":"value of the secret"}', /ticketSecret: is missing/],
    ['too short', '{"ticketSecret":"value of the secret"}', /ticketSecret: must have at least 32/],
    [
      'of another form',
      JSON.stringify({ ticketSecret: 't'.repeat(40), githubWebhookSecret: { value: 'of the secret' } }),
      /githubWebhookSecret/,
    ],
  ])('that is %s is refused by the names of its fields, without a value', async (_, stored, problem) => {
    text = stored;
    const error = await reader.current().catch((failure: Error) => failure);
    expect((error as Error).message).toMatch(problem);
    expect((error as Error).message).not.toMatch(/of the secret/);
  });
});

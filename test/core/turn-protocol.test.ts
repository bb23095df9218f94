import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { markOf, readMark } from '../../lib/core/process-mark.ts';
import {
  gitTokenAnswerSchema,
  gitTokenRequestSchema,
  heartbeatAnswerSchema,
  heartbeatRequestSchema,
  instructionsSchema,
  limits,
  resultRequestSchema,
  startAnswerSchema,
  startRequestSchema,
  turnResultSchema,
} from '../../lib/core/turn-protocol.ts';
import { completed, failed } from '../support/world.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const key = 'k'.repeat(32);
const arn = 'arn-1';
const stop = { answer: 'stop', reason: 'terminal', keepWork: true };
const wait = { answer: 'wait', reason: 'the ledger is lost' };
const instructions = {
  board: 'board',
  key: 'A',
  turnId: '1-a',
  attempt: 1,
  repository: '/repository.git',
  base: 'main',
  branch: 'evenkeel/issue/a',
  wipBranch: 'evenkeel/wip/a',
  prompt: 'Do it.',
  agent: { kind: 'command', command: 'true', turn_timeout_ms: 1, stall_timeout_ms: 1 },
  hooks: { before_run: 'true', timeout_ms: 1 },
  verify: ['npm test'],
  deny_paths: [],
  heartbeatMs: 30_000,
};

describe('what a turn may ask', () => {
  test.each<[string, z.ZodType, object]>([
    ['start', startRequestSchema, { arn, key }],
    ['heartbeat', heartbeatRequestSchema, { step: 'agent', progress: 0, arn }],
    ['git-token', gitTokenRequestSchema, { arn }],
    ['result', resultRequestSchema, { arn, result: completed }],
  ])('%s is taken as it is, from a container with a name, and with nothing besides', (_, schema, body) => {
    expect(accepts(schema, body)).toBe(true);
    expect(accepts(schema, { ...body, arn: '' })).toBe(false);
    expect(accepts(schema, { ...body, arn: 'a'.repeat(300) })).toBe(true);
    expect(accepts(schema, { ...body, arn: 'a'.repeat(301) })).toBe(false);
    expect(accepts(schema, { ...body, more: 1 })).toBe(false);
    expect(accepts(schema, {})).toBe(false);
  });

  test.each([
    ['k'.repeat(31), false],
    ['k'.repeat(128), true],
    ['k'.repeat(129), false],
    [`${'k'.repeat(31)}-`, true],
    [`${'k'.repeat(32)} `, false],
    [` ${'k'.repeat(32)}`, false],
    ['é'.repeat(40), false],
  ])('start with the key %j: %s', (one, isTaken) => {
    expect(accepts(startRequestSchema, { arn, key: one })).toBe(isTaken);
  });

  test('start with an unfit key says what a key is', () => {
    expect(startRequestSchema.safeParse({ arn, key: 'short' }).error?.issues[0]?.message).toBe(
      'a key of 32 to 128 url-safe characters',
    );
  });

  test.each(['workspace', 'hooks', 'agent', 'verify', 'deliver', 'stopping'])('heartbeat at %s', (step) => {
    expect(accepts(heartbeatRequestSchema, { step, progress: 1, arn })).toBe(true);
  });

  test.each([{ step: '' }, { step: 'lunch' }, { progress: -1 }, { progress: 0.5 }])(
    'heartbeat not with %j',
    (fields) => {
      expect(accepts(heartbeatRequestSchema, { step: 'agent', progress: 1, arn, ...fields })).toBe(false);
    },
  );
});

describe('what a turn is answered', () => {
  test.each<[string, z.ZodType, object]>([
    ['start', startAnswerSchema, { answer: 'go', instructions }],
    ['start', startAnswerSchema, { answer: 'go', instructions, agentEnvironment: { KEY: 'x' } }],
    ['start', startAnswerSchema, stop],
    ['heartbeat', heartbeatAnswerSchema, { answer: 'go' }],
    ['heartbeat', heartbeatAnswerSchema, stop],
    ['heartbeat', heartbeatAnswerSchema, wait],
    ['git-token', gitTokenAnswerSchema, { answer: 'go' }],
    ['git-token', gitTokenAnswerSchema, { answer: 'go', token: { username: 'u', password: 'p' } }],
    ['git-token', gitTokenAnswerSchema, wait],
    ['git-token', gitTokenAnswerSchema, stop],
  ])('%s: %j', (_, schema, answer) => {
    expect(accepts(schema, answer)).toBe(true);
    expect(accepts(schema, { ...answer, more: 1 })).toBe(false);
    expect(accepts(schema, { ...answer, answer: '' })).toBe(false);
    expect(accepts(schema, {})).toBe(false);
  });

  test('start never with wait: who is not let in does not linger', () => {
    expect(accepts(startAnswerSchema, wait)).toBe(false);
  });

  test('with instructions that hold all of it and nothing more', () => {
    for (const field of Object.keys(instructions)) {
      const { [field]: _left, ...without } = instructions as Record<string, unknown>;
      expect([field, accepts(instructionsSchema, without)]).toEqual([field, false]);
    }
    expect(accepts(instructionsSchema, { ...instructions, more: 1 })).toBe(false);
    expect(accepts(instructionsSchema, { ...instructions, agent: { ...instructions.agent, more: 1 } })).toBe(
      false,
    );
    expect(accepts(instructionsSchema, { ...instructions, agent: {} })).toBe(false);
    expect(accepts(instructionsSchema, { ...instructions, hooks: { ...instructions.hooks, more: 1 } })).toBe(
      false,
    );
    expect(accepts(instructionsSchema, { ...instructions, hooks: {} })).toBe(false);
  });

  test.each([
    [{ username: '', password: 'p' }, false],
    [{ username: 'u', password: '' }, false],
    [{ username: 'someone', password: 'longer' }, true],
    [{ username: 'u', password: 'p', more: 1 }, false],
    [{ username: 'u', password: 'p', expiresAt: 5, revokeUrl: 'https://api.example.org/token' }, true],
    [{ username: 'u', password: 'p', revokeUrl: 'http://127.0.0.1:8080/token' }, true],
    [{ username: 'u', password: 'p', revokeUrl: 'ftp://example.org/token' }, false],
    [{ username: 'u', password: 'p', revokeUrl: 'httpsx://example.org/token' }, false],
    [{ username: 'u', password: 'p', revokeUrl: 'xhttp://example.org/token' }, false],
  ])('a token %j: %s', (token, isTaken) => {
    expect(accepts(gitTokenAnswerSchema, { answer: 'go', token })).toBe(isTaken);
  });
});

describe('a result', () => {
  const of = (fields: object) => accepts(turnResultSchema, { ...completed, ...fields });
  const words = (count: number) => 'x'.repeat(count);

  test.each(['completed', 'question', 'failed', 'stopped'])('may be %s', (status) => {
    expect(of({ status })).toBe(true);
  });

  test.each([
    'infrastructure',
    'agent',
    'verification',
    'authentication',
    'billing',
    'delivery',
    'policy',
  ] as const)('may have failed of %s', (name) => {
    expect(accepts(turnResultSchema, failed(name))).toBe(true);
  });

  test.each(['signal', 'asked', 'no-answer', 'refused'])('may have been stopped by %s', (cause) => {
    expect(of({ status: 'stopped', cause })).toBe(true);
  });

  const verification = { command: 'npm test', status: 'passed', durationMs: 1 };
  test.each(['passed', 'failed', 'timeout', 'not-run'])('may have a gate that %s', (status) => {
    expect(of({ verify: [{ ...verification, status }] })).toBe(true);
  });

  const failure = failed('agent').failure!;
  test.each<[string, object, object]>([
    ['a status', {}, { status: '' }],
    ['a cause', {}, { cause: '' }],
    ['fields of its own', {}, { more: 1 }],
    ['a class', { failure }, { failure: { ...failure, class: 'cancelled' } }],
    ['a kind', { failure: { ...failure, kind: words(60) } }, { failure: { ...failure, kind: words(61) } }],
    [
      'a detail',
      { failure: { ...failure, detail: words(limits.text) } },
      { failure: { ...failure, detail: words(limits.text + 1) } },
    ],
    ['fields of a failure', { failure }, { failure: { ...failure, more: 1 } }],
    ['a question', { question: words(limits.question) }, { question: words(limits.question + 1) }],
    ['feedback', { feedback: words(limits.logTail) }, { feedback: words(limits.logTail + 1) }],
    ['a note', { notes: [words(300)] }, { notes: [words(301)] }],
    ['notes', { notes: Array(8).fill('n') }, { notes: Array(9).fill('n') }],
    ['what was spent', { usage: { usd: 0.5, tokens: 3 } }, { usage: { usd: 0.5, more: 1 } }],
    ['work', {}, { git: { ...completed.git, more: 1 } }],
    [
      'a command',
      { verify: [{ ...verification, command: words(limits.text) }] },
      { verify: [{ ...verification, command: words(limits.text + 1) }] },
    ],
    ['a gate', { verify: [verification] }, { verify: [{ ...verification, status: 'skipped' }] }],
    ['fields of a gate', { verify: [verification] }, { verify: [{ ...verification, more: 1 }] }],
  ])('is held to the bounds of %s', (_, fits, tooMuch) => {
    expect(of(fits)).toBe(true);
    expect(of(tooMuch)).toBe(false);
  });
});

describe('the mark of a process', () => {
  const limitsOf = (locks: string) =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax cpu time              unlimited            unlimited            seconds   \nMax file locks            ${locks}            unlimited            locks     \n`;

  test('is the same for the same cookie, another for another, and fits a limit of the kernel', () => {
    expect(markOf('cookie')).toBe(markOf('cookie'));
    expect(markOf('cookie')).not.toBe(markOf('cookies'));
    const mark = BigInt(markOf('cookie'));
    expect(mark).toBeGreaterThanOrEqual(2n ** 60n);
    expect(mark).toBeLessThan(2n ** 61n);
  });

  test('is read from the limits that the kernel tells of a process', () => {
    expect(readMark(limitsOf('1234567890123456789'))).toBe('1234567890123456789');
    expect(readMark(limitsOf('unlimited'))).toBeUndefined();
    expect(readMark('Not Max file locks        12            unlimited')).toBeUndefined();
    expect(readMark('')).toBeUndefined();
  });
});

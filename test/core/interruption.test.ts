import { describe, expect, test } from 'vitest';
import { isOfTheIssue } from '../../lib/core/interruption.ts';
import type { Arn } from '../../lib/core/issue.ts';
import type { Evidence, Lease } from '../../lib/core/lease.ts';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import { buildLease } from '../support/build-observation.ts';
import { completed, nothingDone } from '../support/world.ts';

const cut: TurnResult = { version: 1, status: 'stopped', cause: 'no-answer', verify: [] };
const ended: Evidence = {
  arn: 'a' as Arn,
  at: 0,
  exitCode: 40,
  signal: undefined,
  cause: 'exit',
  detail: 'exit 40',
};
const judge = (fields: Partial<Lease>) => isOfTheIssue(buildLease('A', fields));

describe('an interrupted turn counts for its issue', () => {
  test.each<[string, Partial<Lease>]>([
    ['that ended by a signal of its own', { result: { ...cut, cause: 'signal' } }],
    ['whose agent had shown signs of work', { result: cut, progress: 1 }],
    ['whose agent had exited', { result: { ...cut, exitCode: 0 } }],
    ['whose agent had spent something', { result: { ...cut, usage: { usd: 1 } } }],
    ['whose agent had committed', { result: { ...cut, git: completed.git } }],
    [
      'as its runner found it, where nobody could be told',
      { evidence: { ...ended, result: cut }, progress: 1 },
    ],
  ])('%s', (_, fields) => {
    expect(judge(fields)).toBe(true);
    expect(judge({ evidence: ended, ...fields })).toBe(true);
  });
});

describe('an interrupted turn says nothing of its issue', () => {
  test.each<[string, Partial<Lease>]>([
    ['without any result', {}],
    ['without any result, although its end was seen', { evidence: ended, progress: 3 }],
    ['whose agent had not begun', { result: cut, progress: 0 }],
    ['whose agent had not begun, of whose progress nothing is known', { result: cut }],
    ['that committed nothing', { result: { ...cut, git: nothingDone.git } }],
    ['that was asked to end', { result: { ...cut, cause: 'asked' }, progress: 1 }],
    ['whose task was asked to end', { result: cut, progress: 1, evidence: { ...ended, asked: true } }],
    ['that the platform ended', { result: cut, progress: 1, evidence: { ...ended, cause: 'platform' } }],
    ['whose task is gone', { result: cut, progress: 1, evidence: { ...ended, cause: 'gone' } }],
  ])('%s', (_, fields) => {
    expect(judge(fields)).toBe(false);
  });
});

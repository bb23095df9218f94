import { describe, expect, test } from 'vitest';
import type { Arn } from '../../lib/core/issue.ts';
import type { Evidence } from '../../lib/core/lease.ts';
import { type TurnResult, turnExitCodes } from '../../lib/core/turn-protocol.ts';
import { judgeUnbegun } from '../../lib/core/verdict.ts';

function ended(fields: Partial<Evidence>): Evidence {
  return {
    arn: 'a' as Arn,
    at: 0,
    exitCode: 1,
    signal: undefined,
    cause: 'exit',
    detail: 'it ended',
    ...fields,
  };
}

const stopped: TurnResult = { version: 1, status: 'stopped', verify: [] };

describe('a launch that nobody passed the gate of', () => {
  test.each<[string, Evidence | undefined]>([
    ['was refused, or took too long', undefined],
    ['ended by itself', ended({})],
    ['was killed', ended({ signal: 'SIGKILL', exitCode: undefined })],
    ['was ended by the platform', ended({ cause: 'platform' })],
    ['got no answer', ended({ result: { ...stopped, cause: 'no-answer' } })],
  ])('slows the next ones down when it %s', (_, evidence) => {
    expect(judgeUnbegun('why', evidence)).toMatchObject({
      outcome: 'recheck',
      failureClass: 'infrastructure',
      reason: 'why',
      breaker: 'launch',
    });
  });

  test.each<[string, Evidence]>([
    ['was asked to end before it could say so', ended({ signal: 'SIGTERM', exitCode: undefined })],
    ['was asked to end and says so', ended({ cause: 'unknown', result: { ...stopped, cause: 'signal' } })],
    ['was turned away by the gate', ended({ exitCode: turnExitCodes.refused })],
    ['ended while nobody was watching', ended({ cause: 'unknown', exitCode: undefined })],
  ])('says nothing against the platform when it %s', (_, evidence) => {
    expect(judgeUnbegun('why', evidence)).toMatchObject({
      outcome: 'recheck',
      failureClass: 'infrastructure',
      breaker: undefined,
      parked: undefined,
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { Arn, Reading, StateName } from '../../lib/core/issue.ts';
import { type Evidence, type Lease, noCounters } from '../../lib/core/lease.ts';
import { settleStopped, settleTurn } from '../../lib/core/settle.ts';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import { judgeRejected, judgeTurn, judgeUnbegun, type Verdict } from '../../lib/core/verdict.ts';
import { buildIssue } from '../support/build-issue.ts';
import { buildLease, contract, now } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { completed, failed, nothingDone } from '../support/world.ts';

/** Verdicts whole: who changes a word, an alarm or a class of one changes what stands here. */

const ended: Evidence = {
  arn: 'a' as Arn,
  at: 0,
  exitCode: 1,
  signal: undefined,
  cause: 'exit',
  detail: 'exit 1',
};
const calm = {
  viaHandoff: false,
  nextAt: undefined,
  parked: undefined,
  breaker: undefined,
  alarm: false,
} as const;
const stopped = (cause?: TurnResult['cause']): TurnResult => ({
  version: 1,
  status: 'stopped',
  verify: [],
  ...(cause !== undefined && { cause }),
});
const workflow = buildWorkflow();
const strict = buildWorkflow({ agent: { max_failures: 1, max_no_progress: 1, max_turns: 3 } });
const without = buildWorkflow({ tracker: { handoff_state: null } as never, agent: { max_no_progress: 1 } });
const judge = (fields: Partial<Lease>, policy = workflow) => judgeTurn(buildLease('A', fields), policy, now);
const seeAndMove = 'see what went wrong, then move the card out and back to an active state';
const parkedFor = (reason: string, detail: string, toResume: string) => ({
  outcome: 'parked',
  reason: detail,
  viaHandoff: true,
  nextAt: undefined,
  parked: { reason, since: now, detail, toResume },
  breaker: undefined,
});

describe('a turn', () => {
  test('that delivered is handed off', () => {
    expect(judge({ result: completed })).toEqual({
      ...calm,
      outcome: 'handed-off',
      failureClass: undefined,
      reason: 'the agent finished and its work was delivered',
    });
  });

  test('that changed nothing is looked at again, and says so', () => {
    expect(judge({ result: nothingDone })).toEqual({
      ...calm,
      outcome: 'recheck',
      failureClass: 'no-progress',
      reason: 'the agent ended well and changed nothing',
    });
  });

  test('that was ended from outside is looked at again', () => {
    for (const [cause, word] of [
      ['asked', 'asked'],
      [undefined, 'unknown'],
    ] as const)
      expect(judge({ result: stopped(cause) })).toEqual({
        ...calm,
        outcome: 'recheck',
        failureClass: 'infrastructure',
        reason: `it was ended from outside (${word})`,
      });
  });

  test('that was cut off by something of its own is tried again later, and shown to a person in the end', () => {
    const first = judge({ result: stopped('signal') });
    expect(first).toMatchObject({ ...calm, outcome: 'retry', nextAt: expect.any(Number) });
    const detail =
      '5 turns in a row were interrupted after the agent had begun; last: it was ended from outside (signal)';
    expect(judge({ result: stopped('signal'), counters: { ...noCounters, infrastructure: 4 } })).toEqual({
      ...parkedFor(
        'infrastructure',
        detail,
        'see what ends its turns and mend that, then move the card out and back to an active state',
      ),
      failureClass: 'infrastructure',
      alarm: true,
    });
  });

  test('that asked is parked with the way to answer', () => {
    expect(judge({ result: { ...completed, status: 'question', question: 'Which?' } })).toEqual({
      ...parkedFor(
        'question',
        'the agent asked a question',
        'read the question in the status comment, write the answer into the text of the issue (agents see no comments), then move the card back',
      ),
      failureClass: undefined,
      alarm: false,
    });
  });

  test('without a result is its agent’s crash, unless the platform explains it or it was asked to end', () => {
    const crash = { ...calm, outcome: 'retry', failureClass: 'agent', nextAt: expect.any(Number) };
    expect(judge({})).toEqual({ ...crash, reason: 'the turn ended without a result (unknown)' });
    expect(judge({ evidence: ended })).toEqual({
      ...crash,
      reason: 'the turn ended without a result (exit 1)',
    });
    const ofThePlatform = { ...calm, outcome: 'recheck', failureClass: 'infrastructure', reason: 'exit 1' };
    expect(judge({ evidence: { ...ended, cause: 'platform' } })).toEqual({
      ...ofThePlatform,
      breaker: 'launch',
    });
    expect(judge({ evidence: { ...ended, cause: 'gone' } })).toEqual({ ...ofThePlatform, breaker: 'launch' });
    expect(judge({ evidence: { ...ended, asked: true } })).toEqual(ofThePlatform);
  });

  test('is judged by the result that its evidence brings, where nobody could be told', () => {
    expect(judge({ evidence: { ...ended, result: completed } }).outcome).toBe('handed-off');
  });

  test('that failed without saying why is its agent’s failure', () => {
    const wordless: TurnResult = { version: 1, status: 'failed', verify: [] };
    expect(judge({ result: wordless })).toMatchObject({
      outcome: 'retry',
      failureClass: 'agent',
      reason: 'it failed without saying why',
    });
    expect(judge({ result: wordless }, strict)).toEqual({
      ...parkedFor('failures', 'it failed without saying why', seeAndMove),
      failureClass: 'agent',
      alarm: false,
    });
  });

  test.each(['authentication', 'billing'] as const)(
    'that failed for %s stops others of its agent, and tells somebody',
    (name) => {
      expect(judge({ result: failed(name) })).toEqual({
        ...calm,
        outcome: 'recheck',
        failureClass: name,
        reason: `it failed (${name})`,
        breaker: 'agent',
        alarm: true,
      });
    },
  );

  test.each(['agent', 'policy'] as const)('that failed of %s waits before its next try', (name) => {
    expect(judge({ result: failed(name) }).nextAt).toBeGreaterThan(now);
  });

  test.each(['verification', 'delivery'] as const)('that failed of %s is tried again at once', (name) => {
    expect(judge({ result: failed(name) })).toMatchObject({ outcome: 'retry', nextAt: now });
  });

  test('that failed of its policy for good stays where it stands, and tells somebody', () => {
    expect(judge({ result: failed('policy', false) })).toEqual({
      ...parkedFor('policy', 'it failed (policy)', seeAndMove),
      failureClass: 'policy',
      viaHandoff: false,
      alarm: true,
    });
  });

  test('that is the last one of its issue is parked with how to go on', () => {
    const detail = 'its 3 turns are used up; last: the agent ended well and changed nothing';
    const policy = buildWorkflow({ agent: { max_turns: 3 } });
    expect(judge({ result: nothingDone, turns: 2 }, policy)).toEqual({
      ...parkedFor(
        'turns',
        detail,
        'move the card out and back to an active state, or raise agent.max_turns',
      ),
      failureClass: 'no-progress',
      alarm: false,
    });
  });

  test('that changes nothing once more than it may is parked where nothing is handed off', () => {
    expect(judge({ result: nothingDone }, without)).toEqual({
      ...parkedFor(
        'no-progress',
        'nothing to do: 1 turns in a row changed nothing',
        'say more in the issue, then move the card out and back to an active state',
      ),
      failureClass: 'no-progress',
      alarm: false,
    });
  });
});

describe('a launch', () => {
  test('whose move the tracker refuses is tried again as trouble with the policy, and parked in the end', () => {
    const rejected = (policy = workflow): Verdict =>
      judgeRejected('no such column', buildLease('A', {}), policy, now);
    expect(rejected()).toEqual({
      ...calm,
      outcome: 'retry',
      failureClass: 'policy',
      reason: 'no such column',
      nextAt: expect.any(Number),
    });
    expect(rejected(strict)).toEqual({
      ...parkedFor('policy', 'no such column', seeAndMove),
      failureClass: 'policy',
      viaHandoff: false,
      alarm: true,
    });
  });

  test('whose task was asked to end speaks against nobody', () => {
    expect(judgeUnbegun('it ended', { ...ended, asked: true }).breaker).toBeUndefined();
    expect(judgeUnbegun('it ended', { ...ended, result: stopped('signal') }).breaker).toBeUndefined();
    expect(judgeUnbegun('it ended', ended).breaker).toBe('launch');
  });
});

describe('the settlement', () => {
  const lease = (fields: Partial<Lease> = {}): Lease =>
    buildLease('A', {
      phase: 'ending',
      startedFrom: 'Todo' as StateName,
      writtenState: 'In Progress' as StateName,
      result: failed('agent'),
      ...fields,
    });
  const unknown: Reading = { kind: 'unknown', problem: 'two states' };

  test('of a turn whose issue stays broken frees its slot, hands nothing off, and tells a person', () => {
    const detail =
      'what follows the turn could not be decided: two states; the turn itself: it failed (agent)';
    expect(settleTurn(unknown, lease(), workflow, contract, now, 'two states')).toEqual({
      kind: 'settle',
      verdict: {
        ...calm,
        outcome: 'parked',
        failureClass: 'agent',
        reason: detail,
        parked: {
          reason: 'policy',
          since: now,
          detail,
          toResume: 'mend the issue, then move the card out and back to an active state',
        },
        alarm: true,
      },
      handoff: undefined,
      state: undefined,
    });
  });

  test('of a broken issue is the same when it is found with two states', () => {
    const conflict: Reading = {
      kind: 'found',
      issue: buildIssue({ id: 'A', state: undefined, conflictingStates: ['Todo', 'In Review'] }),
    };
    expect(settleTurn(conflict, lease(), workflow, contract, now, 'two states')).toMatchObject({
      verdict: { outcome: 'parked', parked: { reason: 'policy' } },
    });
  });

  test('of a turn that was told to stop follows from why', () => {
    const told = (fields: Partial<Lease>) =>
      settleStopped(lease({ phase: 'stopping', ...fields }), workflow, now);
    const because = (reason: 'terminal' | 'stale' | 'deadline') => ({
      stop: { reason, at: now, detail: 'd' },
    });
    expect(told({})).toEqual({
      ...calm,
      outcome: 'released',
      failureClass: 'cancelled',
      reason: 'not-active',
    });
    expect(told(because('terminal')).reason).toBe('terminal');
    expect(told(because('stale'))).toMatchObject({
      outcome: 'retry',
      failureClass: 'agent',
      reason: 'it was not heard of any more',
    });
    expect(told(because('deadline')).reason).toBe('it took longer than it may');
    expect(told({ ...because('stale'), evidence: { ...ended, cause: 'gone' } })).toMatchObject({
      failureClass: 'infrastructure',
      breaker: 'launch',
    });
  });

  test('hands a park off only where it is to be shown there', () => {
    const found: Reading = { kind: 'found', issue: buildIssue({ id: 'A', state: 'In Progress' }) };
    const settle = (result: TurnResult, policy = workflow) =>
      settleTurn(found, lease({ result }), policy, contract, now);
    expect(settle(failed('policy', false))).toMatchObject({ handoff: undefined });
    expect(settle(failed('agent'), strict)).toMatchObject({ handoff: { to: 'In Review', done: false } });
    expect(settle(failed('agent'))).toMatchObject({ handoff: undefined, state: 'In Progress' });
  });
});

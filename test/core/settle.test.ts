import { describe, expect, test } from 'vitest';
import type { Arn, Reading, StateName } from '../../lib/core/issue.ts';
import { type Evidence, type Lease, noCounters } from '../../lib/core/lease.ts';
import { mayReplace, mayTellLater, settleStopped, settleTurn } from '../../lib/core/settle.ts';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
import { buildLease, contract, now } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { completed, failed, nothingDone } from '../support/world.ts';

const evidence: Evidence = {
  arn: 'arn' as Arn,
  at: now,
  exitCode: 1,
  signal: undefined,
  cause: 'exit',
  detail: 'exit 1',
};
const workflow = buildWorkflow();
const found = (fields: IssueFields = {}): Reading => ({
  kind: 'found',
  issue: buildIssue({ id: 'A', state: 'In Progress', ...fields }),
});
const ended = (fields: Partial<Lease> = {}): Lease =>
  buildLease('A', {
    phase: 'ending',
    startedFrom: 'Todo' as StateName,
    writtenState: 'In Progress' as StateName,
    evidence,
    ...fields,
  });
const settle = (lease: Lease, reading = found(), policy = workflow) =>
  settleTurn(reading, lease, policy, contract, now);
const verdictOf = (lease: Partial<Lease>, policy = workflow) => {
  const settlement = settle(ended(lease), found(), policy);
  if (settlement.kind !== 'settle') throw new Error('deferred');
  return { ...settlement.verdict, handoff: settlement.handoff?.to };
};

describe('what was read of the issue', () => {
  test('decides nothing while it is unknown or contradicts itself', () => {
    expect(settle(ended(), { kind: 'unknown', problem: 'down' })).toEqual({
      kind: 'defer',
      reason: 'unknown',
    });
    expect(settle(ended(), found({ state: undefined, conflictingStates: ['Todo', 'In Review'] }))).toEqual({
      kind: 'defer',
      reason: 'unknown',
    });
  });

  test('is believed gone at the second look only', () => {
    expect(settle(ended(), { kind: 'gone' })).toEqual({ kind: 'defer', reason: 'gone', goneSince: now });
    expect(settle(ended({ goneSince: now }), { kind: 'gone' })).toEqual({
      kind: 'defer',
      reason: 'gone',
      goneSince: now,
    });
    expect(settle(ended({ goneSince: now - 1 }), { kind: 'gone' })).toMatchObject({
      kind: 'settle',
      handoff: undefined,
      verdict: { outcome: 'released', failureClass: 'cancelled', reason: 'gone' },
    });
  });

  test.each<[string, IssueFields]>([
    ['Done', { state: 'Done' }],
    ['cancelled', { state: ' CANCELLED' }],
    ['closed in any column', { closed: true }],
    ['closed in the column of the turn, with two states', { closed: true, conflictingStates: ['a', 'b'] }],
  ])('wins when it is terminal: %s', (_, fields) => {
    for (const result of [completed, failed('agent'), undefined]) {
      expect(settle(ended({ result }), found(fields))).toMatchObject({
        handoff: undefined,
        verdict: { outcome: 'released', failureClass: 'cancelled', reason: 'terminal' },
      });
    }
  });

  test.each(['Backlog', 'Todo', 'In Review', 'Elsewhere'])(
    'wins when a person set it during the turn: %s',
    (state) => {
      expect(settle(ended({ result: completed }), found({ state }))).toMatchObject({
        handoff: undefined,
        state,
        verdict: { failureClass: 'cancelled', reason: 'moved-by-person' },
      });
    },
  );

  test('lets the hand-off start from our own write, else from where the turn started', () => {
    expect(settle(ended({ result: completed }))).toMatchObject({ handoff: { to: 'In Review', done: false } });
    expect(
      settle(ended({ result: completed, writtenState: undefined }), found({ state: 'Todo' })),
    ).toMatchObject({ handoff: { to: 'In Review', done: false } });
    expect(
      settle(ended({ result: completed, writtenState: undefined }), found({ state: 'In Progress' })),
    ).toMatchObject({ handoff: undefined });
    expect(
      settle(ended({ result: completed, writtenState: undefined, startedFrom: undefined }), found()),
    ).toMatchObject({ handoff: undefined });
  });

  test('shows a hand-off that this turn has made already', () => {
    const lease = ended({ result: completed, writtenState: 'In Review' as StateName });
    expect(settle(lease, found({ state: 'In Review' }))).toMatchObject({
      handoff: { to: 'In Review', done: true },
      verdict: { outcome: 'handed-off' },
    });
  });

  test('may be replaced in any spelling', () => {
    expect(mayReplace({ state: 'in progress ' as StateName }, ended())).toBe(true);
    expect(mayReplace({ state: undefined }, ended())).toBe(false);
  });
});

describe('a turn that ended well', () => {
  test('with work is handed off', () => {
    expect(verdictOf({ result: completed })).toMatchObject({
      outcome: 'handed-off',
      failureClass: undefined,
      handoff: 'In Review',
      parked: undefined,
    });
  });

  test('with work is rechecked where there is no hand-off state', () => {
    const policy = buildWorkflow({ tracker: { handoff_state: null } });
    expect(
      settleTurn(found(), ended({ result: completed }), policy, { ...contract, handoff: undefined }, now),
    ).toMatchObject({ handoff: undefined, verdict: { outcome: 'recheck', failureClass: undefined } });
    expect(
      settleTurn(
        found(),
        ended({ result: completed, turns: 19 }),
        policy,
        { ...contract, handoff: undefined },
        now,
      ),
    ).toMatchObject({ verdict: { outcome: 'parked', parked: { reason: 'turns' } } });
  });

  test('without any work is looked at again, then handed over as nothing to do', () => {
    expect(verdictOf({ result: nothingDone })).toMatchObject({
      outcome: 'recheck',
      failureClass: 'no-progress',
      handoff: undefined,
    });
    const second = verdictOf({
      result: nothingDone,
      counters: { agent: 0, verification: 0, delivery: 0, policy: 0, noProgress: 1, infrastructure: 0 },
    });
    expect(second).toMatchObject({
      outcome: 'handed-off',
      failureClass: 'no-progress',
      handoff: 'In Review',
      parked: undefined,
    });
    expect(second.reason).toBe('nothing to do: 2 turns in a row changed nothing');
  });

  test('without any work is parked in the end where there is no hand-off state', () => {
    const policy = buildWorkflow({ tracker: { handoff_state: null }, agent: { max_no_progress: 1 } });
    expect(
      settleTurn(found(), ended({ result: nothingDone }), policy, { ...contract, handoff: undefined }, now),
    ).toMatchObject({
      handoff: undefined,
      verdict: { outcome: 'parked', parked: { reason: 'no-progress' } },
    });
  });

  test('without a word of git counts as without work', () => {
    expect(verdictOf({ result: { version: 1, status: 'completed', verify: [] } })).toMatchObject({
      failureClass: 'no-progress',
    });
  });

  test('with a question is handed off and parked until it is answered', () => {
    const question: TurnResult = { version: 1, status: 'question', question: 'Which one?', verify: [] };
    expect(verdictOf({ result: question })).toMatchObject({
      outcome: 'parked',
      failureClass: undefined,
      handoff: 'In Review',
      parked: { reason: 'question', since: now },
    });
  });
});

describe('a failed turn', () => {
  const counters = { agent: 0, verification: 0, delivery: 0, policy: 0, noProgress: 0, infrastructure: 0 };

  test.each([
    ['agent', 2, 'failures', 'In Review'],
    ['verification', 1, 'verification', 'In Review'],
    ['delivery', 2, 'delivery', 'In Review'],
    ['policy', 2, 'policy', undefined],
  ] as const)('of the class %s is tried again %i times, then parked', (name, retries, park, handoff) => {
    for (let failures = 0; failures < retries; failures += 1) {
      expect(verdictOf({ result: failed(name), counters: { ...counters, [name]: failures } })).toMatchObject({
        outcome: 'retry',
        failureClass: name,
        handoff: undefined,
        parked: undefined,
        alarm: false,
      });
    }
    expect(verdictOf({ result: failed(name), counters: { ...counters, [name]: retries } })).toMatchObject({
      outcome: 'parked',
      failureClass: name,
      handoff,
      nextAt: undefined,
      parked: { reason: park, since: now },
      alarm: name === 'policy',
    });
  });

  test.each(['agent', 'policy'] as const)('of the class %s waits longer each time', (name) => {
    const waits = [0, 1].map(
      (failures) =>
        verdictOf({ result: failed(name), counters: { ...counters, [name]: failures } }).nextAt! - now,
    );
    expect(waits[0]).toBeGreaterThanOrEqual(5_000);
    expect(waits[0]).toBeLessThanOrEqual(10_000);
    expect(waits[1]).toBe(waits[0]! * 2);
  });

  test.each(['verification', 'delivery'] as const)('of the class %s is tried again at once', (name) => {
    expect(verdictOf({ result: failed(name) }).nextAt).toBe(now);
  });

  test.each([
    ['delivery', 'In Review'],
    ['policy', undefined],
  ] as const)('of the class %s that cannot be helped by trying is parked at once', (name, handoff) => {
    expect(verdictOf({ result: failed(name, false) })).toMatchObject({ outcome: 'parked', handoff });
  });

  test('of the agent is tried max_failures times', () => {
    expect(
      verdictOf({ result: failed('agent') }, buildWorkflow({ agent: { max_failures: 1 } })).outcome,
    ).toBe('parked');
  });

  test('counts no other class', () => {
    expect(
      verdictOf({
        result: failed('agent'),
        counters: { agent: 0, verification: 9, delivery: 9, policy: 9, noProgress: 9, infrastructure: 0 },
      }).outcome,
    ).toBe('retry');
  });

  test.each(['infrastructure', 'authentication', 'billing'] as const)(
    'of the class %s parks nothing and slows launches down',
    (name) => {
      const verdict = verdictOf({
        result: failed(name),
        turns: 19,
        counters: { agent: 2, verification: 2, delivery: 2, policy: 2, noProgress: 2, infrastructure: 0 },
      });
      expect(verdict).toMatchObject({
        outcome: 'recheck',
        failureClass: name,
        parked: undefined,
        nextAt: undefined,
        breaker: name === 'infrastructure' ? 'launch' : 'agent',
        alarm: name !== 'infrastructure',
      });
    },
  );

  test('is parked when it was the last turn the issue may take, but not before', () => {
    expect(verdictOf({ result: failed('agent'), turns: 19 })).toMatchObject({
      outcome: 'parked',
      handoff: 'In Review',
      parked: { reason: 'turns' },
    });
    expect(verdictOf({ result: failed('agent'), turns: 18 }).outcome).toBe('retry');
    expect(verdictOf({ result: nothingDone, turns: 19 }).parked?.reason).toBe('turns');
  });

  test('that does not say how counts as the agent failing', () => {
    expect(verdictOf({ result: { version: 1, status: 'failed', verify: [] } })).toMatchObject({
      outcome: 'retry',
      failureClass: 'agent',
    });
  });
});

describe('a turn without a result', () => {
  test('is a crash of the agent', () => {
    const verdict = verdictOf({});
    expect(verdict).toMatchObject({ outcome: 'retry', failureClass: 'agent' });
    expect(verdict.reason).toContain('exit 1');
  });

  test.each(['platform', 'gone'] as const)('that the %s explains is nobody’s failure', (cause) => {
    expect(verdictOf({ evidence: { ...evidence, cause } })).toMatchObject({
      outcome: 'recheck',
      failureClass: 'infrastructure',
      breaker: 'launch',
    });
  });

  test('is judged by the result it left beside itself', () => {
    expect(verdictOf({ evidence: { ...evidence, result: completed } })).toMatchObject({
      outcome: 'handed-off',
    });
  });

  test('is judged by what it reported before what it left', () => {
    expect(
      verdictOf({ result: failed('agent'), evidence: { ...evidence, result: completed } }),
    ).toMatchObject({ failureClass: 'agent' });
  });
});

describe('a turn that was interrupted', () => {
  const stopped = (fields: Partial<TurnResult> = {}): TurnResult => ({
    version: 1,
    status: 'stopped',
    cause: 'signal',
    verify: [],
    ...fields,
  });
  const undelivered: TurnResult = { ...failed('infrastructure'), exitCode: 0 };
  const counted = (infrastructure: number) => ({ counters: { ...noCounters, infrastructure } });

  test.each<[string, Partial<Lease>]>([
    ['by a signal that nobody here sent', { result: stopped() }],
    ['by a silent host, while its agent worked', { result: stopped({ cause: 'no-answer' }), progress: 3 }],
    ['by a refused call, after its agent', { result: stopped({ cause: 'refused', exitCode: 0 }) }],
    ['at its delivery', { result: undelivered }],
    [
      'at its delivery, with work to deliver',
      { result: { ...failed('infrastructure'), git: completed.git! } },
    ],
    ['and tells what it spent', { result: { ...failed('infrastructure'), usage: { usd: 1 } } }],
  ])('%s is tried again later, and later each time, and parked after five in a row', (_, fields) => {
    const waits = [0, 1, 2, 3].map((before) => {
      const verdict = verdictOf({ ...fields, ...counted(before) });
      expect(verdict).toMatchObject({ outcome: 'retry', failureClass: 'infrastructure', parked: undefined });
      return verdict.nextAt! - now;
    });
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(waits[0]).toBeGreaterThanOrEqual(5_000);
    expect(waits[3]).toBeGreaterThanOrEqual(40_000);
    const last = verdictOf({ ...fields, ...counted(4) });
    expect(last).toMatchObject({
      outcome: 'parked',
      failureClass: 'infrastructure',
      handoff: 'In Review',
      alarm: true,
      parked: { reason: 'infrastructure' },
    });
    expect(last.reason).toMatch(/^5 turns in a row were interrupted after the agent had begun; last: /);
  });

  test('slows the board down where the platform may be the cause, and not where a signal was', () => {
    for (const before of [0, 4]) {
      expect(verdictOf({ result: undelivered, ...counted(before) }).breaker).toBe('launch');
      expect(verdictOf({ result: stopped(), ...counted(before) }).breaker).toBeUndefined();
    }
  });

  test.each<[string, Partial<Lease>]>([
    ['as it was asked to end', { result: stopped(), evidence: { ...evidence, asked: true } }],
    ['without a result, as it was asked to end', { evidence: { ...evidence, asked: true } }],
    [
      'in its delivery, as it was asked to end',
      { result: undelivered, evidence: { ...evidence, asked: true } },
    ],
    ['by the platform', { result: stopped(), evidence: { ...evidence, cause: 'platform' } }],
    ['by the loss of its machine', { result: undelivered, evidence: { ...evidence, cause: 'gone' } }],
    ['and was told so', { result: stopped({ cause: 'asked' }), progress: 3 }],
    ['by a silent host before its agent worked', { result: stopped({ cause: 'no-answer' }) }],
    ['before its agent began', { result: failed('infrastructure') }],
  ])('%s uses up nothing, however often', (_, fields) => {
    expect(verdictOf({ ...fields, ...counted(4), turns: 19 })).toMatchObject({
      outcome: 'recheck',
      failureClass: 'infrastructure',
      nextAt: undefined,
      parked: undefined,
    });
  });
});

describe('a turn that was told to stop', () => {
  const stopped = (reason: NonNullable<Lease['stop']>['reason'], fields: Partial<Lease> = {}) =>
    settleStopped(
      ended({ phase: 'stopping', stop: { reason, at: now, detail: 'd' }, ...fields }),
      workflow,
      now,
    );

  test.each(['not-active', 'terminal', 'missing-label', 'gone', 'ledger-lost'] as const)(
    'because of %s is released silently, whatever it did',
    (reason) => {
      expect(stopped(reason, { result: completed })).toMatchObject({
        outcome: 'released',
        failureClass: 'cancelled',
        reason,
        parked: undefined,
      });
    },
  );

  test('without a reason is released silently', () => {
    expect(settleStopped(ended({ phase: 'stopping' }), workflow, now)).toMatchObject({ outcome: 'released' });
  });

  test.each([
    ['stale', 'it was not heard of any more'],
    ['deadline', 'it took longer than it may'],
  ] as const)('because of %s counts as the agent failing', (reason, detail) => {
    expect(stopped(reason)).toMatchObject({ outcome: 'retry', failureClass: 'agent', reason: detail });
  });

  test('because it fell silent, while its platform was lost, is nobody’s failure', () => {
    expect(stopped('stale', { evidence: { ...evidence, cause: 'gone' } })).toMatchObject({
      failureClass: 'infrastructure',
    });
    expect(stopped('deadline', { evidence: { ...evidence, cause: 'platform' } })).toMatchObject({
      failureClass: 'infrastructure',
    });
  });
});

test('what people should find of a turn is left to a later tick while it has not ended long ago', () => {
  expect(mayTellLater(ended({ endedAt: now - 599_999 }), now)).toBe(true);
  expect(mayTellLater(ended({ endedAt: now - 600_000 }), now)).toBe(false);
  expect(mayTellLater(ended({ endedAt: undefined }), now)).toBe(false);
});

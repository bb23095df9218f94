import { describe, expect, test } from 'vitest';
import { unreadBoard } from '../../lib/core/contract.ts';
import { endsByItself, reasons } from '../../lib/core/decision.ts';
import { planTick } from '../../lib/core/plan.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
import {
  buildLease,
  buildObservation,
  invalidContract,
  now,
  type ObservationFields,
} from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

/** What the plan says of issue A, listed in Todo unless told otherwise. */
function decide(
  issue: IssueFields = {},
  fields: ObservationFields = {},
  workflow: Workflow = buildWorkflow(),
) {
  const observation = buildObservation({ ...fields, issues: [buildIssue({ id: 'A', ...issue })] });
  return planTick(observation, workflow, { cap: 100, used: 0 }, now).decisions.at(-1)!;
}

describe('every refusal says why, and what a person can do:', () => {
  const spends = { usd_per_issue: 2, tokens_per_issue: 9, usd_per_day: 5 };
  const day = new Date(now).toISOString().slice(0, 10);
  const withLease = (fields: object): ObservationFields => ({ leases: [buildLease('A', fields)] });
  const budget = (): Workflow => buildWorkflow({ agent: { budget: spends } });
  const untrusted = 'let someone who may start work read it, and move it into an active state anew';
  const moveBack = 'move the card out and back to an active state, or raise agent.';

  test.each<[string, string | undefined, () => ReturnType<typeof decide>]>([
    ['the board is paused', 'evenkeel resume', () => decide({}, { record: { paused: { since: 0 } } })],
    [
      'it is broken',
      'mend it',
      () =>
        decide(
          {},
          {
            workflowProblem: { rule: 'r', path: 'p', message: 'it is broken', toResume: 'mend it' } as never,
          },
        ),
    ],
    [
      "the board has no state 'In Review'; and no other",
      'mend the workflow file or the board',
      () =>
        decide(
          {},
          {
            contract: {
              ...invalidContract,
              valid: false,
              problems: [
                { rule: 'state-exists', path: 'tracker', message: "the board has no state 'In Review'" },
                { rule: 'state-exists', path: 'tracker', message: 'and no other' },
              ],
            } as never,
          },
        ),
    ],
    [
      'the board could not be read: it is away. Nothing starts until it can be, and what runs goes on',
      'let the board be reached again',
      () => decide({}, { contract: { ...invalidContract, problems: [unreadBoard('it is away')] } as never }),
    ],
    [
      'it is not known who moved it, or changed its text since',
      untrusted,
      () => decide({ trusted: 'unknown' }),
    ],
    [
      'who moved it, or changed its text since, may not start work',
      untrusted,
      () => decide({ trusted: false }),
    ],
    [
      'its 2 turns are used up',
      `${moveBack}max_turns`,
      () => decide({}, withLease({ turns: 2 }), buildWorkflow({ agent: { max_turns: 2 } })),
    ],
    [
      'it is tried again after a failure (agent)',
      undefined,
      () => decide({}, withLease({ nextAt: now + 1, retryClass: 'agent' })),
    ],
    [
      'it is tried again after a failure (unknown)',
      undefined,
      () => decide({}, withLease({ nextAt: now + 1 })),
    ],
    [
      '3 of 3 issues wait for a person',
      'review issues in "In Review"',
      () => decide({}, { inHandoff: 3 }, buildWorkflow({ agent: { max_in_handoff: 3 } })),
    ],
    [
      '2.00 of 2 USD are spent on it',
      `${moveBack}budget`,
      () => decide({}, withLease({ spendUsd: 2 }), budget()),
    ],
    [
      '9 of 9 tokens are spent on it',
      `${moveBack}budget`,
      () => decide({}, withLease({ spendTokens: 9 }), budget()),
    ],
    [
      '5.00 of 5 USD are spent today',
      'wait for the next day (UTC), or raise agent.budget.usd_per_day',
      () => decide({}, withLease({ spendDay: { day, usd: 5 } }), budget()),
    ],
    ["the tracker's quota is used up", undefined, () => decide({}, { record: { quotaResetAt: now + 1 } })],
    [
      'no capacity',
      undefined,
      () =>
        decide(
          {},
          {
            record: {
              breakers: { launch: { until: now + 1, tries: 1, reason: 'no capacity', turnId: '1-a' } },
            },
          },
        ),
    ],
  ])('%s', (detail, toResume, refuse) => {
    const refused = refuse();
    expect([refused.action, refused.detail, refused.toResume]).toEqual(['wait', detail, toResume]);
  });

  test('until when, where time alone ends it', () => {
    const until = now + 60_000;
    const breaker = { until, tries: 1, reason: 'no capacity', turnId: '1-a' };
    expect(decide({}, { record: { breakers: { launch: breaker } } }).until).toBe(until);
    expect(decide({}, { record: { quotaResetAt: until } }).until).toBe(until);
    expect(decide({}, withLease({ nextAt: until })).until).toBe(until);
  });

  test('and these end by themselves, unless a person can do something', () => {
    const timed = ['retry-not-due', 'breaker-open', 'quota', 'unknown', 'read-incomplete', 'time'] as const;
    for (const reason of reasons) {
      const isTimed = timed.some((one) => one === reason);
      expect([reason, endsByItself({ action: 'wait', reason })]).toEqual([reason, isTimed]);
      expect(endsByItself({ action: 'wait', reason, toResume: 'mend the issue' })).toBe(false);
      expect(endsByItself({ action: 'ignore', reason })).toBe(false);
    }
  });
});

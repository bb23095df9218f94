import { expect, test } from 'vitest';
import type { TickReport } from '../../lib/controller/reconcile.ts';
import type { Decision } from '../../lib/core/decision.ts';
import type { BoardId, IssueId, IssueKey } from '../../lib/core/issue.ts';
import { idleWatch } from '../../lib/host/idle-watch.ts';

type Done = Extract<TickReport, { kind: 'done' }>;

function tick(
  decisions: readonly Pick<Decision, 'action' | 'reason' | 'toResume'>[] = [],
  summary: Partial<Done['summary']> = {},
  board: Partial<Done['boards'][number]> = {},
): Done {
  const all = decisions.map((decision) => ({
    ...decision,
    issueId: 'A' as IssueId,
    key: 'A' as IssueKey,
    detail: 'so it is',
  }));
  return {
    kind: 'done',
    epoch: 1,
    summary: {
      startedAt: 0,
      finishedAt: 1,
      rounds: 1,
      complete: true,
      decisions: {},
      problems: [],
      inHandoff: 0,
      parkedInHandoff: 0,
      waits: all.filter(({ action }) => action === 'wait').map(({ reason }) => reason),
      liveLeases: 0,
      openWrites: 0,
      stuckLeases: 0,
      ...summary,
    },
    boards: [
      {
        board: 'board' as BoardId,
        pausedSince: undefined,
        valid: true,
        problems: [],
        decisions: all,
        ...board,
      },
    ],
  };
}

function isIdleAfter(...reports: readonly TickReport[]): boolean {
  const watch = idleWatch();
  return reports.map((report) => watch.see(report)).at(-1) ?? false;
}

test('two complete ticks in a row that saw nothing to do are idle, one is not', () => {
  expect(isIdleAfter(tick())).toBe(false);
  expect(isIdleAfter(tick(), tick())).toBe(true);
  expect(isIdleAfter(tick(), tick([{ action: 'start', reason: 'start' }]), tick())).toBe(false);
});

test('a tick that was not admitted says nothing, a closed ledger is no rest', () => {
  expect(isIdleAfter(tick(), { kind: 'not-admitted' }, tick())).toBe(true);
  expect(isIdleAfter(tick(), { kind: 'not-admitted' })).toBe(false);
  expect(isIdleAfter(tick(), { kind: 'closed', opened: true, detail: '' }, tick())).toBe(false);
});

test.each([
  ['a live lease', tick([], { liveLeases: 1 })],
  ['an open write', tick([], { openWrites: 1 })],
  ['a tick that could not do everything', tick([], { complete: false })],
  ['a start', tick([{ action: 'start', reason: 'start' }])],
  ['a retry that is not due', tick([{ action: 'wait', reason: 'retry-not-due' }])],
  ['an open breaker', tick([{ action: 'wait', reason: 'breaker-open' }])],
  ['a used up quota', tick([{ action: 'wait', reason: 'quota' }])],
  ['what could not be read', tick([{ action: 'wait', reason: 'unknown' }])],
  ['a board that could not be read', tick([{ action: 'ignore', reason: 'read-incomplete' }])],
  ['a tick without time', tick([{ action: 'wait', reason: 'time' }])],
])('%s is waited for', (_, busy) => {
  expect(isIdleAfter(busy, busy, busy)).toBe(false);
});

test.each([
  'paused',
  'blocked',
  'review-queue-full',
  'budget-issue',
  'budget-day',
  'cap-board',
  'cap-deployment',
  'parked',
  'contract-invalid',
] as const)('waiting for %s is idle', (reason) => {
  const report = tick([{ action: 'wait', reason }]);
  expect(isIdleAfter(report, report)).toBe(true);
});

test('an issue that the board calls broken waits for a person to mend it, and is idle', () => {
  const report = tick([{ action: 'wait', reason: 'unknown', toResume: 'mend the issue' }]);
  expect(isIdleAfter(report, report)).toBe(true);
});

test('a board that is not read for the sake of its quota is waited for, also if nothing of it is known', () => {
  const report = tick([], {}, { limitedUntil: 5 });
  expect(isIdleAfter(report, report, report)).toBe(false);
});

test('parked issues and invalid contracts are what a person has to look at', () => {
  const watch = idleWatch();
  watch.see(tick([{ action: 'wait', reason: 'parked' }]));
  expect(watch.trouble()).toEqual(['A is parked: so it is']);
  watch.see(tick([], {}, { valid: false, problems: [{ rule: 'r', path: 'p', message: 'no state Todo' }] }));
  expect(watch.trouble()).toEqual(['board board: no state Todo']);
  watch.see(tick([{ action: 'wait', reason: 'blocked' }]));
  expect(watch.trouble()).toEqual([]);
});

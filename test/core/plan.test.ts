import { describe, expect, test } from 'vitest';
import type { Arn, IssueKey, Reading, StateName, TurnId } from '../../lib/core/issue.ts';
import type { LiveTask } from '../../lib/core/observation.ts';
import { planTick } from '../../lib/core/plan.ts';
import { buildIssue } from '../support/build-issue.ts';
import {
  buildLease,
  buildObservation,
  invalidContract,
  now,
  type ObservationFields,
  turnId,
} from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const plan = (fields: ObservationFields) =>
  planTick(buildObservation(fields), buildWorkflow(), { cap: 9, used: 0 }, now);
const told = (fields: ObservationFields) =>
  plan(fields).decisions.map(({ key, action, reason }) => `${key} ${action}/${reason}`);
const found = (id: string, state: string): Reading => ({ kind: 'found', issue: buildIssue({ id, state }) });
const parked = { reason: 'failures', since: 1, detail: 'it failed', toResume: 'move it' } as const;

describe('a plan', () => {
  test('of an empty board is empty', () => {
    expect(plan({})).toEqual({ problems: [], decisions: [] });
  });

  test('lists repairs before admissions', () => {
    const held = buildLease('Z', { phase: 'claimed', epoch: 1 });
    expect(
      told({ issues: [buildIssue({ id: 'A' })], leases: [held], readings: { Z: found('Z', 'Todo') } }),
    ).toEqual(['Z release/superseded', 'A start/start']);
  });

  test('has one decision for an issue that is listed and held', () => {
    const held = buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now });
    expect(told({ issues: [buildIssue({ id: 'A', state: 'In Progress' })], leases: [held] })).toEqual([
      'A keep/running',
    ]);
  });

  test('believes a read by id before the list', () => {
    const held = buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now });
    expect(
      told({ issues: [buildIssue({ id: 'A' })], leases: [held], readings: { A: found('A', 'Done') } }),
    ).toEqual(['A stop/terminal']);
  });

  test('keeps a turn whose issue nobody read', () => {
    expect(
      told({ leases: [buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now })] }),
    ).toEqual(['A keep/unknown']);
  });

  test('carries the problems of an invalid contract', () => {
    expect(plan({ contract: invalidContract }).problems.map(({ rule }) => rule)).toEqual(['state-exists']);
  });

  test('is the same for the same observation', () => {
    const fields = { issues: [buildIssue({ id: 'B' }), buildIssue({ id: 'A' })] };
    expect(plan(fields)).toEqual(plan(fields));
  });

  test('finishes an open write of an idle issue and does not start it', () => {
    const pending = { turnId, to: 'Done' as StateName, from: undefined, by: 'x' };
    expect(told({ issues: [buildIssue({ id: 'A' })], leases: [buildLease('A', { pending })] })).toEqual([
      'A finish-write/write-open',
    ]);
  });
});

describe("a person's move", () => {
  test('resets the issue and starts it in the same plan', () => {
    const lease = buildLease('A', {
      seenState: 'In Review' as StateName,
      parked,
      turns: 99,
      nextAt: now + 1,
    });
    expect(told({ issues: [buildIssue({ id: 'A' })], leases: [lease] })).toEqual([
      'A reset/moved-by-person',
      'A start/start',
    ]);
  });

  test('is seen in any spelling of another state only', () => {
    const lease = buildLease('A', { seenState: ' TODO ' as StateName, parked });
    expect(told({ issues: [buildIssue({ id: 'A' })], leases: [lease] })).toEqual(['A wait/parked']);
  });

  test('is not seen in what an automation did', () => {
    const lease = buildLease('A', { seenState: 'In Review' as StateName, parked });
    expect(told({ issues: [buildIssue({ id: 'A', movedBy: 'automation' })], leases: [lease] })).toEqual([
      'A wait/parked',
    ]);
  });

  test('is not seen where nothing was seen before, or no state is there now', () => {
    expect(
      told({
        issues: [buildIssue({ id: 'A' })],
        leases: [buildLease('A', { seenState: undefined, parked })],
      }),
    ).toEqual(['A wait/parked']);
    const stateless: Reading = { kind: 'found', issue: buildIssue({ id: 'A', state: undefined }) };
    expect(told({ leases: [buildLease('A', { parked })], readings: { A: stateless } })).toEqual([
      'A wait/parked',
    ]);
  });

  test('of a parked issue into a column that is not active unparks it', () => {
    const lease = buildLease('A', { seenState: 'In Review' as StateName, parked });
    expect(told({ leases: [lease], readings: { A: found('A', 'Backlog') } })).toEqual([
      'A reset/moved-by-person',
      'A ignore/not-active',
    ]);
  });

  test('says from where to where', () => {
    const lease = buildLease('A', { seenState: 'In Review' as StateName });
    expect(plan({ issues: [buildIssue({ id: 'A' })], leases: [lease] }).decisions[0]?.detail).toContain(
      'from "In Review" to "Todo"',
    );
  });
});

describe('an issue that the list does not show', () => {
  test.each<[string, Reading, Partial<Parameters<typeof buildLease>[1]>]>([
    ['A ignore/gone', { kind: 'gone' }, {}],
    ['A wait/unknown', { kind: 'unknown', problem: 'down' }, {}],
    ['A wait/parked', found('A', 'In Review'), { seenState: 'In Review' as StateName, parked }],
    ['A ignore/not-active', found('A', 'In Review'), { seenState: 'In Review' as StateName }],
    ['A ignore/terminal', found('A', 'Done'), { seenState: 'Done' as StateName }],
    ['A wait/read-incomplete', found('A', 'Todo'), {}],
  ])('is %s', (what, reading, lease) => {
    expect(told({ leases: [buildLease('A', lease)], readings: { A: reading } })).toEqual([what]);
  });

  test('is not mentioned when it was not read and nothing of it is open', () => {
    expect(told({ leases: [buildLease('A')] })).toEqual([]);
  });

  test.each(['In Review', 'Done', 'Backlog'])(
    'does not wait while the list is incomplete if it stood in %s',
    (state) => {
      const listing = { kind: 'incomplete', problem: 'page 3 failed' } as const;
      const lease = buildLease('A', { seenState: state as StateName });
      expect(plan({ listing, leases: [lease] }).decisions).toMatchObject([
        { action: 'ignore', reason: 'read-incomplete', detail: expect.stringContaining(`"${state}"`) },
      ]);
    },
  );

  test('waits while the list is incomplete, also if nobody knows where it stood or what is active', () => {
    const listing = { kind: 'incomplete', problem: 'page 3 failed' } as const;
    const nowhere = buildLease('A', { seenState: undefined });
    expect(told({ listing, leases: [nowhere] })).toEqual(['A wait/read-incomplete']);
    const contract = { valid: false, problems: [], contract: undefined } as const;
    const reviewed = buildLease('A', { seenState: 'In Review' as StateName });
    expect(told({ listing, contract, leases: [reviewed] })).toEqual(['A wait/read-incomplete']);
  });

  test('waits while the list is incomplete, and nothing starts', () => {
    const listing = { kind: 'incomplete', problem: 'page 3 failed' } as const;
    expect(plan({ listing, leases: [buildLease('A')] }).decisions).toMatchObject([
      { action: 'wait', reason: 'read-incomplete', detail: 'page 3 failed' },
    ]);
  });

  test('is not missed where nothing is known of it: a list that failed is a problem of the board, an empty one is none', () => {
    const listing = { kind: 'incomplete', problem: 'page 3 failed' } as const;
    expect(plan({ listing })).toMatchObject({
      problems: [
        { rule: 'board-read', message: expect.stringContaining('could not be read: page 3 failed') },
      ],
      decisions: [],
    });
    const problems = invalidContract.valid ? [] : invalidContract.problems;
    expect(plan({ listing, contract: invalidContract }).problems).toEqual(problems);
    expect(plan({}).problems).toEqual([]);
  });
});

describe('an issue that cannot be understood', () => {
  const broken = (id: string, conflictingStates: boolean) => ({
    id: id as never,
    key: id as IssueKey,
    problem: 'line 3 is broken',
    conflictingStates,
  });
  const listing = {
    kind: 'complete',
    issues: [buildIssue({ id: 'B' })],
    broken: [broken('A', false), broken('C', true)],
    inHandoff: 0,
  } as const;

  test('waits with its reason and does not hold up the others', () => {
    expect(told({ listing })).toEqual(['B start/start', 'A wait/unknown', 'C wait/conflicting-states']);
  });

  test('is mentioned once, also when the ledger knows it', () => {
    const readings = { A: { kind: 'unknown', problem: 'line 3 is broken' } as const };
    expect(told({ listing, leases: [buildLease('A', { parked })], readings })).toEqual([
      'B start/start',
      'A wait/unknown',
      'C wait/conflicting-states',
    ]);
  });

  test('keeps its turn', () => {
    const lease = buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now });
    const readings = { A: { kind: 'unknown', problem: 'line 3 is broken' } as const };
    expect(told({ listing, leases: [lease], readings })).toEqual([
      'A keep/unknown',
      'B start/start',
      'C wait/conflicting-states',
    ]);
  });
});

describe('a live task', () => {
  const task = (issueId: string, turn: string): LiveTask => ({
    arn: `arn-${turn}` as Arn,
    turnId: turn as TurnId,
    board: 'board' as never,
    issueId: issueId as never,
    attempt: 1,
    capStates: [],
  });

  test('that its lease names is left', () => {
    const lease = buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now });
    expect(
      told({
        issues: [buildIssue({ id: 'A', state: 'In Progress' })],
        leases: [lease],
        liveTasks: [task('A', turnId)],
      }),
    ).toEqual(['A keep/running']);
  });

  test('that no lease names keeps its issue from starting, and no other one', () => {
    const issues = [buildIssue({ id: 'A' }), buildIssue({ id: 'B' })];
    expect(told({ issues, liveTasks: [task('A', 'other')] })).toEqual(['A stop/superseded', 'B start/start']);
  });

  test('that no lease names is stopped', () => {
    expect(plan({ liveTasks: [task('A', 'other')] }).decisions).toMatchObject([
      { action: 'stop', reason: 'superseded', orphan: { turnId: 'other' } },
    ]);
    expect(told({ leases: [buildLease('A')], liveTasks: [task('A', 'other')] })).toEqual([
      'A stop/superseded',
    ]);
  });
});

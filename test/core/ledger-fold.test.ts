import { describe, expect, test } from 'vitest';
import type { Arn, StateName } from '../../lib/core/issue.ts';
import { type Lease, noCounters } from '../../lib/core/lease.ts';
import { foldSettlement, resetLedger } from '../../lib/core/ledger-fold.ts';
import type { SettlementRecord } from '../../lib/core/settle.ts';
import { buildLease, now, turnId } from '../support/build-observation.ts';
import { completed, failed } from '../support/world.ts';

const lease = buildLease('A', {
  turns: 2,
  spendUsd: 1,
  spendTokens: 10,
  counters: { agent: 1, verification: 1, delivery: 1, policy: 1, noProgress: 1, infrastructure: 0 },
});

function fold(fields: Partial<SettlementRecord>, before: Lease = lease) {
  const record: SettlementRecord = {
    board: lease.board,
    issueId: lease.issueId,
    key: lease.key,
    turnId,
    attempt: 1,
    outcome: 'retry',
    failureClass: undefined,
    reason: 'r',
    nextAt: undefined,
    parked: undefined,
    state: 'In Review' as StateName,
    policyHash: undefined,
    transitions: [],
    result: completed,
    arn: 'arn' as Arn,
    startedAt: now,
    endedAt: now,
    ...fields,
  };
  return foldSettlement(before, record);
}

describe('a settled turn', () => {
  test('that succeeded clears every counter and counts as a turn', () => {
    expect(fold({ outcome: 'handed-off' }).set).toMatchObject({
      counters: noCounters,
      turns: 3,
      seenState: 'In Review',
    });
  });

  test.each(['agent', 'verification', 'delivery', 'policy'] as const)(
    'of the class %s raises that counter alone',
    (name) => {
      expect(fold({ failureClass: name }).set).toMatchObject({
        turns: 3,
        counters: { ...lease.counters, [name]: 2 },
      });
    },
  );

  test('without progress raises that counter and clears the agent’s failures', () => {
    expect(fold({ failureClass: 'no-progress', outcome: 'recheck' }).set).toMatchObject({
      turns: 3,
      counters: { ...lease.counters, agent: 0, noProgress: 2 },
    });
  });

  test.each(['infrastructure', 'authentication', 'billing'] as const)(
    'of the class %s uses up nothing',
    (name) => {
      expect(fold({ failureClass: name, outcome: 'recheck' }).set).toMatchObject({
        turns: 2,
        counters: lease.counters,
      });
    },
  );

  test('that was interrupted for its issue’s own reasons raises that counter alone, and is no turn', () => {
    for (const outcome of ['retry', 'parked'] as const) {
      expect(fold({ failureClass: 'infrastructure', outcome }).set).toMatchObject({
        turns: 2,
        counters: { ...lease.counters, infrastructure: 1 },
      });
    }
  });

  test.each([undefined, 'agent', 'verification', 'no-progress', 'delivery', 'policy'] as const)(
    'that came to an end of its own begins the count of interruptions anew: %s',
    (failureClass) => {
      const before = { ...lease, counters: { ...lease.counters, infrastructure: 4 } };
      expect(fold({ failureClass }, before).set.counters).toMatchObject({ infrastructure: 0 });
    },
  );

  test('that was cancelled leaves the issue as after a reset', () => {
    const update = fold({ failureClass: 'cancelled', outcome: 'released', state: 'Backlog' as StateName });
    expect(update.set).toMatchObject({ turns: 0, counters: noCounters, seenState: 'Backlog' });
    expect(update.remove).toEqual(expect.arrayContaining(['parked', 'nextAt', 'retryClass', 'feedback']));
  });

  test('leaves its retry, or clears an older one', () => {
    expect(fold({ nextAt: 5, failureClass: 'agent' })).toMatchObject({
      set: { nextAt: 5, retryClass: 'agent' },
    });
    expect(fold({ nextAt: 5 }).set.retryClass).toBe('recheck');
    expect(fold({}).remove).toEqual(expect.arrayContaining(['nextAt', 'retryClass']));
  });

  test('leaves its park, or clears an older one', () => {
    const parked = { reason: 'failures', since: 1, detail: 'd', toResume: 'r' } as const;
    expect(fold({ parked }).set.parked).toEqual(parked);
    expect(fold({ parked }).remove).not.toContain('parked');
    expect(fold({}).remove).toContain('parked');
  });

  test('leaves its word to the next turn, or clears an older one', () => {
    const result = { ...failed('verification'), feedback: 'line 3' };
    expect(fold({ result }).set.feedback).toBe('line 3');
    expect(fold({ result }).remove).not.toContain('feedback');
    expect(fold({}).remove).toContain('feedback');
  });

  test('keeps what was seen of the board when it read nothing', () => {
    expect(fold({ state: undefined }).set).not.toHaveProperty('seenState');
  });

  test('gives the same item when it is folded a second time from the same lease', () => {
    expect(fold({ failureClass: 'agent' })).toEqual(fold({ failureClass: 'agent' }));
  });

  test('names no field both to set and to remove', () => {
    for (const failureClass of [undefined, 'agent', 'cancelled', 'infrastructure'] as const) {
      const update = fold({
        failureClass,
        nextAt: 1,
        parked: { reason: 'failures', since: 1, detail: 'd', toResume: 'r' },
      });
      expect(update.remove.filter((field) => field in update.set)).toEqual([]);
    }
  });
});

describe('spend', () => {
  const usage = (usd?: number, tokens?: number) => ({ ...completed, usage: { usd, tokens } });

  test('is added to the issue and to its day', () => {
    expect(fold({ result: usage(2, 5) }).set).toMatchObject({
      spendUsd: 3,
      spendTokens: 15,
      unknownUsageTurns: 0,
      spendDay: { day: '2026-01-01', usd: 2 },
    });
    expect(
      fold({ result: usage(2) }, { ...lease, spendDay: { day: '2026-01-01', usd: 4 } }).set.spendDay,
    ).toEqual({ day: '2026-01-01', usd: 6 });
    expect(
      fold({ result: usage(2) }, { ...lease, spendDay: { day: '2025-12-31', usd: 4 } }).set.spendDay,
    ).toEqual({ day: '2026-01-01', usd: 2 });
  });

  test('that is unknown is counted as a turn, and as none where no turn ran', () => {
    expect(fold({}).set.unknownUsageTurns).toBe(1);
    expect(fold({ startedAt: undefined }).set.unknownUsageTurns).toBe(0);
    expect(fold({ result: usage(0) }).set.unknownUsageTurns).toBe(0);
  });

  test('of a cancelled turn counts for the day and starts the issue’s count anew', () => {
    expect(fold({ failureClass: 'cancelled', outcome: 'released', result: usage(2, 7) }).set).toMatchObject({
      spendUsd: 2,
      spendTokens: 7,
      spendDay: { usd: 2 },
    });
  });
});

test('a reset clears all that a person has decided anew, and nothing of what was seen without a state', () => {
  expect(resetLedger('Todo' as StateName)).toEqual({
    set: {
      counters: noCounters,
      turns: 0,
      spendUsd: 0,
      spendTokens: 0,
      unknownUsageTurns: 0,
      seenState: 'Todo',
    },
    remove: ['nextAt', 'retryClass', 'parked', 'feedback', 'goneSince', 'finishedSince'],
  });
  expect(resetLedger(undefined).set).not.toHaveProperty('seenState');
});

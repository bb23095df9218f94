import { describe, expect, test } from 'vitest';
import type { BoardRecord } from '../../lib/core/board-record.ts';
import { keepLearnt } from '../../lib/core/board-writes.ts';
import { allows } from '../../lib/core/change.ts';
import type { LiveContract } from '../../lib/core/contract.ts';
import type { BoardId } from '../../lib/core/issue.ts';
import {
  boundLimit,
  costBetween,
  limitAhead,
  sparesHints,
  sumCosts,
  sumQuotas,
} from '../../lib/core/tracker-quota.ts';
import { invalidContract, now, validContract } from '../support/build-observation.ts';

const longest = 65 * 60_000;
const board = { board: 'board' as BoardId, v: 3 };

test('hints are spared while what is left does for two hours of the schedule, and where nobody says what is left', () => {
  const after = (points: number, remaining?: number) =>
    sparesHints({ requests: 9, points, ...(remaining === undefined ? {} : { remaining }) });
  expect([sparesHints(undefined), after(6), after(6, 1_220), after(1, 620)]).toEqual(Array(4).fill(true));
  expect([after(6, 1_219), after(1, 619), after(0, 0)]).toEqual(Array(3).fill(false));
});

describe('a limit', () => {
  test.each([
    ['none is kept', undefined, undefined],
    ['it has just passed', now, undefined],
    ['it lies ahead', now + 1, now + 1],
    ['it is as far ahead as a quota can be', now + longest, now + longest],
    ['the clock must have jumped since', now + longest + 1, undefined],
  ])('where %s', (_, quotaResetAt, until) => {
    expect(limitAhead({ quotaResetAt }, now)).toBe(until);
  });

  test('of a board that nothing is kept of is none', () => {
    expect(limitAhead(undefined, now)).toBeUndefined();
  });

  test('is kept as told, and never for longer than a quota can last', () => {
    expect(boundLimit(now + 5, now)).toBe(now + 5);
    expect(boundLimit(now + 86_400_000, now)).toBe(now + longest);
    expect(boundLimit(now, now)).toBeUndefined();
    expect(boundLimit(undefined, now)).toBeUndefined();
  });
});

describe('what a tick keeps of a board', () => {
  const keep = (record: BoardRecord | undefined, limitedUntil: number | undefined, live = validContract) =>
    keepLearnt(record, { contract: live, limitedUntil }, now);
  const { record: contract } = validContract as Extract<LiveContract, { valid: true }>;
  const known = { ...board, contract };

  test('is the contract that holds and the limit that was met, in one write', () => {
    expect(keep(board, now + 5)?.set).toEqual({
      contract,
      quotaResetAt: now + 5,
    });
  });

  test('is nothing where nothing is new', () => {
    expect(keep(known, undefined)).toBeUndefined();
    expect(keep({ ...known, quotaResetAt: now + 5 }, now + 5)).toBeUndefined();
    expect(keep(board, undefined, invalidContract)).toBeUndefined();
  });

  test('is no contract that does not hold', () => {
    expect(keep(board, now + 5, invalidContract)?.set).toEqual({ quotaResetAt: now + 5 });
  });

  test('is refused when somebody else has changed the item since', () => {
    const [first, later] = [keep(undefined, now + 5)!, keep(board, now + 5)!];
    expect([allows(first, undefined), allows(first, board)]).toEqual([true, false]);
    expect([allows(later, board), allows(later, { ...board, v: 4 })]).toEqual([true, false]);
  });
});

describe('the price of a tick', () => {
  const quota = (requests: number, points: number, remaining?: number) => ({
    requests,
    points,
    remaining,
    limitedUntil: undefined,
  });

  test('is what was taken since it began', () => {
    expect(costBetween(quota(10, 12, 4_000), quota(13, 17, 3_995))).toEqual({
      requests: 3,
      points: 5,
      remaining: 3_995,
    });
    expect(costBetween(undefined, quota(2, 3))).toEqual({ requests: 2, points: 3, remaining: undefined });
  });

  test('is the sum over its boards, and what the scarcest quota leaves', () => {
    expect(
      sumCosts([
        { requests: 1, points: 2, remaining: 90 },
        { requests: 3, points: 4 },
      ]),
    ).toEqual({
      requests: 4,
      points: 6,
      remaining: 90,
    });
    expect(
      sumCosts([
        { requests: 1, points: 1, remaining: 90 },
        { requests: 1, points: 1, remaining: 80 },
      ]),
    ).toMatchObject({ remaining: 80 });
    expect(sumCosts([{ requests: 1, points: 1 }])).toEqual({ requests: 1, points: 1 });
  });

  test('is none where no board has one', () => {
    expect(sumCosts([])).toBeUndefined();
  });
});

test('what went several ways is counted together, and leaves as much as the one that is nearest to its end', () => {
  const quota = { requests: 2, points: 3, remaining: 90, limitedUntil: undefined };
  expect(sumQuotas([quota, { ...quota, remaining: 40 }])).toEqual({
    requests: 4,
    points: 6,
    remaining: 40,
    limitedUntil: undefined,
  });
  expect(sumQuotas([{ ...quota, remaining: undefined }])).toEqual({ ...quota, remaining: undefined });
  expect(sumQuotas([])).toBeUndefined();
});

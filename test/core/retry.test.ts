import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeBreakers } from '../../lib/core/breaker.ts';
import type { BoardId, TurnId } from '../../lib/core/issue.ts';
import { backoffMs, breakerMs } from '../../lib/core/retry.ts';
import type { FailureClass } from '../../lib/core/settle.ts';
import { now } from '../support/build-observation.ts';

const turn = (text: string) => text as TurnId;

describe('the wait after a failure', () => {
  test('doubles from ten seconds up to the cap, at least half of it fixed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.string(),
        fc.integer({ min: 0, max: 400_000 }),
        (failures, id, cap) => {
          const full = Math.min(cap, 10_000 * 2 ** (failures - 1));
          const wait = backoffMs(failures, turn(id), cap);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(full / 2));
          expect(wait).toBeLessThanOrEqual(Math.ceil(full));
        },
      ),
    );
  });

  test('is the same for the same turn and spread over different ones', () => {
    expect(backoffMs(1, turn('a'), 300_000)).toBe(backoffMs(1, turn('a'), 300_000));
    const waits = new Set(Array.from({ length: 100 }, (_, at) => backoffMs(1, turn(`t${at}`), 300_000)));
    expect(waits.size).toBeGreaterThan(90);
    expect(Math.min(...waits)).toBeLessThan(6_000);
    expect(Math.max(...waits)).toBeGreaterThan(9_000);
  });

  test('of nothing is that of one failure', () => {
    expect(backoffMs(0, turn('a'), 300_000)).toBe(backoffMs(1, turn('a'), 300_000));
  });
});

test('a breaker opens for thirty seconds, doubled each time up to a quarter of an hour', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 99].map(breakerMs)).toEqual([
    30_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000,
  ]);
});

describe('the breakers of a board', () => {
  const settled = (failureClass: FailureClass | undefined, startedAt: number | undefined = now) => ({
    turnId: turn('t2'),
    failureClass,
    reason: 'r',
    startedAt,
  });
  const open = { until: now, tries: 2, reason: 'before', turnId: 't1' };
  const board = (breakers: Record<string, typeof open>) => ({ board: 'b' as BoardId, v: 3, breakers });

  test('are opened by trouble of the platform, on a board without an item too', () => {
    expect(
      changeBreakers(undefined, settled('infrastructure'), { breaker: 'launch' }, 'command', now),
    ).toMatchObject({
      when: [[{ field: 'v', is: 'absent' }]],
      set: { breakers: { launch: { until: now + 30_000, tries: 1, reason: 'r', turnId: 't2' } } },
    });
  });

  test('are opened for longer by the next trouble, and the others are kept', () => {
    const change = changeBreakers(
      board({ launch: open, 'agent:codex': open }),
      settled('infrastructure'),
      { breaker: 'launch' },
      'command',
      now,
    );
    expect(change).toMatchObject({ when: [[{ field: 'v', is: 'equal', value: 3 }]] });
    expect(change?.set.breakers).toEqual({
      launch: { until: now + 120_000, tries: 3, reason: 'r', turnId: 't2' },
      'agent:codex': open,
    });
  });

  test('count the turns of one outage once, settled twice and in any order', () => {
    const settle = (known: ReturnType<typeof board>, turnId: string, at: number) => {
      const trouble = { ...settled('infrastructure'), turnId: turn(turnId) };
      const change = changeBreakers(known, trouble, { breaker: 'launch' }, 'command', at);
      return change === undefined ? known : board(change.set.breakers as Record<string, typeof open>);
    };
    const outage = [...['a', 'b', 'a', 'b', 'c'].entries()].reduce(
      (known, [second, turnId]) => settle(known, turnId, now + second * 1_000),
      board({}),
    );
    expect(outage.breakers).toMatchObject({ launch: { tries: 1, until: now + 30_000 } });
    expect(settle(outage, 'd', now + 30_000).breakers).toMatchObject({ launch: { tries: 2 } });
  });

  test('are opened once for one turn', () => {
    const known = board({ launch: { ...open, turnId: 't2' } });
    expect(
      changeBreakers(known, settled('infrastructure'), { breaker: 'launch' }, 'command', now),
    ).toBeUndefined();
  });

  test('of an agent are opened by its account’s trouble', () => {
    expect(
      changeBreakers(board({}), settled('billing'), { breaker: 'agent' }, 'codex', now)?.set.breakers,
    ).toHaveProperty('agent:codex');
  });

  test.each([undefined, 'agent', 'verification', 'no-progress', 'delivery', 'policy'] as const)(
    'are closed by a turn that got past such trouble: %s',
    (failureClass) => {
      const known = board({ launch: open, 'agent:command': open, 'agent:codex': open });
      expect(
        changeBreakers(known, settled(failureClass), { breaker: undefined }, 'command', now)?.set.breakers,
      ).toEqual({ 'agent:codex': open });
    },
  );

  test.each<[FailureClass | undefined, number | undefined]>([
    ['infrastructure', now],
    ['cancelled', now],
    ['agent', undefined],
  ])('are left by a turn that proves nothing: %s, started at %s', (failureClass, startedAt) => {
    const turnThatProvesNothing = { ...settled(failureClass), startedAt };
    expect(
      changeBreakers(board({ launch: open }), turnThatProvesNothing, { breaker: undefined }, 'command', now),
    ).toBeUndefined();
  });

  test('are left when there are none', () => {
    expect(
      changeBreakers(board({}), settled(undefined), { breaker: undefined }, 'command', now),
    ).toBeUndefined();
    expect(
      changeBreakers(undefined, settled(undefined), { breaker: undefined }, 'command', now),
    ).toBeUndefined();
  });
});

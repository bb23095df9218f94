import { describe, expect, test } from 'vitest';
import type { TickRecord } from '../../lib/core/board-record.ts';
import { allows, applyChange, type Change } from '../../lib/core/change.ts';
import {
  countHint,
  finishTick,
  finishTickOwing,
  openTick,
  putTickClosed,
  renewGeneration,
  stampClosed,
  startTick,
} from '../../lib/core/tick-writes.ts';

const closed: TickRecord = { v: 1, gen: 'g' };
const open: TickRecord = { ...closed, epoch: 4, done: 4, dirty: 2, seen: 2 };
const me = { gen: 'g', epoch: 4 };
const can = (change: Change<TickRecord>, item: TickRecord | undefined) => allows(change, item);
const after = (change: Change<TickRecord>, item: TickRecord | undefined) =>
  applyChange<TickRecord>(change, item);

describe('a scheduled tick', () => {
  test('takes the next number of an open record, whether another one runs or not', () => {
    expect(after(startTick('scheduled', 9), open)).toMatchObject({ epoch: 5, startedAt: 9, stamp: 9 });
    expect(can(startTick('scheduled', 9), { ...open, done: 3 })).toBe(true);
  });

  test('is refused while the record is missing or closed', () => {
    expect(can(startTick('scheduled', 9), undefined)).toBe(false);
    expect(can(startTick('scheduled', 9), closed)).toBe(false);
  });
});

describe("a hint's tick", () => {
  test('is admitted when none runs and something is unseen', () => {
    expect(can(startTick('hint', 9), { ...open, dirty: 3 })).toBe(true);
    expect(can(startTick('hint', 9), open)).toBe(false);
    expect(can(startTick('hint', 9), { ...open, dirty: 3, done: 3 })).toBe(false);
    expect(can(startTick('hint', 9), closed)).toBe(false);
    expect(can(startTick('hint', 9), undefined)).toBe(false);
  });

  test('leaves the stamp of the schedule', () => {
    expect(after(startTick('hint', 9), { ...open, stamp: 5 }).stamp).toBe(5);
  });
});

describe('finishing', () => {
  test('is refused when a hint came since, when a newer tick runs, and in another generation', () => {
    expect(after(finishTick(me, 2, { cursor: 7 }), { ...open, done: 3 })).toMatchObject({
      done: 4,
      seen: 2,
      cursor: 7,
    });
    expect(can(finishTick(me, 1, {}), open)).toBe(false);
    expect(can(finishTick(me, 2, {}), { ...open, epoch: 5 })).toBe(false);
    expect(can(finishTick(me, 2, {}), { ...open, gen: 'h' })).toBe(false);
  });

  test('with hints owed leaves them unseen', () => {
    expect(after(finishTickOwing(me, 1, {}), open)).toMatchObject({ done: 4, seen: 1, dirty: 2 });
    expect(can(finishTickOwing(me, 1, {}), { ...open, epoch: 5 })).toBe(false);
  });
});

test('a hint is counted on an open record, and creates none', () => {
  expect(after(countHint(), open).dirty).toBe(3);
  expect(can(countHint(), closed)).toBe(false);
  expect(can(countHint(), undefined)).toBe(false);
});

test('a record is put closed once, stamped once, and opened in its own generation only', () => {
  expect(after(putTickClosed('g'), undefined)).toEqual({ gen: 'g' });
  expect(can(putTickClosed('g'), closed)).toBe(false);
  expect(after(stampClosed('g', 5), closed).since).toBe(5);
  expect(can(stampClosed('g', 5), { ...closed, since: 1 })).toBe(false);
  expect(can(stampClosed('h', 5), closed)).toBe(false);
  expect(can(stampClosed('g', 5), open)).toBe(false);
  expect(after(openTick('g'), closed)).toMatchObject({ epoch: 0, done: 0, dirty: 0, seen: 0 });
  expect(can(openTick('g'), open)).toBe(false);
  expect(can(openTick('h'), closed)).toBe(false);
});

test('a record out of a backup is closed under a new generation, whatever it was, and keeps everything else', () => {
  const renewed = after(renewGeneration('g', 'h'), { ...open, since: 3, finishedAt: 8 });
  expect(renewed).toEqual({ v: 1, gen: 'h', done: 4, dirty: 2, seen: 2, finishedAt: 8 });
  expect(after(renewGeneration('g', 'h'), { ...closed, since: 3 })).toEqual({ v: 1, gen: 'h' });
  expect(can(openTick('g'), renewed)).toBe(false);
  expect(after(openTick('h'), renewed)).toMatchObject({ epoch: 0, done: 0, dirty: 0, seen: 0 });
});

test('a generation is renewed once: whoever saw the old one at the same time is refused, and nothing is made of nothing', () => {
  expect(can(renewGeneration('g', 'i'), after(renewGeneration('g', 'h'), open))).toBe(false);
  expect(can(renewGeneration('g', 'h'), undefined)).toBe(false);
});

test('what the old generation still had to do is refused after the renewal', () => {
  const renewed = after(renewGeneration('g', 'h'), open);
  const old = [
    startTick('scheduled', 9),
    finishTick(me, 2, {}),
    finishTickOwing(me, 2, {}),
    stampClosed('g', 9),
  ];
  expect(old.filter((change) => can(change, renewed))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { allows } from '../../lib/core/change.ts';
import { chooseDormant } from '../../lib/core/forget.ts';
import type { IssueId, Reading, StateName, TurnId } from '../../lib/core/issue.ts';
import { claim } from '../../lib/core/launch-writes.ts';
import type { Lease } from '../../lib/core/lease.ts';
import { resetLedger } from '../../lib/core/ledger-fold.ts';
import { forget } from '../../lib/core/note-writes.ts';
import type { Observation } from '../../lib/core/observation.ts';
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
import { usualTiming } from '../support/world.ts';

const lookTick = usualTiming.dormantLookTicks;
const longAgo = now - 14 * 86_400_000;
const park = { reason: 'failures', since: 1, detail: 'd', toResume: 'r' } as const;
const pending = { turnId, to: 'Done' as StateName, from: undefined, by: 'run-1' };

const found = (fields: Parameters<typeof buildIssue>[0]): Reading => ({
  kind: 'found',
  issue: buildIssue({ id: 'A', ...fields }),
});
const done = found({ state: 'Done' });
const ripe = (fields: Partial<Lease> = {}) => buildLease('A', { finishedSince: longAgo, ...fields });

function planned(fields: ObservationFields) {
  const { decisions } = planTick(buildObservation(fields), buildWorkflow(), { cap: 9, used: 0 }, now);
  return decisions;
}
const said = (fields: ObservationFields) =>
  planned(fields).map(({ action, reason, note }) => ({ action, reason, note }));

/** What keeps a lease, or the look at its issue: each alone. */
const kept: [string, Partial<Lease>][] = [
  ['a turn', { phase: 'running' }],
  ['a move that is not seen through', { pending }],
  ['a park', { parked: park }],
  ['a retry, even one that is due', { nextAt: 1 }],
  ['a newer version of the protocol', { pv: 2 }],
];

describe('of a dormant issue', () => {
  test('that is read as finished, or is gone, the time is noted', () => {
    const noted = { set: { finishedSince: now }, remove: [] };
    const leases = [buildLease('A')];
    expect(said({ leases, dormant: { A: done } })).toEqual([
      { action: 'ignore', reason: 'terminal', note: noted },
    ]);
    expect(said({ leases, dormant: { A: found({ state: 'In Review', closed: true }) } })).toEqual([
      { action: 'ignore', reason: 'terminal', note: noted },
    ]);
    expect(said({ leases, dormant: { A: { kind: 'gone' } } })).toEqual([
      { action: 'ignore', reason: 'gone', note: noted },
    ]);
  });

  test('that is read as finished again 14 days later the lease is forgotten', () => {
    expect(said({ leases: [ripe()], dormant: { A: done } })).toEqual([
      { action: 'forget', reason: 'terminal', note: undefined },
    ]);
    expect(said({ leases: [ripe()], dormant: { A: { kind: 'gone' } } })).toEqual([
      { action: 'forget', reason: 'gone', note: undefined },
    ]);
  });

  test('nothing is forgotten a moment earlier', () => {
    expect(said({ leases: [ripe({ finishedSince: longAgo + 1 })], dormant: { A: done } })).toEqual([]);
  });

  test('that was taken back the time is noted no more, wherever it stands', () => {
    const taken = { set: {}, remove: ['finishedSince'] };
    for (const [state, reason] of [
      ['Backlog', 'not-active'],
      ['In Review', 'not-active'],
      ['Todo', 'read-incomplete'],
    ] as const)
      expect(said({ leases: [ripe()], dormant: { A: found({ state }) } })).toEqual([
        { action: 'ignore', reason, note: taken },
      ]);
    expect(said({ leases: [buildLease('A')], dormant: { A: found({ state: 'Backlog' }) } })).toEqual([]);
  });

  test('that could not be read nothing follows', () => {
    expect(said({ leases: [ripe()], dormant: { A: { kind: 'unknown', problem: 'p' } } })).toEqual([]);
    expect(said({ leases: [ripe()] })).toEqual([]);
  });

  test('nothing follows while the contract does not hold', () => {
    expect(planned({ leases: [ripe()], dormant: { A: done }, contract: invalidContract })).toEqual([]);
  });

  test('nothing follows while the board could not be listed', () => {
    const listing = { kind: 'incomplete', problem: 'p' } as const;
    const forgotten = planned({ leases: [ripe()], dormant: { A: done }, listing });
    expect(forgotten.filter(({ action }) => action === 'forget')).toEqual([]);
  });

  test.each<[string, Partial<Extract<Observation['listing'], { kind: 'complete' }>>]>([
    ['among the active ones', { issues: [buildIssue({ id: 'A', state: 'Todo' })] }],
    [
      'as one that cannot be understood',
      { broken: [{ id: 'A' as IssueId, key: buildLease('A').key, problem: 'p', conflictingStates: false }] },
    ],
    [
      'as one in no column',
      { strays: [{ id: 'A' as IssueId, key: buildLease('A').key, state: 'Elsewhere' as StateName }] },
    ],
  ])('that the list shows %s nothing is forgotten or noted', (_, shown) => {
    const listing = { kind: 'complete', issues: [], broken: [], inHandoff: 0, ...shown } as const;
    for (const lease of [ripe(), buildLease('A')]) {
      const all = planned({ leases: [lease], dormant: { A: done }, listing });
      expect(all.filter(({ action, note }) => action === 'forget' || note !== undefined)).toEqual([]);
    }
  });

  test.each(kept)('that has %s nothing is forgotten', (_, fields) => {
    const all = planned({ leases: [ripe(fields)], dormant: { A: done }, tasks: 'unknown' });
    expect(all.filter(({ action }) => action === 'forget')).toEqual([]);
  });

  test('no more than 25 leases are forgotten in one tick', () => {
    const keys = Array.from({ length: 60 }, (_, at) => `K${at}`);
    const all = planned({
      leases: keys.map((key) => buildLease(key, { finishedSince: longAgo })),
      dormant: Object.fromEntries(keys.map((key) => [key, done])),
    });
    expect(all.map(({ action }) => action)).toEqual(Array.from({ length: 25 }, () => 'forget'));
  });
});

describe('it is looked whether idle issues are finished', () => {
  const chosen = (leases: readonly Lease[], fields: ObservationFields = {}) =>
    chooseDormant(leases, buildObservation({ epoch: lookTick, ...fields }), now);

  test('in one tick of many, while the board is known', () => {
    const leases = [buildLease('A')];
    expect(chosen(leases)).toEqual(['A']);
    expect(chosen(leases, { epoch: lookTick + 1 })).toEqual([]);
    expect(chosen(leases, { contract: invalidContract })).toEqual([]);
    expect(chosen(leases, { listing: { kind: 'incomplete', problem: 'p' } })).toEqual([]);
    expect(chosen(leases, { issues: [buildIssue({ id: 'A', state: 'Todo' })] })).toEqual([]);
  });

  test.each(kept)('of none that has %s', (_, fields) => {
    expect(chosen([ripe(fields)])).toEqual([]);
    expect(chosen([buildLease('A', fields)])).toEqual([]);
  });

  test('and of one that was, when its time has come', () => {
    expect(chosen([ripe()])).toEqual(['A']);
    expect(chosen([ripe({ finishedSince: longAgo + 1 })])).toEqual([]);
  });

  test('of a hundred at once, and of all in turn', () => {
    const leases = Array.from({ length: 250 }, (_, at) => buildLease(`K${at}`));
    const looks = [1, 2, 3, 4, 5].map((look) => chosen(leases, { epoch: look * lookTick }));
    expect(looks.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100]);
    expect(new Set(looks.flat()).size).toBe(250);
    expect(new Set(looks[0]).size).toBe(100);
  });
});

describe('the write that forgets a lease', () => {
  const seen = ripe();
  const can = (stored: Lease | undefined, of = seen) => allows(forget(of).change, stored);

  test('takes the item away as it was seen', () => {
    expect(can(seen)).toBe(true);
    expect(forget(seen).change.deletes).toBe(true);
    const turnless = ripe({ turnId: undefined });
    expect(can(turnless, turnless)).toBe(true);
  });

  test.each<[string, Partial<Lease>]>([
    ...kept,
    ['another version', { v: 2 }],
    ['another turn, at the same version', { turnId: `2-${'b'.repeat(26)}` as TurnId }],
    ['no turn, at the same version', { turnId: undefined }],
  ])('is refused of an item with %s', (_, fields) => {
    expect(can(ripe(fields))).toBe(false);
    // Also where it was seen so: a decision alone deletes nothing.
    if (kept.some(([, one]) => one === fields)) expect(can(ripe(fields), ripe(fields))).toBe(false);
  });

  test('is refused of an item with a turn where none was seen', () => {
    expect(can(seen, ripe({ turnId: undefined }))).toBe(false);
  });

  test('counts as made when there is no item, whoever took it away', () => {
    expect(can(undefined)).toBe(false);
    expect(forget(seen).mine(undefined)).toBe(true);
    expect(forget(seen).mine(seen)).toBe(false);
  });
});

test('a claim and a reset take away that the issue was finished', () => {
  const taken = claim({
    seen: ripe(),
    epoch: 7,
    turnId: `2-${'b'.repeat(26)}` as TurnId,
    attempt: 2,
    startedFrom: 'Todo' as StateName,
    capStates: [],
    now,
  }).change;
  expect(taken.remove).toContain('finishedSince');
  expect(taken.set).not.toHaveProperty('finishedSince');
  expect(resetLedger(undefined).remove).toContain('finishedSince');
});

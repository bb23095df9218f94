import { describe, expect, test } from 'vitest';
import { contractOf, type LiveContract } from '../../lib/core/contract.ts';
import type { StateName } from '../../lib/core/issue.ts';
import { isMergeLookDue } from '../../lib/core/merged.ts';
import { planTick } from '../../lib/core/plan.ts';
import { buildIssue } from '../support/build-issue.ts';
import {
  buildLease,
  buildObservation,
  now,
  type ObservationFields,
  validContract,
} from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const merges: LiveContract = {
  ...validContract,
  contract: contractOf({ ...recordOf(), merged: 'Done' as StateName }),
};
const inReview = buildIssue({ id: 'A', state: 'In Review' });

function recordOf() {
  if (!validContract.valid) throw new Error('the contract of the tests does not hold');
  return validContract.record;
}

function planned(fields: ObservationFields, workflow = buildWorkflow()) {
  const observation = buildObservation({ contract: merges, merged: [inReview], ...fields });
  const { decisions } = planTick(observation, workflow, { cap: 9, used: 0 }, now);
  return decisions.map(({ key, action, reason }) => `${key} ${action}/${reason}`);
}

describe('an issue whose pull request was merged', () => {
  test('is moved, whether the ledger remembers it or not', () => {
    expect(planned({})).toEqual(['A finish-write/merged']);
    const leases = [buildLease('A', { phase: 'idle', seenState: 'In Review' as StateName })];
    expect(planned({ leases })).toEqual(['A finish-write/merged']);
  });

  test('and that the ledger does not remember is left to people, where that was so long ago that it was forgotten', () => {
    const fortnight = 14 * 86_400_000;
    expect(planned({ mergedAt: now - fortnight + 1 })).toEqual(['A finish-write/merged']);
    expect(planned({ mergedAt: now - fortnight })).toEqual([]);
    expect(planned({ mergedAt: now - fortnight, leases: [buildLease('A', { phase: 'idle' })] })).toEqual([
      'A finish-write/merged',
    ]);
  });

  test('is told of once, also where it is parked or was moved there by a person', () => {
    const park = { reason: 'question', since: now, detail: 'd', toResume: 'r' } as const;
    const seenState = 'Todo' as StateName;
    const leases = [buildLease('A', { phase: 'idle', parked: park, seenState })];
    const readings = { A: { kind: 'found', issue: inReview } } as const;
    expect(planned({ leases, readings })).toEqual(['A finish-write/merged']);
  });

  test('is left to the other board, where two share a repository and tell their issues by a label', () => {
    const labelled = buildWorkflow({ tracker: { required_labels: ['web'] } });
    expect(planned({}, labelled)).toEqual([]);
    const merged = [buildIssue({ id: 'A', state: 'In Review', labels: ['Web'] })];
    expect(planned({ merged }, labelled)).toEqual(['A finish-write/merged']);
    // The label may have been taken away since a turn of this board.
    expect(planned({ leases: [buildLease('A', { phase: 'idle' })] }, labelled)).toEqual([
      'A finish-write/merged',
    ]);
  });

  test('counts from the start of its latest turn', () => {
    const at = (startedAt: number | undefined, claimedAt?: number) =>
      planned({ leases: [buildLease('A', { phase: 'idle', startedAt, claimedAt })], mergedAt: now });
    expect(at(now)).toEqual(['A finish-write/merged']);
    expect(at(now + 999)).toEqual(['A finish-write/merged']);
    expect(at(now + 1_000)).toEqual([]);
    expect(at(undefined, now + 1_000)).toEqual([]);
    expect(at(now, now + 1_000)).toEqual(['A finish-write/merged']);
  });

  test('is left where a person put it who took it back out of the merged state', () => {
    const leases = [buildLease('A', { phase: 'idle', seenState: 'Done' as StateName })];
    expect(planned({ leases })).toEqual([]);
  });

  test('is left alone while a turn holds it or a move of it is open', () => {
    const held = [buildLease('A', { phase: 'running', startedAt: now })];
    expect(planned({ leases: held })).not.toContain('A finish-write/merged');
    const pending = { turnId: undefined, to: 'Done', from: 'In Review', by: 'x' } as never;
    expect(planned({ leases: [buildLease('A', { phase: 'idle', pending })] })).toEqual([
      'A finish-write/write-open',
    ]);
  });

  test('is left alone while the contract does not hold or names no merged state', () => {
    expect(planned({ contract: validContract })).toEqual([]);
    const broken: LiveContract = { valid: false, problems: [], contract: merges.contract };
    expect(planned({ contract: broken })).toEqual([]);
  });
});

test.each([
  [0, []],
  [1, [1, 2, 3, 4, 5, 6]],
  [100, [1, 2, 3, 4, 5, 6]],
  [101, [2, 4, 6]],
  [250, [3, 6]],
])('of %i that wait, merges are looked for in the ticks %j', (waiting, ticks) => {
  expect([1, 2, 3, 4, 5, 6].filter((epoch) => isMergeLookDue(waiting, epoch))).toEqual(ticks);
});

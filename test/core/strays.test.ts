import { describe, expect, test } from 'vitest';
import type { IssueId, IssueKey, StateName, TrackerState } from '../../lib/core/issue.ts';
import type { StrayIssue } from '../../lib/core/observation.ts';
import { planTick } from '../../lib/core/plan.ts';
import { buildIssue } from '../support/build-issue.ts';
import {
  buildLease,
  buildObservation,
  invalidContract,
  now,
  type ObservationFields,
  validContract,
} from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const states = ['Todo', 'In Progress', 'In Review', 'Done'].map(
  (name, at): TrackerState => ({ id: String(at), name: name as StateName }),
);
const contract = validContract.valid
  ? { ...validContract, record: { ...validContract.record, states } }
  : validContract;
const stray = (key: string, state: string): StrayIssue => ({
  id: key as IssueId,
  key: key as IssueKey,
  state: state as StateName,
});

function plan(strays: readonly StrayIssue[], fields: ObservationFields = {}) {
  const listing = { kind: 'complete', issues: [], broken: [], inHandoff: 0, strays } as const;
  const observation = buildObservation({ contract, listing, ...fields });
  return planTick(observation, buildWorkflow(), { cap: 9, used: 0 }, now).decisions;
}

describe('an issue in a state that the board does not have', () => {
  test('waits for a person, and is told the nearest state there is', () => {
    expect(plan([stray('A', 'Tod')])).toMatchObject([
      {
        key: 'A',
        action: 'wait',
        reason: 'not-active',
        detail: 'it is in "Tod", which is none of the board\'s states (did you mean "Todo"?)',
        toResume: 'correct its state "Tod" (did you mean "Todo"?), or give the board such a state',
      },
    ]);
  });

  test('is told no state where none is near', () => {
    expect(plan([stray('A', 'Somewhere else')])[0]?.detail).not.toContain('did you mean');
  });

  test('is told once, also where the ledger knows it', () => {
    const reading = { kind: 'found', issue: buildIssue({ id: 'A', state: 'Tod' }) } as const;
    const known = { leases: [buildLease('A', { seenState: 'Tod' as StateName })], readings: { A: reading } };
    expect(plan([stray('A', 'Tod')], known)).toHaveLength(1);
  });

  test('is stopped like any other that is not active, while a turn of it runs', () => {
    const reading = { kind: 'found', issue: buildIssue({ id: 'A', state: 'Tod' }) } as const;
    const held = buildLease('A', { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now });
    expect(plan([stray('A', 'Tod')], { leases: [held], readings: { A: reading } })).toMatchObject([
      { action: 'stop', reason: 'not-active' },
    ]);
  });

  test('stays parked where it is parked', () => {
    const parked = { reason: 'failures', since: 1, detail: 'it failed', toResume: 'move it' } as const;
    const reading = { kind: 'found', issue: buildIssue({ id: 'A', state: 'Tod' }) } as const;
    const lease = buildLease('A', { parked, seenState: 'Tod' as StateName });
    expect(plan([stray('A', 'Tod')], { leases: [lease], readings: { A: reading } })).toMatchObject([
      { action: 'wait', reason: 'parked' },
    ]);
  });

  test('is no news while the contract does not hold: the state may just have got another name', () => {
    expect(plan([stray('A', 'Tod')], { contract: invalidContract })).toEqual([]);
  });
});

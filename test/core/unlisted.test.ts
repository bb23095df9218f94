import { describe, expect, test } from 'vitest';
import type { IssueId, IssueKey, Reading, StateName } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import type { Observation } from '../../lib/core/observation.ts';
import { decideUnlisted } from '../../lib/core/unlisted.ts';
import { buildIssue } from '../support/build-issue.ts';
import { buildLease, buildObservation, now } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const until = now + 60_000;
const limited: Observation['listing'] = { kind: 'incomplete', problem: 'no quota', limitedUntil: until };
const failed: Observation['listing'] = { kind: 'incomplete', problem: 'no answer' };
const unknown: Reading = { kind: 'unknown', problem: 'the issue was not answered' };
const found = (state: string): Reading => ({ kind: 'found', issue: buildIssue({ id: 'A', state }) });

function decide(
  listing: Observation['listing'] | undefined,
  reading: Reading | undefined,
  lease: Partial<Lease> = {},
) {
  const readings = new Map(reading === undefined ? [] : [['A' as IssueId, reading]]);
  const observation = buildObservation(listing === undefined ? {} : { listing });
  return decideUnlisted(observation, [buildLease('A', lease)], readings, buildWorkflow());
}

describe('an issue that the list does not show', () => {
  test('is said nothing of where the list is whole and nobody asked for it', () => {
    expect(decide(undefined, undefined)).toEqual([]);
  });

  test('waits for the quota, and until when, where the board is not read for its sake', () => {
    const waits = {
      issueId: 'A',
      key: 'A',
      action: 'wait',
      reason: 'quota',
      detail: 'no quota',
      until,
    };
    expect(decide(limited, undefined)).toEqual([waits]);
    expect(decide(limited, unknown)).toEqual([waits]);
  });

  test('waits for the list where that failed', () => {
    expect(decide(failed, undefined)).toEqual([
      { issueId: 'A', key: 'A', action: 'wait', reason: 'read-incomplete', detail: 'no answer' },
    ]);
  });

  test('is unknown where it could not be read by its id, whether the list is whole or failed', () => {
    const isUnknown = [{ action: 'wait', reason: 'unknown', detail: 'the issue was not answered' }];
    expect(decide(undefined, unknown)).toMatchObject(isUnknown);
    expect(decide(failed, unknown)).toMatchObject(isUnknown);
  });

  test('is judged by what its id showed, also where the list is limited', () => {
    expect(decide(limited, { kind: 'gone' })).toEqual([
      { issueId: 'A', key: 'A', action: 'ignore', reason: 'gone', detail: 'it is gone from the board' },
    ]);
    expect(decide(limited, found('Done'))).toMatchObject([{ action: 'ignore', reason: 'terminal' }]);
    expect(decide(undefined, found('Todo'))).toEqual([
      {
        issueId: 'A',
        key: 'A',
        action: 'wait',
        reason: 'read-incomplete',
        detail: 'the list of active issues did not show it',
      },
    ]);
  });

  test('is ignored where it stood in no active state, which says why nothing more is known', () => {
    expect(decide(limited, undefined, { seenState: 'Backlog' as StateName })).toMatchObject([
      {
        action: 'ignore',
        reason: 'quota',
        detail: 'it was last seen in "Backlog", which is not active; no quota',
      },
    ]);
  });

  test('is not one that the list shows, or calls broken', () => {
    const broken = {
      id: 'A' as IssueId,
      key: 'A' as IssueKey,
      problem: 'two states',
      conflictingStates: true,
    };
    const shown = { kind: 'complete', issues: [buildIssue({ id: 'A' })], broken: [], inHandoff: 0 } as const;
    expect(decide(shown, found('Todo'))).toEqual([]);
    expect(decide({ ...shown, issues: [], broken: [broken] }, found('Todo'))).toEqual([]);
  });
});

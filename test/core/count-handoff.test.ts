import { expect, test } from 'vitest';
import { countHandoff } from '../../lib/core/count-handoff.ts';
import type { StateName } from '../../lib/core/issue.ts';
import { buildIssue } from '../support/build-issue.ts';
import { buildLease, buildObservation, now } from '../support/build-observation.ts';

const inReview = (key: string, fields: Parameters<typeof buildLease>[1] = {}) =>
  buildLease(key, { phase: 'idle', seenState: 'In Review' as StateName, ...fields });
const parked = { reason: 'question', since: now, detail: 'd', toResume: 'r' } as const;

test('what waits for a person is what the boards count, and of that the parked ones that the ledger knows', () => {
  const boards = [
    buildObservation({ inHandoff: 3, leases: [inReview('A', { parked }), inReview('B')] }),
    buildObservation({ inHandoff: 2 }),
  ];
  expect(countHandoff(boards)).toEqual({ inHandoff: 5, parkedInHandoff: 1 });
});

test('of a board that could not be read what was last seen counts, and what was read by id before that', () => {
  const observation = buildObservation({
    listing: { kind: 'incomplete', problem: 'down' },
    leases: [
      inReview('A', { parked }),
      inReview('moved on', { parked }),
      inReview('gone'),
      inReview('running', { phase: 'running' }),
      inReview('elsewhere', { seenState: 'Todo' as StateName }),
    ],
    readings: {
      'moved on': { kind: 'found', issue: buildIssue({ id: 'moved on', state: 'Todo' }) },
      gone: { kind: 'gone' },
    },
  });
  expect(countHandoff([observation])).toEqual({ inHandoff: 1, parkedInHandoff: 1 });
});

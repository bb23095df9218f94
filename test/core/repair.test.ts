import { describe, expect, test } from 'vitest';
import type { Arn, IssueId, IssueKey, Reading, StateName } from '../../lib/core/issue.ts';
import type { Evidence, Lease } from '../../lib/core/lease.ts';
import type { Observation, TaskState } from '../../lib/core/observation.ts';
import { decideRepair } from '../../lib/core/repair.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
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

const arn = 'arn-1' as Arn;
const evidence: Evidence = { arn, at: now, exitCode: 0, signal: undefined, cause: 'exit', detail: 'exit 0' };
const stopped: TaskState = { kind: 'stopped', evidence };
const found = (fields: IssueFields = {}): Reading => ({
  kind: 'found',
  issue: buildIssue({ id: 'A', state: 'In Progress', ...fields }),
});
const gone: Reading = { kind: 'gone' };
const unknown: Reading = { kind: 'unknown', problem: 'the board is down' };

function repair(
  lease: Partial<Lease>,
  reading: Reading = found(),
  fields: ObservationFields & { task?: TaskState } = {},
  workflow = buildWorkflow(),
) {
  const { task, ...rest } = fields;
  const tasks =
    task === undefined ? new Map<Arn, TaskState>([[arn, { kind: 'running' }]]) : new Map([[arn, task]]);
  const decision = decideRepair(
    buildLease('A', lease),
    reading,
    buildObservation({ tasks, ...rest }),
    workflow,
    now,
  );
  return { what: `${decision.action}/${decision.reason}`, ...decision };
}

const running: Partial<Lease> = {
  phase: 'running',
  liveArn: arn,
  startedFrom: 'Todo' as StateName,
  writtenState: 'In Progress' as StateName,
  startedAt: now - 60_000,
  hb: 3,
  hbSeen: 3,
  hbSeenAt: now - 60_000,
};

describe('a claim', () => {
  test('of an earlier tick is released: it was certainly never launched', () => {
    expect(repair({ phase: 'claimed', epoch: 6 }).what).toBe('release/superseded');
  });

  test('without a number is released', () => {
    expect(repair({ phase: 'claimed' }).what).toBe('release/superseded');
  });

  test('of this tick or a newer one is left', () => {
    expect(repair({ phase: 'claimed', epoch: 7 }).what).toBe('keep/claimed');
    expect(repair({ phase: 'claimed', epoch: 8 }).what).toBe('keep/claimed');
  });
});

describe('a launch nobody has passed the gate of', () => {
  const launching: Partial<Lease> = {
    phase: 'launching',
    markedAt: now - 1,
    startedFrom: 'Todo' as StateName,
  };

  test('is repeated under the same turn while it is young and wanted', () => {
    expect(repair(launching)).toMatchObject({ what: 'repeat/claimed', turnId });
  });

  test('is given up when it is too old', () => {
    expect(repair({ ...launching, markedAt: now - usualTiming.launchWindowMs }).what).toBe(
      'release/deadline',
    );
    expect(repair({ ...launching, markedAt: now - usualTiming.launchWindowMs + 1 }).what).toBe(
      'repeat/claimed',
    );
  });

  test('is as old as the host that can launch it again: a time without one does not count', () => {
    const old = { ...launching, markedAt: now - 10 * usualTiming.launchWindowMs };
    const timing = (servedFor: number) => ({ ...usualTiming, servedSince: now - servedFor });
    const { launchWindowMs } = usualTiming;
    expect(repair(old, found(), { timing: timing(launchWindowMs - 1) }).what).toBe('repeat/claimed');
    expect(repair(old, found(), { timing: timing(launchWindowMs) }).what).toBe('release/deadline');
  });

  test('is given up when its task is seen stopped', () => {
    expect(repair({ ...launching, launchArn: arn }, found(), { task: stopped }).what).toBe('release/ended');
  });

  test.each<[string, IssueFields]>([
    ['release/terminal', { state: 'Done' }],
    ['release/not-active', { state: 'Backlog' }],
  ])('is given up as %s when the board no longer wants it', (what, issue) => {
    expect(repair(launching, found(issue)).what).toBe(what);
  });

  test('is kept while its issue cannot be read, but not for ever', () => {
    expect(repair(launching, unknown).what).toBe('keep/unknown');
    expect(repair({ ...launching, markedAt: 0 }, unknown).what).toBe('release/deadline');
  });

  test('of an issue not found is kept once, and given up on the second tick', () => {
    expect(repair(launching, gone)).toMatchObject({ what: 'keep/gone', note: { set: { goneSince: now } } });
    expect(repair({ ...launching, goneSince: now - 1 }, gone).what).toBe('release/gone');
    expect(repair({ ...launching, goneSince: now }, gone).what).toBe('keep/gone');
  });

  test('is not repeated under an invalid contract or while paused', () => {
    expect(repair(launching, found(), { contract: invalidContract }).what).toBe('keep/contract-invalid');
    expect(repair(launching, found(), { record: { paused: { since: 0 } } }).what).toBe('keep/paused');
  });
});

describe('a running turn', () => {
  test('is kept while nothing speaks against it', () => {
    expect(repair(running)).toMatchObject({ what: 'keep/running', note: undefined });
  });

  test('whose task is seen stopped is settled', () => {
    expect(repair(running, found(), { task: stopped }).what).toBe('settle/ended');
  });

  test('whose end was recorded is settled, whatever the runner says now', () => {
    expect(repair({ ...running, evidence }, found(), { tasks: 'unknown' }).what).toBe('settle/ended');
  });

  test.each<[string, IssueFields]>([
    ['stop/terminal', { state: 'Done' }],
    ['stop/terminal', { closed: true }],
    ['stop/not-active', { state: 'Backlog' }],
    ['stop/not-active', { state: 'In Review' }],
  ])('is told to stop (%s) when its issue is %j', (what, issue) => {
    expect(repair(running, found(issue)).what).toBe(what);
  });

  test('is told to stop when a required label was taken off', () => {
    expect(
      repair(running, found(), {}, buildWorkflow({ tracker: { required_labels: ['agent'] } })).what,
    ).toBe('stop/missing-label');
  });

  test('is not told to stop because its issue became blocked, untrusted or could not be read', () => {
    expect(repair(running, found({ blockers: [{ key: 'B', open: true }], trusted: false })).what).toBe(
      'keep/running',
    );
    expect(repair(running, unknown)).toMatchObject({
      what: 'keep/unknown',
      detail: 'the issue could not be read: the board is down',
    });
  });

  test('is kept while its issue shows two states', () => {
    expect(repair(running, found({ state: undefined, conflictingStates: ['Todo', 'Done'] })).what).toBe(
      'keep/conflicting-states',
    );
  });

  test('of an issue not found is told to stop on the second tick only', () => {
    expect(repair(running, gone)).toMatchObject({ what: 'keep/gone', note: { set: { goneSince: now } } });
    expect(repair({ ...running, goneSince: now - 1 }, gone).what).toBe('stop/gone');
  });

  test('whose issue is found again forgets that it was not', () => {
    expect(repair({ ...running, goneSince: now - 1 }).note).toEqual({ set: {}, remove: ['goneSince'] });
  });

  test('is judged by the last good contract while the contract is invalid', () => {
    expect(repair(running, found({ state: 'Done' }), { contract: invalidContract }).what).toBe(
      'stop/terminal',
    );
  });

  test('is kept while there is no contract to judge by', () => {
    expect(
      repair(running, found({ state: 'Done' }), {
        contract: { valid: false, problems: [], contract: undefined },
      }).what,
    ).toBe('keep/contract-invalid');
  });

  test('is told to stop past its own timeout and the grace after it', () => {
    const limit = 3_600_000 + usualTiming.deadlineGraceMs;
    expect(repair({ ...running, startedAt: now - limit }).what).toBe('stop/deadline');
    expect(repair({ ...running, startedAt: now - limit + 1 }).what).toBe('keep/running');
  });

  test('is told to stop when no heartbeat was seen for long, and not before', () => {
    expect(repair({ ...running, hbSeenAt: now - usualTiming.staleMs }).what).toBe('stop/stale');
    expect(repair({ ...running, hbSeenAt: now - usualTiming.staleMs + 1 }).what).toBe('keep/running');
    expect(repair({ ...running, hb: 4, hbSeenAt: now - usualTiming.staleMs }).what).toBe('keep/running');
  });

  test('is heard of by no host while there is none, and that is no silence of its own', () => {
    const silent = { ...running, hbSeenAt: now - 10 * usualTiming.staleMs };
    const timing = (servedFor: number) => ({ ...usualTiming, servedSince: now - servedFor });
    const { staleMs } = usualTiming;
    expect(repair(silent, found(), { timing: timing(staleMs - 1) }).what).toBe('keep/running');
    expect(repair(silent, found(), { timing: timing(staleMs) }).what).toBe('stop/stale');
  });

  test('has its heartbeats noted when they moved', () => {
    expect(repair({ ...running, hb: 4 }).note).toEqual({ set: { hbSeen: 4, hbSeenAt: now }, remove: [] });
    expect(repair({ ...running, hb: undefined, hbSeen: undefined, hbSeenAt: undefined }).note).toEqual({
      set: { hbSeen: 0, hbSeenAt: now },
      remove: [],
    });
  });

  test('that still owes the in-progress move makes it, only from where it started', () => {
    const owing = { ...running, writtenState: undefined };
    expect(repair(owing, found({ state: 'Todo' })).what).toBe('finish-write/running');
    expect(repair(owing, found({ state: 'In Progress' })).what).toBe('keep/running');
    expect(repair({ ...owing, startedFrom: 'In Progress' as StateName }).what).toBe('keep/running');
    expect(repair(owing, found({ state: 'Todo' }), { contract: invalidContract }).what).toBe('keep/running');
  });
});

describe('a task that the runner does not know', () => {
  const missing: TaskState = { kind: 'missing' };
  const sighted = (count: number, since: number, hb = 3): Partial<Lease> => ({
    ...running,
    missing: { since, count, hb, lastAt: now - 1 },
  });
  const long = now - usualTiming.goneAfterMs;

  test('is counted, and nothing is concluded from it', () => {
    expect(repair(running, found(), { task: missing })).toMatchObject({
      what: 'keep/running',
      note: { set: { missing: { since: now, count: 1, hb: 3, lastAt: now } }, remove: [] },
    });
    expect(repair(sighted(1, 5), found(), { task: missing }).note).toMatchObject({
      set: { missing: { since: 5, count: 2 } },
    });
  });

  test('is believed gone after enough sightings over a long time without a heartbeat', () => {
    expect(repair(sighted(3, long), found(), { task: missing }).what).toBe('settle/ended');
    expect(repair(sighted(2, long), found(), { task: missing }).what).toBe('keep/running');
    expect(repair(sighted(3, long + 1), found(), { task: missing }).what).toBe('keep/running');
    expect(repair({ ...sighted(3, long), hb: 4 }, found(), { task: missing }).what).toBe('keep/running');
  });

  test('starts being counted anew after a heartbeat', () => {
    expect(repair({ ...sighted(2, 5), hb: 4 }, found(), { task: missing }).note).toMatchObject({
      set: { missing: { since: now, count: 1, hb: 4 } },
    });
  });

  test('is forgotten to have been missing when the runner knows it again', () => {
    expect(repair(sighted(2, 5)).note).toEqual({ set: {}, remove: ['missing'] });
  });

  test('releases a turn that was told to stop, once it is believed gone', () => {
    expect(repair({ ...sighted(3, long), phase: 'stopping' }, found(), { task: missing }).what).toBe(
      'release/gone',
    );
    expect(repair({ ...sighted(2, long), phase: 'stopping' }, found(), { task: missing }).what).toBe(
      'stop/not-active',
    );
  });
});

describe('a turn that was told to stop', () => {
  const stopping: Partial<Lease> = {
    phase: 'stopping',
    liveArn: arn,
    stop: { reason: 'terminal', at: now, detail: 'd' },
  };

  test('is told again until it is seen stopped', () => {
    expect(repair(stopping).what).toBe('stop/terminal');
    expect(repair(stopping, found(), { tasks: 'unknown' }).what).toBe('stop/terminal');
  });

  test('is released when it is seen stopped, or was before', () => {
    expect(repair(stopping, found(), { task: stopped }).what).toBe('release/ended');
    expect(repair({ ...stopping, evidence }).what).toBe('release/ended');
  });
});

describe('an ending', () => {
  test('is left to whoever decides it while it is young, and joined afterwards', () => {
    expect(repair({ phase: 'ending', endedAt: now - usualTiming.joinAfterMs + 1 }).what).toBe('keep/ended');
    expect(repair({ phase: 'ending', endedAt: now - usualTiming.joinAfterMs }).what).toBe('settle/ended');
    expect(repair({ phase: 'ending' }).what).toBe('settle/ended');
  });
});

describe('an ending whose issue is broken by the word of the board itself', () => {
  const listing = (id: string): Observation['listing'] => ({
    kind: 'complete',
    issues: [],
    broken: [
      {
        id: 'other' as IssueId,
        key: 'other' as IssueKey,
        problem: 'it has no title',
        conflictingStates: false,
      },
      { id: id as IssueId, key: id as IssueKey, problem: 'two states', conflictingStates: false },
    ],
    inHandoff: 0,
  });
  const ended = (ago: number): Partial<Lease> => ({ phase: 'ending', endedAt: now - ago });
  const tenMinutes = 600_000;

  test('waits for it to be mended, and is then settled without it', () => {
    const early = repair(ended(tenMinutes - 1), unknown, { listing: listing('A') });
    expect(early.what).toBe('settle/ended');
    expect(early).not.toHaveProperty('unreadable');
    expect(repair(ended(tenMinutes), unknown, { listing: listing('A') })).toMatchObject({
      what: 'settle/ended',
      unreadable: 'two states',
    });
  });

  test('is not one whose issue is only not answered for, or of which another one is broken', () => {
    const incomplete = { kind: 'incomplete', problem: 'no answer' } as const;
    expect(repair(ended(tenMinutes), unknown, { listing: incomplete })).not.toHaveProperty('unreadable');
    expect(repair(ended(tenMinutes), unknown, { listing: listing('B') })).not.toHaveProperty('unreadable');
  });
});

describe('every decision says why, in words for people:', () => {
  const pending = { turnId, to: 'In Review' as StateName, from: 'In Progress' as StateName, by: 'someone' };
  const launching: Partial<Lease> = { phase: 'launching', markedAt: now, startedFrom: 'Todo' as StateName };
  const stopping: Partial<Lease> = { ...running, phase: 'stopping' };
  const lost = { missing: { since: 0, count: 9, hb: 3, lastAt: now } };
  const missing: TaskState = { kind: 'missing' };
  const noContract: ObservationFields = { contract: { valid: false, problems: [], contract: undefined } };

  test.each<[string, () => ReturnType<typeof repair>]>([
    ['a newer version of evenkeel holds it', () => repair({ ...running, pv: 2 })],
    ['it is of another shape', () => repair({ ...running, pv: 2, unreadable: 'it is of another shape' })],
    ['an earlier tick claimed it and never launched it', () => repair({ phase: 'claimed', epoch: 6 })],
    ['it is being started', () => repair({ phase: 'claimed', epoch: 7 })],
    ['the turn has ended and is being settled', () => repair({ phase: 'ending', endedAt: now })],
    ['the turn has ended and what follows is still open', () => repair({ phase: 'ending' })],
    [
      'the turn has ended, and nothing can follow while its issue cannot be read: the board is down',
      () => repair({ phase: 'ending' }, unknown),
    ],
    [
      'the turn has ended, and nothing can follow while it is not found on the board',
      () => repair({ phase: 'ending' }, gone),
    ],
    ['a move to "In Review" was announced and not seen through', () => repair({ ...running, pending })],
    [
      'the move to "In Review" is looked up and finished',
      () => repair({ ...running, pending: { ...pending, seenAt: 0 } }),
    ],
    [
      'a move to "In Review" may still be on its way',
      () => repair({ ...running, pending: { ...pending, seenAt: now } }),
    ],
    [
      'the task ended before it began the turn',
      () => repair({ ...launching, launchArn: arn }, found(), { task: stopped }),
    ],
    ['the task did not begin the turn in time', () => repair({ ...launching, markedAt: 0 })],
    [
      'it is not launched again while the contract is invalid',
      () => repair(launching, found(), { contract: invalidContract }),
    ],
    [
      'it is not launched again while the board is paused',
      () => repair(launching, found(), { record: { paused: { since: 0 } } }),
    ],
    ['the launch is repeated under the same turn until the turn begins', () => repair(launching)],
    ['its task has stopped: exit 0', () => repair({ ...running, evidence })],
    ['its task has stopped: exit 0', () => repair(running, found(), { task: stopped })],
    [
      'the runner has not known its task for a long time',
      () => repair({ ...running, ...lost }, found(), { task: missing }),
    ],
    ['the turn took longer than it may', () => repair({ ...running, startedAt: 0 })],
    ['the turn has not been heard of for too long', () => repair({ ...running, hbSeenAt: 0 })],
    [
      'its move to in progress is still owed',
      () => repair({ ...running, writtenState: undefined }, found({ state: 'Todo' })),
    ],
    ['attempt 1 is running', () => repair(running)],
    ['it was told to stop and is not seen stopped yet', () => repair(stopping)],
    [
      'the runner has not known its task for a long time',
      () => repair({ ...stopping, ...lost }, found(), { task: missing }),
    ],
    ['the issue was not found; it is looked for once more', () => repair(running, gone)],
    ['the issue is gone from the board', () => repair({ ...running, goneSince: 0 }, gone)],
    ['there is no contract to judge its state by', () => repair(running, found(), noContract)],
  ])('%s', (detail, decide) => {
    expect(decide().detail).toBe(detail);
  });
});

describe('a decision', () => {
  test('carries the issue as it was read, and none where none was read', () => {
    expect(repair(running).issue).toMatchObject({ key: 'A', state: 'In Progress' });
    expect(repair(running, unknown).issue).toBeUndefined();
    expect(repair(running, gone).issue).toBeUndefined();
  });

  test('about a turn whose task has no name yet asks the runner for none', () => {
    const nameless = { ...running, liveArn: undefined };
    const tasks = new Map([[undefined as unknown as Arn, stopped]]);
    expect(repair(nameless, found(), { tasks }).what).toBe('keep/running');
  });
});

describe('a tracker write that was announced', () => {
  const pending = { turnId, to: 'In Review' as StateName, from: 'In Progress' as StateName, by: 'someone' };

  test('comes before everything else, in every phase', () => {
    for (const phase of ['idle', 'launching', 'running', 'stopping', 'ending'] as const) {
      expect(repair({ ...running, phase, pending, evidence }).what).toBe('finish-write/write-open');
    }
  });

  test('is taken over only after its hold-down', () => {
    const seen = (ago: number) => ({ ...running, pending: { ...pending, seenAt: now - ago } });
    expect(repair(seen(9_999))).toMatchObject({ what: 'keep/write-open', until: now + 1 });
    expect(repair(seen(10_000)).what).toBe('finish-write/write-open');
    expect(repair(seen(239_999), found(), { lateWriteMs: 240_000 }).what).toBe('keep/write-open');
    expect(repair(seen(240_000), found(), { lateWriteMs: 240_000 }).what).toBe('finish-write/write-open');
  });
});

test('an item of a newer version is left alone', () => {
  expect(repair({ ...running, pv: 2 }, found({ state: 'Done' })).what).toBe('keep/running');
});

test('an idle lease has nothing to repair', () => {
  expect(() => repair({ phase: 'idle' })).toThrow('nothing to repair');
});

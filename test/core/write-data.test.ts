import { describe, expect, test } from 'vitest';
import type { BoardRecord, TickRecord } from '../../lib/core/board-record.ts';
import { type Alternative, applyChange, type Change } from '../../lib/core/change.ts';
import {
  clearPending,
  intend,
  noteWritten,
  stampPending,
  takeOverPending,
} from '../../lib/core/intent-writes.ts';
import type { Arn, BoardId, StateKey, StateName, TurnId } from '../../lib/core/issue.ts';
import { claim, giveUpLaunch, mark, recordLaunch, unclaim } from '../../lib/core/launch-writes.ts';
import type { Evidence, Lease, Pending, Phase } from '../../lib/core/lease.ts';
import type { LeaseWrite } from '../../lib/core/lease-write.ts';
import { amendIdle, note } from '../../lib/core/note-writes.ts';
import { pause, resume } from '../../lib/core/pause-writes.ts';
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
import {
  adopt,
  end,
  gate,
  heartbeat,
  join,
  recordEvidence,
  reportResult,
  settle,
  stop,
  stopped,
} from '../../lib/core/turn-writes.ts';
import { buildLease, turnId } from '../support/build-observation.ts';
import { completed } from '../support/world.ts';

/** The writes as they are sent: whoever changes one has to change what stands here, and to think of the writes beside it. */

const arn = 'arn-1' as Arn;
const boot = `${arn}#key`;
const now = 1_000;
const evidence: Evidence = { arn, at: 900, exitCode: 0, signal: undefined, cause: 'exit', detail: 'exit 0' };
const pending: Pending = {
  turnId,
  to: 'In Review' as StateName,
  from: 'In Progress' as StateName,
  by: 'run-1',
};
const ledger = { set: { turns: 2 }, remove: ['nextAt', 'turns'] } as const;

const turn = { field: 'turnId', is: 'equal', value: turnId } as const;
const inPhase = (phase: Phase) => ({ field: 'phase', is: 'equal', value: phase }) as const;
const live = { field: 'liveArn', is: 'equal', value: arn } as const;
const noWrite = { field: 'pending', is: 'absent' } as const;
const byMe = { field: 'ender', is: 'equal', value: 'run-1' } as const;
const caller: readonly Alternative[] = [
  [turn, inPhase('running'), { field: 'boot', is: 'equal', value: boot }],
  [turn, inPhase('running'), { field: 'boot', is: 'absent' }, live],
];

interface Row {
  /** Made in the test that looks at it. */
  readonly write: () => LeaseWrite;
  readonly when: readonly Alternative[];
  readonly change: Partial<Change<Lease>>;
  /** An item that the write may change. */
  readonly from: Partial<Lease>;
  /** What the item may not differ in from what the write left, for it to be this very write. */
  readonly own: readonly (keyof Lease)[];
}

const step = (from: Phase, to: Phase, rest: object) => ({ transitions: [{ from, to, ...rest }] });

const rows: Readonly<Record<string, Row>> = {
  unclaim: {
    write: () => unclaim(turnId, now, 'why'),
    when: [[turn, inPhase('claimed')]],
    change: {
      set: { phase: 'idle' },
      append: step('claimed', 'idle', { at: now, actor: 'tick', reason: 'why' }),
    },
    from: { phase: 'claimed' },
    own: ['turnId', 'phase'],
  },
  mark: {
    write: () => mark(turnId, now),
    when: [[turn, inPhase('claimed')]],
    change: {
      set: { phase: 'launching', markedAt: now },
      append: step('claimed', 'launching', { at: now, actor: 'tick', reason: 'confirmed' }),
    },
    from: { phase: 'claimed' },
    own: ['turnId', 'phase'],
  },
  'record-launch': {
    write: () => recordLaunch(turnId, arn),
    when: [[turn, { field: 'phase', is: 'one-of', values: ['launching', 'running', 'stopping'] }]],
    change: { set: { launchArn: arn } },
    from: { phase: 'launching' },
    own: ['turnId', 'launchArn'],
  },
  'give-up-launch': {
    write: () => giveUpLaunch(turnId, 'run-1', now, 'tick', 'why', ledger),
    when: [[turn, inPhase('launching'), noWrite]],
    change: {
      set: { phase: 'idle', ender: 'run-1', turns: 2 },
      remove: ['nextAt'],
      append: step('launching', 'idle', { at: now, actor: 'tick', reason: 'why' }),
    },
    from: { phase: 'launching' },
    own: ['turnId', 'phase', 'ender'],
  },
  gate: {
    write: () => gate(turnId, boot, arn, now),
    when: [[turn, inPhase('launching')]],
    change: {
      set: { phase: 'running', boot, liveArn: arn, hb: 0, startedAt: now, progressAt: now },
      append: step('launching', 'running', { at: now, actor: 'turn', reason: 'started', evidence: arn }),
    },
    from: { phase: 'launching' },
    own: ['turnId', 'phase', 'boot'],
  },
  heartbeat: {
    write: () => heartbeat(turnId, boot, arn, { count: 3, at: 950 }),
    when: caller,
    change: { set: { boot, progress: 3, progressAt: 950 }, add: { hb: 1 } },
    from: { phase: 'running', boot },
    own: ['turnId', 'phase', 'boot'],
  },
  result: {
    write: () => reportResult(turnId, boot, arn, completed),
    when: caller,
    change: { set: { boot, result: completed }, add: { hb: 1 } },
    from: { phase: 'running', boot },
    own: ['turnId', 'result', 'boot'],
  },
  stop: {
    write: () => stop(turnId, now, 'terminal', 'it is done'),
    when: [[turn, inPhase('running')]],
    change: {
      set: { phase: 'stopping', stop: { reason: 'terminal', at: now, detail: 'it is done' } },
      append: step('running', 'stopping', { at: now, actor: 'tick', reason: 'terminal' }),
    },
    from: { phase: 'running' },
    own: ['turnId', 'phase'],
  },
  end: {
    write: () => end(turnId, evidence, 'run-1', 'turn-end'),
    when: [[turn, inPhase('running'), live]],
    change: {
      set: { phase: 'ending', ender: 'run-1', evidence, endedAt: 900 },
      append: step('running', 'ending', {
        at: 900,
        actor: 'turn-end',
        reason: 'exit',
        evidence: 'exit 0',
      }),
    },
    from: { phase: 'running', liveArn: arn },
    own: ['turnId', 'phase', 'ender'],
  },
  join: {
    write: () => join(turnId, 'run-1'),
    when: [[turn, inPhase('ending')]],
    change: { set: { ender: 'run-1' } },
    from: { phase: 'ending' },
    own: ['turnId', 'phase', 'ender'],
  },
  stopped: {
    write: () => stopped(turnId, evidence, 'run-1', 'tick', ledger),
    when: [[turn, inPhase('stopping'), live, noWrite]],
    change: {
      set: { phase: 'idle', evidence, endedAt: 900, ender: 'run-1', turns: 2 },
      remove: ['nextAt'],
      append: step('stopping', 'idle', { at: 900, actor: 'tick', reason: 'exit', evidence: 'exit 0' }),
    },
    from: { phase: 'stopping', liveArn: arn },
    own: ['turnId', 'phase', 'ender'],
  },
  'record-evidence': {
    write: () => recordEvidence(turnId, evidence),
    when: [[turn, inPhase('stopping'), live, { field: 'evidence', is: 'absent' }]],
    change: { set: { evidence } },
    from: { phase: 'stopping', liveArn: arn },
    own: ['turnId', 'evidence'],
  },
  settle: {
    write: () => settle(turnId, 'run-1', now, 'tick', 'why', ledger),
    when: [[turn, inPhase('ending'), byMe, noWrite]],
    change: {
      set: { phase: 'idle', turns: 2 },
      remove: ['nextAt'],
      append: step('ending', 'idle', { at: now, actor: 'tick', reason: 'why' }),
    },
    from: { phase: 'ending', ender: 'run-1' },
    own: ['turnId', 'phase', 'ender'],
  },
  intent: {
    write: () => intend(buildLease('A', { phase: 'running' }), pending, 'run-1'),
    when: [
      [
        turn,
        { field: 'phase', is: 'one-of', values: ['launching', 'running'] },
        { field: 'writtenState', is: 'absent' },
        noWrite,
      ],
    ],
    change: { set: { pending } },
    from: { phase: 'running' },
    own: ['pending'],
  },
  'stamp-intent': {
    write: () => stampPending(pending, now),
    when: [
      [
        { field: 'pending.by', is: 'equal', value: 'run-1' },
        { field: 'pending.seenAt', is: 'absent' },
      ],
    ],
    change: { set: { pending: { ...pending, seenAt: now } } },
    from: { pending },
    own: ['pending'],
  },
  'take-over-intent': {
    write: () => takeOverPending({ ...pending, seenAt: 5 }, 'run-2'),
    when: [[{ field: 'pending.by', is: 'equal', value: 'run-1' }]],
    change: { set: { pending: { ...pending, by: 'run-2' } } },
    from: { pending: { ...pending, seenAt: 5 } },
    own: ['pending'],
  },
};

const nothing = { set: {}, remove: [], add: {}, append: {} };

describe.each(Object.entries(rows))('%s', (operation, { write, when, change, from, own }) => {
  test('is sent as the protocol has it', () => {
    expect(write().change).toStrictEqual({ ...nothing, operation, when, ...change });
  });

  test('knows itself in what is stored, and nothing else for itself', () => {
    const { change: sent, mine } = write();
    const stored = applyChange<Lease>(sent, buildLease('A', from));
    expect(mine(stored)).toBe(true);
    expect(mine(undefined)).toBe(false);
    for (const field of own) {
      const { [field]: _left, ...without } = stored;
      expect([field, mine(without as Lease)]).toEqual([field, false]);
    }
  });
});

describe('a claim', () => {
  const claimed = (seen: Lease) =>
    claim({
      seen,
      epoch: 7,
      turnId,
      attempt: 2,
      startedFrom: 'Todo' as StateName,
      capStates: ['todo' as StateKey],
      now,
    }).change;

  test('is sent as the protocol has it, with what is known of the issue and nothing of its last turn', () => {
    const seen = buildLease('A', { v: 3, turns: 4, result: completed, evidence, liveArn: arn, hb: 9 });
    const free = [
      inPhase('idle'),
      { field: 'v', is: 'equal', value: 3 },
      { field: 'pv', is: 'at-most', value: 1 },
      noWrite,
      { field: 'parked', is: 'absent' },
    ];
    const { set, remove, ...rest } = claimed(seen);
    expect(rest).toEqual({
      operation: 'claim',
      when: [
        [{ field: 'v', is: 'absent' }],
        [...free, { field: 'nextAt', is: 'absent' }],
        [...free, { field: 'nextAt', is: 'at-most', value: now }],
      ],
      add: {},
      append: {},
    });
    const { v: _version, result: _result, evidence: _evidence, liveArn: _arn, hb: _hb, ...kept } = seen;
    expect(set).toEqual({
      ...kept,
      pv: 1,
      phase: 'claimed',
      turnId,
      epoch: 7,
      attempt: 2,
      startedFrom: 'Todo',
      seenState: 'Todo',
      capStates: ['todo'],
      claimedAt: now,
      transitions: [{ from: 'idle', to: 'claimed', at: now, actor: 'tick', reason: 'wanted' }],
    });
    expect(remove).toEqual(expect.arrayContaining(['result', 'evidence', 'liveArn', 'hb', 'nextAt']));
  });

  test('of an issue that has no item yet comes from nowhere', () => {
    expect(claimed(buildLease('A', { v: 0 })).set.transitions).toMatchObject([{ from: 'none' }]);
  });
});

test('an ending is announced a move by whoever decides it', () => {
  expect(intend(buildLease('A', { phase: 'ending' }), pending, 'run-1').change).toEqual({
    ...nothing,
    operation: 'intent',
    when: [[turn, inPhase('ending'), byMe, noWrite]],
    set: { pending },
  });
});

test('a move that no turn makes is announced on the item as it was seen, or as the first thing on it', () => {
  const ofNobody = { ...pending, turnId: undefined };
  const seen = buildLease('A', { v: 4, phase: 'idle', turnId: undefined });
  const { change, mine } = intend(seen, ofNobody, 'run-1');
  expect(change).toEqual({
    ...nothing,
    operation: 'intent',
    when: [
      [
        inPhase('idle'),
        { field: 'v', is: 'equal', value: 4 },
        { field: 'pv', is: 'at-most', value: 1 },
        noWrite,
      ],
    ],
    set: { pending: ofNobody },
  });
  expect(mine({ ...seen, pending: ofNobody })).toBe(true);
  expect(mine({ ...seen, pending: { ...ofNobody, by: 'run-2' } })).toBe(false);
  expect(mine(seen)).toBe(false);
  expect(mine(undefined)).toBe(false);

  const { v: _version, ...unclaimed } = { ...seen, v: 0 };
  expect(intend({ ...seen, v: 0 }, ofNobody, 'run-1').change).toEqual({
    ...nothing,
    operation: 'intent',
    when: [[{ field: 'v', is: 'absent' }]],
    set: { ...unclaimed, pending: ofNobody },
  });
});

test('an adoption is made where nothing is, and by nobody else', () => {
  const { v: _version, ...lease } = buildLease('A', { phase: 'running', liveArn: arn });
  const { change, mine } = adopt(lease);
  expect(change).toEqual({
    ...nothing,
    operation: 'adopt',
    when: [[{ field: 'v', is: 'absent' }]],
    set: lease,
  });
  expect(mine({ ...lease, v: 1 })).toBe(true);
  expect(mine(undefined)).toBe(false);
  expect(mine({ ...lease, v: 1, phase: 'idle' })).toBe(false);
  expect(mine({ ...lease, v: 1, liveArn: 'arn-2' as Arn })).toBe(false);
});

test('a heartbeat without a sign of work leaves what was counted', () => {
  expect(heartbeat(turnId, boot, arn, undefined).change.set).toEqual({ boot });
});

describe('the writes of the tick record', () => {
  const me = { gen: 'g', epoch: 4 };
  const open = { field: 'epoch', is: 'present' } as const;
  const gen = { field: 'gen', is: 'equal', value: 'g' } as const;
  const epoch = { field: 'epoch', is: 'equal', value: 4 } as const;
  const closed = { field: 'epoch', is: 'absent' } as const;

  test.each<[() => Change<TickRecord>, object]>([
    [
      () => startTick('scheduled', now),
      { operation: 'start-tick', when: [[open]], set: { startedAt: now, stamp: now }, add: { epoch: 1 } },
    ],
    [
      () => startTick('hint', now),
      {
        operation: 'start-tick',
        when: [
          [
            open,
            { field: 'done', is: 'same-as', other: 'epoch' },
            { field: 'dirty', is: 'differs-from', other: 'seen' },
          ],
        ],
        set: { startedAt: now },
        add: { epoch: 1 },
      },
    ],
    [
      () => finishTick(me, 2, { cursor: 7 }),
      {
        operation: 'finish-tick',
        when: [[gen, epoch, { field: 'dirty', is: 'equal', value: 2 }]],
        set: { cursor: 7, done: 4, seen: 2 },
      },
    ],
    [
      () => finishTickOwing(me, 2, { cursor: 7 }),
      { operation: 'finish-tick-owing', when: [[gen, epoch]], set: { cursor: 7, done: 4, seen: 2 } },
    ],
    [() => countHint(), { operation: 'hint', when: [[open]], add: { dirty: 1 } }],
    [
      () => putTickClosed('g'),
      { operation: 'put-tick-closed', when: [[{ field: 'v', is: 'absent' }]], set: { gen: 'g' } },
    ],
    [
      () => renewGeneration('g', 'h'),
      { operation: 'renew-generation', when: [[gen]], set: { gen: 'h' }, remove: ['epoch', 'since'] },
    ],
    [
      () => stampClosed('g', now),
      {
        operation: 'stamp-closed',
        when: [[gen, closed, { field: 'since', is: 'absent' }]],
        set: { since: now },
      },
    ],
    [
      () => openTick('g'),
      {
        operation: 'open-tick',
        when: [[gen, closed]],
        set: { epoch: 0, done: 0, dirty: 0, seen: 0 },
      },
    ],
  ])('%s', (make, expected) => {
    expect(make()).toEqual({ ...nothing, ...expected });
  });
});

describe('the writes of a board', () => {
  const board: BoardRecord = { board: 'board' as BoardId, v: 3 };
  const asSeen = [[{ field: 'v', is: 'equal', value: 3 }]];
  const none = [[{ field: 'v', is: 'absent' }]];

  test('pause it from now on, or leave since when it is', () => {
    const since = { paused: { since: 5 } };
    expect(pause(board, now)).toEqual({
      ...nothing,
      operation: 'pause',
      when: asSeen,
      set: { paused: { since: now } },
    });
    expect(pause({ ...board, ...since }, now).set).toEqual(since);
    expect(pause(undefined, now)).toMatchObject({ when: none, set: { paused: { since: now } } });
  });

  test('resume it as it was seen', () => {
    expect(resume(board)).toEqual({ ...nothing, operation: 'resume', when: asSeen, remove: ['paused'] });
    expect(resume(undefined).when).toEqual(none);
  });
});

test('what is noted and amended is sent as the protocol has it', () => {
  const running = buildLease('A', { phase: 'running' });
  expect(note(running, ledger).change.operation).toBe('note');
  expect(noteWritten(pending).change).toMatchObject({
    operation: 'note',
    set: { writtenState: 'In Review', seenState: 'In Review' },
  });
  expect(clearPending(pending, ledger).change).toMatchObject({
    operation: 'clear-intent',
    when: [[{ field: 'pending.by', is: 'equal', value: 'run-1' }]],
  });
  expect(amendIdle(buildLease('A'), 'reset', ledger).change.operation).toBe('reset');
});

test('a write of another turn is never taken for our own', () => {
  for (const { write, from } of Object.values(rows)) {
    const theirs = { ...buildLease('A', from), turnId: `2-${'b'.repeat(26)}` as TurnId };
    expect(write().mine(theirs)).toBe(false);
  }
});

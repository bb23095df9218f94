import { describe, expect, test } from 'vitest';
import { allows, applyChange } from '../../lib/core/change.ts';
import { clearPending, intend, stampPending, takeOverPending } from '../../lib/core/intent-writes.ts';
import type { Arn, StateKey, StateName, TurnId } from '../../lib/core/issue.ts';
import { claim, giveUpLaunch, mark, recordLaunch, unclaim } from '../../lib/core/launch-writes.ts';
import { type Evidence, type Lease, legalTransitions, type Phase, phases } from '../../lib/core/lease.ts';
import type { LeaseWrite } from '../../lib/core/lease-write.ts';
import { amendIdle, forget, note } from '../../lib/core/note-writes.ts';
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
import { buildLease, now, turnId } from '../support/build-observation.ts';
import { completed } from '../support/world.ts';

const arn = 'arn-1' as Arn;
const other = 'arn-2' as Arn;
const evidence: Evidence = { arn, at: now, exitCode: 0, signal: undefined, cause: 'exit', detail: 'exit 0' };
const nothing = { set: {}, remove: [] };
const pending = { turnId, to: 'In Review' as StateName, from: 'In Progress' as StateName, by: 'run-1' };
const someoneElse = `2-${'b'.repeat(26)}` as TurnId;

const lease = (fields: Partial<Lease> = {}) =>
  buildLease('A', { ender: 'run-1', liveArn: arn, boot: `${arn}#k`, ...fields });
const inPhase = (phase: Phase) => lease({ phase });
const claimOf = (seen: Lease) =>
  claim({
    seen,
    epoch: 7,
    turnId: someoneElse,
    attempt: 2,
    startedFrom: 'Todo' as StateName,
    capStates: ['todo' as StateKey],
    now,
  });
const can = (write: LeaseWrite, item: Lease | undefined) => allows(write.change, item);
const after = (write: LeaseWrite, item: Lease | undefined): Lease => applyChange<Lease>(write.change, item);

/** Each phase-changing write of the protocol by its name, as it would be made of a lease in any phase. */
const operations: Readonly<Record<string, (seen: Lease) => LeaseWrite>> = {
  claim: claimOf,
  unclaim: () => unclaim(turnId, now, 'r'),
  mark: () => mark(turnId, now),
  'give-up-launch': () => giveUpLaunch(turnId, 'run-1', now, 'tick', 'r', nothing),
  gate: () => gate(turnId, `${arn}#k`, arn, now),
  stop: () => stop(turnId, now, 'terminal', 'd'),
  end: () => end(turnId, evidence, 'run-1', 'tick'),
  stopped: () => stopped(turnId, evidence, 'run-1', 'tick', nothing),
  join: () => join(turnId, 'run-2'),
  settle: () => settle(turnId, 'run-1', now, 'tick', 'r', nothing),
  reset: (seen) => amendIdle(seen, 'reset', nothing),
  forget,
};

describe.each(Object.entries(operations))('%s', (operation, make) => {
  const legal = legalTransitions.filter(([, , name]) => name === operation);

  test.each(phases)('is possible from %s exactly when the table of transitions says so', (phase) => {
    const expected = legal.some(([from, to]) => from === phase && !(operation === 'gate' && to === from));
    expect(can(make(inPhase(phase)), inPhase(phase))).toBe(expected);
  });

  test('leads where the table says', () => {
    for (const [from, to] of legal) {
      if (from === 'none' || (operation === 'gate' && to === from)) continue;
      expect(make(inPhase(from)).change.deletes).toBe(to === 'none' ? true : undefined);
      if (to === 'none') continue;
      expect(after(make(inPhase(from)), inPhase(from)).phase).toBe(to);
    }
  });

  test('leaves a transition that the table allows whenever it changes the phase', () => {
    for (const [from, to] of legal) {
      if (from === 'none' || from === to || to === 'none') continue;
      const last = after(make(inPhase(from)), inPhase(from)).transitions.at(-1);
      expect(last).toMatchObject({ from, to });
    }
  });

  // A claim and a reset are made by the version that was seen; every other write names its turn.
  if (operation !== 'claim' && operation !== 'reset') {
    test('is refused to another turn', () => {
      for (const [from] of legal)
        expect(
          can(make(lease({ phase: from as Phase })), lease({ phase: from as Phase, turnId: someoneElse })),
        ).toBe(false);
    });
  }
});

describe('a claim', () => {
  test('takes an issue without an item, and an idle one as it was seen', () => {
    expect(can(claimOf(buildLease('A', { v: 0 })), undefined)).toBe(true);
    expect(can(claimOf(lease()), lease())).toBe(true);
    expect(can(claimOf(lease()), lease({ v: 2 }))).toBe(false);
  });

  test.each<[string, Partial<Lease>]>([
    ['parked', { parked: { reason: 'failures', since: 1, detail: 'd', toResume: 'r' } }],
    ['waiting for its retry', { nextAt: now + 1 }],
    ['with an open write', { pending }],
    ['of a newer version', { pv: 2 }],
  ])('is refused of an issue %s', (_, fields) => {
    expect(can(claimOf(lease(fields)), lease(fields))).toBe(false);
  });

  test('is possible when the retry is due', () => {
    expect(can(claimOf(lease({ nextAt: now })), lease({ nextAt: now }))).toBe(true);
  });

  test('keeps the ledger and forgets the turn before', () => {
    const before = lease({
      turns: 2,
      spendUsd: 3,
      feedback: 'f',
      commentRef: 'c',
      evidence,
      result: completed,
      hb: 4,
      nextAt: 1,
      retryClass: 'agent',
      writtenState: 'In Review' as StateName,
    });
    const claimed = after(claimOf(before), before);
    expect(claimed).toMatchObject({
      phase: 'claimed',
      turnId: someoneElse,
      attempt: 2,
      epoch: 7,
      turns: 2,
      spendUsd: 3,
      feedback: 'f',
      commentRef: 'c',
      seenState: 'Todo',
      capStates: ['todo'],
    });
    for (const field of [
      'boot',
      'liveArn',
      'evidence',
      'result',
      'hb',
      'nextAt',
      'retryClass',
      'writtenState',
      'ender',
    ] as const)
      expect(claimed[field]).toBeUndefined();
    expect(claimed.transitions).toHaveLength(1);
  });

  test('knows itself again, and nobody else', () => {
    const write = claimOf(lease());
    expect(write.mine(after(write, lease()))).toBe(true);
    expect(write.mine(lease({ phase: 'claimed' }))).toBe(false);
    expect(write.mine({ ...after(write, lease()), phase: 'launching' })).toBe(false);
    expect(write.mine(undefined)).toBe(false);
  });
});

describe('the gate', () => {
  test('is refused to a second container and open to a repeat of the first', () => {
    const passed = after(gate(turnId, `${arn}#k`, arn, now), inPhase('launching'));
    expect(passed).toMatchObject({ phase: 'running', boot: `${arn}#k`, liveArn: arn, hb: 0, startedAt: now });
    expect(gate(turnId, `${arn}#k`, arn, now).mine(passed)).toBe(true);
    expect(gate(turnId, `${other}#k`, other, now).mine(passed)).toBe(false);
    expect(can(gate(turnId, `${other}#k`, other, now), passed)).toBe(false);
  });
});

describe('a call of the running turn', () => {
  const beat = (boot: string, from: Arn) => heartbeat(turnId, boot, from, { count: 3, at: now });

  test('is accepted from the container that passed the gate only', () => {
    expect(can(beat(`${arn}#k`, arn), inPhase('running'))).toBe(true);
    expect(can(beat(`${arn}#other`, arn), inPhase('running'))).toBe(false);
    expect(can(beat(`${other}#k`, other), inPhase('running'))).toBe(false);
    for (const phase of ['launching', 'stopping', 'ending', 'idle', 'claimed'] as const)
      expect(can(beat(`${arn}#k`, arn), inPhase(phase))).toBe(false);
  });

  test('binds the key of an adopted lease, from its own container only', () => {
    const adopted = lease({ phase: 'running', boot: undefined });
    expect(can(beat(`${arn}#new`, arn), adopted)).toBe(true);
    expect(after(beat(`${arn}#new`, arn), adopted).boot).toBe(`${arn}#new`);
    expect(can(beat(`${other}#new`, other), adopted)).toBe(false);
  });

  test('is counted, and its progress noted where there was some', () => {
    expect(after(beat(`${arn}#k`, arn), lease({ phase: 'running', hb: 4 }))).toMatchObject({
      hb: 5,
      progress: 3,
      progressAt: now,
    });
    expect(after(heartbeat(turnId, `${arn}#k`, arn, undefined), lease({ phase: 'running' }))).toMatchObject({
      hb: 1,
    });
    expect(
      after(heartbeat(turnId, `${arn}#k`, arn, undefined), lease({ phase: 'running', progress: 2 })).progress,
    ).toBe(2);
  });

  test('may leave the result, under the same condition', () => {
    const report = reportResult(turnId, `${arn}#k`, arn, completed);
    expect(after(report, inPhase('running')).result).toEqual(completed);
    expect(can(report, inPhase('stopping'))).toBe(false);
    expect(report.mine(after(report, inPhase('running')))).toBe(true);
    expect(report.mine(inPhase('running'))).toBe(false);
  });
});

describe('evidence', () => {
  test('counts for the container that passed the gate only', () => {
    const foreign = { ...evidence, arn: other };
    expect(can(end(turnId, foreign, 'run-1', 'tick'), inPhase('running'))).toBe(false);
    expect(can(stopped(turnId, foreign, 'run-1', 'tick', nothing), inPhase('stopping'))).toBe(false);
    expect(can(recordEvidence(turnId, foreign), inPhase('stopping'))).toBe(false);
    expect(can(recordEvidence(turnId, evidence), inPhase('stopping'))).toBe(true);
    expect(can(recordEvidence(turnId, evidence), lease({ phase: 'stopping', evidence }))).toBe(false);
  });

  test('is kept with the end', () => {
    expect(after(end(turnId, evidence, 'run-1', 'tick'), inPhase('running'))).toMatchObject({
      evidence,
      ender: 'run-1',
      endedAt: now,
    });
    expect(after(stopped(turnId, evidence, 'run-1', 'tick', nothing), inPhase('stopping'))).toMatchObject({
      evidence,
      endedAt: now,
    });
  });
});

describe('an open write', () => {
  test('blocks every release', () => {
    expect(
      can(giveUpLaunch(turnId, 'run-1', now, 'tick', 'r', nothing), lease({ phase: 'launching', pending })),
    ).toBe(false);
    expect(
      can(stopped(turnId, evidence, 'run-1', 'tick', nothing), lease({ phase: 'stopping', pending })),
    ).toBe(false);
    expect(can(settle(turnId, 'run-1', now, 'tick', 'r', nothing), lease({ phase: 'ending', pending }))).toBe(
      false,
    );
  });

  test('is announced on a turn that may write, once', () => {
    for (const phase of phases)
      expect(can(intend(inPhase(phase), pending, 'run-1'), inPhase(phase))).toBe(
        ['launching', 'running', 'ending'].includes(phase),
      );
    expect(can(intend(inPhase('running'), pending, 'run-1'), lease({ phase: 'running', pending }))).toBe(
      false,
    );
    expect(
      can(intend(inPhase('running'), pending, 'run-1'), lease({ phase: 'running', turnId: someoneElse })),
    ).toBe(false);
  });

  test('of no turn is announced on an idle item as it was seen, or where there is none', () => {
    const ofNobody = { ...pending, turnId: undefined };
    for (const phase of phases)
      expect(can(intend(inPhase(phase), ofNobody, 'run-1'), inPhase(phase))).toBe(phase === 'idle');
    expect(can(intend(lease(), ofNobody, 'run-1'), lease({ v: 2 }))).toBe(false);
    expect(can(intend(lease(), ofNobody, 'run-1'), lease({ pending }))).toBe(false);
    expect(can(intend(lease({ pv: 2 }), ofNobody, 'run-1'), lease({ pv: 2 }))).toBe(false);
    const unclaimed = buildLease('A', { v: 0 });
    expect(after(intend(unclaimed, ofNobody, 'run-1'), undefined)).toMatchObject({ phase: 'idle' });
    expect(can(intend(unclaimed, ofNobody, 'run-1'), inPhase('idle'))).toBe(false);
  });

  test('at the end of a turn is announced by whoever decides that end', () => {
    expect(can(intend(inPhase('ending'), pending, 'run-1'), lease({ phase: 'ending', ender: 'run-9' }))).toBe(
      false,
    );
    expect(can(intend(inPhase('ending'), pending, 'run-1'), inPhase('running'))).toBe(false);
  });

  test('is cleared by its owner only, with what it left', () => {
    const clear = clearPending(pending, {
      set: { writtenState: 'In Review' as StateName },
      remove: ['goneSince'],
    });
    const cleared = after(clear, lease({ phase: 'running', pending, goneSince: 1 }));
    expect(cleared).toMatchObject({ writtenState: 'In Review' });
    expect(cleared.pending).toBeUndefined();
    expect(cleared.goneSince).toBeUndefined();
    expect(can(clear, lease({ phase: 'running', pending: { ...pending, by: 'run-2' } }))).toBe(false);
    expect(can(clear, inPhase('running'))).toBe(false);
    expect(clear.mine(cleared)).toBe(true);
    expect(clear.mine(lease({ pending }))).toBe(false);
    expect(clear.mine(undefined)).toBe(false);
  });

  test('is stamped once and taken over from whom it was seen with', () => {
    const stamped = after(stampPending(pending, now), lease({ pending }));
    expect(stamped.pending).toEqual({ ...pending, seenAt: now });
    expect(can(stampPending(pending, now), stamped)).toBe(false);
    const taken = after(takeOverPending(stamped.pending!, 'run-2'), stamped);
    expect(taken.pending).toEqual({ ...pending, by: 'run-2' });
    expect(can(takeOverPending(stamped.pending!, 'run-3'), taken)).toBe(false);
    expect(takeOverPending(stamped.pending!, 'run-2').mine(taken)).toBe(true);
    expect(takeOverPending(stamped.pending!, 'run-3').mine(taken)).toBe(false);
    expect(stampPending(pending, now).mine(stamped)).toBe(true);
    expect(stampPending(pending, now).mine(lease({ pending }))).toBe(false);
  });
});

describe('a settlement', () => {
  test('is refused to whom another one took the decision from', () => {
    expect(can(settle(turnId, 'run-2', now, 'tick', 'r', nothing), inPhase('ending'))).toBe(false);
  });

  test('leaves what its history left, and nothing twice', () => {
    const ledger = { set: { turns: 9, nextAt: 5 }, remove: ['parked', 'nextAt'] as const };
    const write = settle(turnId, 'run-1', now, 'tick', 'r', ledger);
    expect(
      after(
        write,
        lease({ phase: 'ending', parked: { reason: 'failures', since: 1, detail: 'd', toResume: 'r' } }),
      ),
    ).toMatchObject({ phase: 'idle', turns: 9, nextAt: 5 });
    expect(write.change.remove).toEqual(['parked']);
  });
});

describe('an adoption', () => {
  const { v: _version, ...adopted } = lease({ phase: 'running' });

  test('is never made over an item that is there', () => {
    expect(can(adopt(adopted), undefined)).toBe(true);
    for (const phase of phases) expect(can(adopt(adopted), inPhase(phase))).toBe(false);
  });

  test('knows itself by the container', () => {
    expect(adopt(adopted).mine(inPhase('running'))).toBe(true);
    expect(adopt(adopted).mine(lease({ phase: 'running', liveArn: other }))).toBe(false);
    expect(adopt(adopted).mine(inPhase('idle'))).toBe(false);
    expect(adopt(adopted).mine(undefined)).toBe(false);
  });
});

describe('notes', () => {
  test('of what was seen are made on the same turn in the same phase only', () => {
    const write = note(inPhase('running'), { set: { goneSince: now }, remove: ['missing'] });
    expect(after(write, inPhase('running')).goneSince).toBe(now);
    expect(can(write, inPhase('stopping'))).toBe(false);
    expect(can(write, lease({ phase: 'running', turnId: someoneElse }))).toBe(false);
    expect(can(note(lease({ turnId: undefined }), nothing), inPhase('idle'))).toBe(true);
  });

  test('on an idle item are made as it was seen only', () => {
    expect(can(amendIdle(lease(), 'x', nothing), lease({ v: 2 }))).toBe(false);
  });

  test('of the launch are made while it may still matter', () => {
    const write = recordLaunch(turnId, other);
    for (const phase of phases)
      expect(can(write, inPhase(phase))).toBe(['launching', 'running', 'stopping'].includes(phase));
    expect(write.mine(after(write, inPhase('launching')))).toBe(true);
    expect(write.mine(inPhase('launching'))).toBe(false);
  });
});

test('a write knows itself by its turn and where it led', () => {
  const mine: readonly [LeaseWrite, Phase][] = [
    [unclaim(turnId, now, 'r'), 'idle'],
    [mark(turnId, now), 'launching'],
    [mark(turnId, now), 'running'],
    [giveUpLaunch(turnId, 'run-1', now, 'tick', 'r', nothing), 'idle'],
    [stop(turnId, now, 'stale', 'd'), 'stopping'],
    [end(turnId, evidence, 'run-1', 'tick'), 'ending'],
    [join(turnId, 'run-1'), 'ending'],
    [stopped(turnId, evidence, 'run-1', 'tick', nothing), 'idle'],
    [settle(turnId, 'run-1', now, 'tick', 'r', nothing), 'idle'],
  ];
  for (const [write, phase] of mine) {
    expect([write.change.operation, write.mine(inPhase(phase))]).toEqual([write.change.operation, true]);
    expect(write.mine(lease({ phase, turnId: someoneElse }))).toBe(false);
    expect(write.mine(undefined)).toBe(false);
    const elsewhere = phases.filter(
      (one) =>
        one !== phase && !(write.change.operation === 'mark' && ['launching', 'running'].includes(one)),
    );
    for (const one of elsewhere)
      expect([write.change.operation, one, write.mine(inPhase(one))]).toEqual([
        write.change.operation,
        one,
        false,
      ]);
  }
  for (const write of [
    giveUpLaunch(turnId, 'run-2', now, 'tick', 'r', nothing),
    stopped(turnId, evidence, 'run-2', 'tick', nothing),
    settle(turnId, 'run-2', now, 'tick', 'r', nothing),
  ])
    expect(write.mine(inPhase('idle'))).toBe(false);
  expect(end(turnId, evidence, 'run-2', 'tick').mine(inPhase('ending'))).toBe(false);
  expect(join(turnId, 'run-2').mine(inPhase('ending'))).toBe(false);
  expect(recordEvidence(turnId, evidence).mine(lease({ evidence }))).toBe(true);
  expect(recordEvidence(turnId, evidence).mine(lease())).toBe(false);
  expect(amendIdle(lease(), 'x', nothing).mine(lease())).toBe(false);
  expect(note(lease(), nothing).mine(lease())).toBe(false);
});

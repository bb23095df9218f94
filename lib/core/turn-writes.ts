import type { Alternative } from './change.ts';
import type { Arn, Instant, TurnId } from './issue.ts';
import type { Actor, Evidence, Lease, StopReason } from './lease.ts';
import {
  isEndedBy,
  keep,
  type LeaseWrite,
  type LedgerUpdate,
  live,
  move,
  named,
  ofTurn,
  step,
  withLedger,
} from './lease-write.ts';
import type { TurnResult } from './turn-protocol.ts';

/** The start gate: the one conditional write by which a container becomes the live one. Repeating it is harmless. */
export function gate(turnId: TurnId, boot: string, arn: Arn, now: Instant): LeaseWrite {
  return {
    change: move(
      'gate',
      [ofTurn(turnId, 'launching')],
      step('launching', 'running', now, 'turn', 'started', arn),
      {
        boot,
        liveArn: arn,
        hb: 0,
        startedAt: now,
        progressAt: now,
      },
    ),
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'running' && stored.boot === boot,
  };
}

/** A call of the running turn. An adopted lease has no key yet: the first call of its own container binds it. */
export function heartbeat(
  turnId: TurnId,
  boot: string,
  arn: Arn,
  progress: { readonly count: number; readonly at: Instant } | undefined,
): LeaseWrite {
  return {
    change: {
      ...keep('heartbeat', asLiveTurn(turnId, boot, arn), {
        boot,
        ...(progress === undefined ? {} : { progress: progress.count, progressAt: progress.at }),
      }),
      add: { hb: 1 },
    },
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'running' && stored.boot === boot,
  };
}

/** Keeps what the running turn found; evidence for its settlement. */
export function reportResult(turnId: TurnId, boot: string, arn: Arn, result: TurnResult): LeaseWrite {
  return {
    change: { ...keep('result', asLiveTurn(turnId, boot, arn), { boot, result }), add: { hb: 1 } },
    mine: (stored) => stored?.turnId === turnId && stored.result !== undefined && stored.boot === boot,
  };
}

/** Asks a live turn to stop. From here gate, heartbeat and result refuse it; it is left by evidence only. */
export function stop(turnId: TurnId, now: Instant, reason: StopReason, detail: string): LeaseWrite {
  return {
    change: move('stop', [ofTurn(turnId, 'running')], step('running', 'stopping', now, 'tick', reason), {
      stop: { reason, at: now, detail },
    }),
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'stopping',
  };
}

/** The live container is proven stopped; `ender` decides what follows. */
export function end(turnId: TurnId, evidence: Evidence, ender: string, actor: Actor): LeaseWrite {
  return {
    change: move(
      'end',
      [[...ofTurn(turnId, 'running'), live(evidence.arn)]],
      step('running', 'ending', evidence.at, actor, evidence.cause, evidence.detail),
      {
        ender,
        evidence,
        endedAt: evidence.at,
      },
    ),
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'ending' && stored.ender === ender,
  };
}

/** Takes over the decision of an ending. Anybody may, at any time: the write intent is the fence, not the ender. */
export function join(turnId: TurnId, ender: string): LeaseWrite {
  return {
    change: keep('join', [ofTurn(turnId, 'ending')], { ender }),
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'ending' && stored.ender === ender,
  };
}

/** Releases a turn that was told to stop and is proven stopped. `ender` is who tells of it, if several try at once. */
export function stopped(
  turnId: TurnId,
  evidence: Evidence,
  ender: string,
  actor: Actor,
  ledger: LedgerUpdate,
): LeaseWrite {
  return {
    change: withLedger(
      move(
        'stopped',
        [[...ofTurn(turnId, 'stopping'), live(evidence.arn), { field: 'pending', is: 'absent' }]],
        step('stopping', 'idle', evidence.at, actor, evidence.cause, evidence.detail),
        { evidence, endedAt: evidence.at, ender },
      ),
      ledger,
    ),
    mine: (stored) => isEndedBy(stored, turnId, ender),
  };
}

/** Keeps evidence that the runner will forget, while something else still has to happen first. */
export function recordEvidence(turnId: TurnId, evidence: Evidence): LeaseWrite {
  return {
    change: keep(
      'record-evidence',
      [
        [
          named(turnId),
          { field: 'phase', is: 'equal', value: 'stopping' },
          live(evidence.arn),
          { field: 'evidence', is: 'absent' },
        ],
      ],
      { evidence },
    ),
    mine: (stored) => stored?.turnId === turnId && stored.evidence !== undefined,
  };
}

/** Ends an ending, once its history is written. */
export function settle(
  turnId: TurnId,
  ender: string,
  now: Instant,
  actor: Actor,
  reason: string,
  ledger: LedgerUpdate,
): LeaseWrite {
  return {
    change: withLedger(
      move(
        'settle',
        [
          [
            ...ofTurn(turnId, 'ending'),
            { field: 'ender', is: 'equal', value: ender },
            { field: 'pending', is: 'absent' },
          ],
        ],
        step('ending', 'idle', now, actor, reason),
      ),
      ledger,
    ),
    mine: (stored) => isEndedBy(stored, turnId, ender),
  };
}

/** After a lost ledger: a live task of the issue becomes its lease again. Never over an item that is there. */
export function adopt(lease: Omit<Lease, 'v'>): LeaseWrite {
  return {
    change: {
      operation: 'adopt',
      when: [[{ field: 'v', is: 'absent' }]],
      set: lease,
      remove: [],
      add: {},
      append: {},
    },
    mine: (stored) => stored?.liveArn === lease.liveArn && stored?.phase === 'running',
  };
}

function asLiveTurn(turnId: TurnId, boot: string, arn: Arn): readonly Alternative[] {
  const running = ofTurn(turnId, 'running');
  return [
    [...running, { field: 'boot', is: 'equal', value: boot }],
    [...running, { field: 'boot', is: 'absent' }, live(arn)],
  ];
}

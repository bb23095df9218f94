import type { Alternative } from './change.ts';
import type { Arn, Instant, StateKey, StateName, TurnId } from './issue.ts';
import type { Actor, Lease } from './lease.ts';
import { protocolVersion } from './lease.ts';
import {
  isEndedBy,
  keep,
  type LeaseWrite,
  type LedgerUpdate,
  move,
  named,
  ofTurn,
  step,
  withLedger,
} from './lease-write.ts';

const perTurn = [
  'launchArn',
  'boot',
  'liveArn',
  'hb',
  'hbSeen',
  'hbSeenAt',
  'progressAt',
  'stop',
  'evidence',
  'endedAt',
  'ender',
  'result',
  'missing',
  'goneSince',
  'finishedSince',
  'markedAt',
  'startedAt',
  'writtenState',
  'nextAt',
  'retryClass',
] as const satisfies readonly (keyof Lease)[];

export interface Claim {
  readonly seen: Lease;
  readonly epoch: number;
  readonly turnId: TurnId;
  readonly attempt: number;
  readonly startedFrom: StateName;
  readonly capStates: readonly StateKey[];
  readonly now: Instant;
}

/** Claims an idle issue, seen at a version, that is neither parked nor waiting for a retry. */
export function claim(it: Claim): LeaseWrite {
  const free: Alternative = [
    { field: 'phase', is: 'equal', value: 'idle' },
    { field: 'v', is: 'equal', value: it.seen.v },
    { field: 'pv', is: 'at-most', value: protocolVersion },
    { field: 'pending', is: 'absent' },
    { field: 'parked', is: 'absent' },
  ];
  const { v: _version, ...seen } = it.seen;
  return {
    change: {
      operation: 'claim',
      when: [
        [{ field: 'v', is: 'absent' }],
        [...free, { field: 'nextAt', is: 'absent' }],
        [...free, { field: 'nextAt', is: 'at-most', value: it.now }],
      ],
      set: {
        ...withoutPerTurn(seen),
        pv: protocolVersion,
        phase: 'claimed',
        turnId: it.turnId,
        epoch: it.epoch,
        attempt: it.attempt,
        startedFrom: it.startedFrom,
        seenState: it.startedFrom,
        capStates: it.capStates,
        claimedAt: it.now,
        transitions: [step(it.seen.v === 0 ? 'none' : 'idle', 'claimed', it.now, 'tick', 'wanted')],
      },
      remove: perTurn,
      add: {},
      append: {},
    },
    mine: (stored) => stored?.turnId === it.turnId && stored.phase === 'claimed',
  };
}

/** Takes back a claim that was certainly never launched. */
export function unclaim(turnId: TurnId, now: Instant, reason: string): LeaseWrite {
  return {
    change: move('unclaim', [ofTurn(turnId, 'claimed')], step('claimed', 'idle', now, 'tick', reason)),
    mine: (stored) => stored?.turnId === turnId && stored.phase === 'idle',
  };
}

/** Marks a confirmed claim as perhaps launched, before the launch is sent. */
export function mark(turnId: TurnId, now: Instant): LeaseWrite {
  return {
    change: move(
      'mark',
      [ofTurn(turnId, 'claimed')],
      step('claimed', 'launching', now, 'tick', 'confirmed'),
      { markedAt: now },
    ),
    mine: (stored) =>
      stored?.turnId === turnId && (stored.phase === 'launching' || stored.phase === 'running'),
  };
}

/** Notes the runner's name of the launch; information only. */
export function recordLaunch(turnId: TurnId, arn: Arn): LeaseWrite {
  return {
    change: keep(
      'record-launch',
      [[named(turnId), { field: 'phase', is: 'one-of', values: ['launching', 'running', 'stopping'] }]],
      { launchArn: arn },
    ),
    mine: (stored) => stored?.turnId === turnId && stored.launchArn === arn,
  };
}

/** Ends a launch nobody passed the gate of. Needs no evidence: the gate is closed by this very write. */
export function giveUpLaunch(
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
        'give-up-launch',
        [[...ofTurn(turnId, 'launching'), { field: 'pending', is: 'absent' }]],
        step('launching', 'idle', now, actor, reason),
        { ender },
      ),
      ledger,
    ),
    mine: (stored) => isEndedBy(stored, turnId, ender),
  };
}

function withoutPerTurn(seen: Omit<Lease, 'v'>): Partial<Lease> {
  return Object.fromEntries(
    Object.entries(seen).filter(([field]) => !(perTurn as readonly string[]).includes(field)),
  );
}

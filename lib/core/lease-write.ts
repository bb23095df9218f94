import type { Alternative, Change } from './change.ts';
import type { Arn, Instant, TurnId } from './issue.ts';
import type { Actor, Lease, Phase, Transition } from './lease.ts';

/**
 * The conditional writes of the lease protocol, as data. Every condition names the turn and its phase (a claim: idle and
 * the version seen), so that a write that lands late is harmless; every change of phase leaves its transition.
 *
 * `mine` tells, from a consistent read after a refused or unanswered write, whether this very write is what is stored.
 */
export interface LeaseWrite {
  readonly change: Change<Lease>;
  mine(stored: Lease | undefined): boolean;
}

/** What a settlement leaves on the item: counters, retry, park, spend. Made by `foldSettlement`. */
export interface LedgerUpdate {
  readonly set: Partial<Lease>;
  readonly remove: readonly (keyof Lease)[];
}

export function named(turnId: TurnId): Alternative[number] {
  return { field: 'turnId', is: 'equal', value: turnId };
}

export function ofTurn(turnId: TurnId, phase: Phase): Alternative {
  return [named(turnId), { field: 'phase', is: 'equal', value: phase }];
}

export function live(arn: Arn): Alternative[number] {
  return { field: 'liveArn', is: 'equal', value: arn };
}

export function step(
  from: Transition['from'],
  to: Phase,
  at: Instant,
  actor: Actor,
  reason: string,
  evidence?: string,
): Transition {
  return { from, to, at, actor, reason, ...(evidence === undefined ? {} : { evidence }) };
}

export function keep(operation: string, when: readonly Alternative[], set: Partial<Lease>): Change<Lease> {
  return { operation, when, set, remove: [], add: {}, append: {} };
}

export function move(
  operation: string,
  when: readonly Alternative[],
  transition: Transition,
  set: Partial<Lease> = {},
): Change<Lease> {
  return {
    ...keep(operation, when, { ...set, phase: transition.to }),
    append: { transitions: [transition] },
  };
}

export function withLedger(change: Change<Lease>, ledger: LedgerUpdate): Change<Lease> {
  return {
    ...change,
    set: { ...change.set, ...ledger.set },
    remove: [...change.remove, ...ledger.remove].filter((field) => !(field in ledger.set)),
  };
}

/** Whether the turn was ended by this run: several may try at once, and only one may tell of it. */
export function isEndedBy(stored: Lease | undefined, turnId: TurnId, ender: string): boolean {
  return stored?.turnId === turnId && stored.phase === 'idle' && stored.ender === ender;
}

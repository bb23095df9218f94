import type { Arn, IssueId, TurnId } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { HeartbeatAnswer } from '../core/turn-protocol.ts';
import type { Ports, TickRecord } from './ports.ts';

/** What a call is answered: a word of the protocol, or that nothing is known now and the turn should ask again. */
export type Served<Answer> = Answer | 'unauthorised' | 'unavailable';

export const stop = (reason: string, keepWork = false) => ({ answer: 'stop', reason, keepWork }) as const;

export const waitForLedger = {
  answer: 'wait',
  reason: 'the ledger is lost; running turns are being adopted',
} as const;

/** Refused: while the ledger is lost the turn waits and is adopted; otherwise whoever does not hold the lease stops. */
export async function refuse(
  ports: Ports,
  before: TickRecord,
  turnId: TurnId,
  place: Place | undefined,
): Promise<HeartbeatAnswer> {
  const tick = await ports.ledger.tick();
  if (!isOpen(tick) || tick.gen !== before.gen) return waitForLedger;
  const row = place && (await ports.ledger.lease(tick.gen, place.board, place.issueId));
  const stillOurs = row?.turnId === turnId && (row.phase === 'stopping' || row.phase === 'running');
  return stop(row?.stop?.reason ?? 'the lease is not for this turn', stillOurs);
}

type Place = Pick<Lease, 'board' | 'issueId' | 'key'>;

/** Where the turn's lease is: from its frozen record, or, after a lost ledger, from the leases themselves. */
export async function findTurn(ports: Ports, tick: TickRecord, turnId: TurnId): Promise<Place | undefined> {
  const turn = await ports.ledger.turn(turnId);
  if (turn !== undefined)
    return { board: turn.board, issueId: turn.issue.id as IssueId, key: turn.issue.key };
  return (await ports.ledger.leases(tick.gen)).find((lease) => lease.turnId === turnId);
}

/**
 * The lease of a caller that may still use what its turn may: at work, or told to stop, since it may still keep its commits.
 * Anybody else is answered what `refuse` says.
 */
export async function admitCaller(
  ports: Ports,
  turnId: TurnId,
  key: string,
  arn: Arn,
): Promise<{ readonly lease: Lease } | HeartbeatAnswer> {
  const tick = await ports.ledger.tick();
  if (!isOpen(tick)) return waitForLedger;
  const place = await findTurn(ports, tick, turnId);
  if (place === undefined) return refuse(ports, tick, turnId, undefined);
  const lease = await ports.ledger.lease(tick.gen, place.board, place.issueId);
  const isAlive = lease?.phase === 'running' || lease?.phase === 'stopping';
  const isCaller = lease?.turnId === turnId && lease.boot === makeBoot(ports, arn, key);
  return isAlive && isCaller ? { lease } : refuse(ports, tick, turnId, place);
}

/** Who passed the gate, as one string: no condition of the store compares maps. */
export function makeBoot(ports: Ports, arn: Arn, key: string): string {
  return `${arn}#${ports.seal.digest(key)}`;
}

export function isOpen(tick: TickRecord | undefined): tick is TickRecord {
  return tick?.epoch !== undefined;
}

import type { BoardId, IssueId, TurnId } from '../../core/issue.ts';

/** The one table of a deployment: no index and no stream. Whoever creates it needs these names and nothing else. */
export const tableKeys = { partition: 'pk', sort: 'sk' } as const;

/**
 * Where the store can clean by itself, it removes items some time after this many seconds since 1970. Only for cleaning:
 * nothing is decided by it, and an item that is still there counts.
 */
export const tableExpiry = 'expiresAt';

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const tickKey: ItemKey = { pk: 'EVENKEEL', sk: 'TICK' };

export function boardKey(board: BoardId): ItemKey {
  return { pk: 'EVENKEEL', sk: `BOARD#${encoded(board)}` };
}

/**
 * The generation stands in the key, so that no write of a lost generation, however late, meets a lease of the next one.
 */
export function leaseKey(gen: string, board: BoardId, issue: IssueId): ItemKey {
  return { pk: leasePartition(gen), sk: `${leasePrefix}${encoded(board)}#${encoded(issue)}` };
}

export function leasePartition(gen: string): string {
  return `EVENKEEL#${encoded(gen)}`;
}

/** Every partition of leases, of whatever generation, as IAM writes a pattern; no other item is in one of them. */
export const everyLeasePartition = 'EVENKEEL#*';

/** Whose lease it is, by its key alone: an item that cannot be understood still says so. */
export function leaseOwner(key: ItemKey): { readonly board: BoardId; readonly issueId: IssueId } {
  const [board = '', issue = ''] = key.sk.slice(leasePrefix.length).split('#').map(decoded);
  return { board: board as BoardId, issueId: issue as IssueId };
}

export const leasePrefix = 'LEASE#';

export function turnKey(turnId: TurnId): ItemKey {
  return { pk: `T#${encoded(turnId)}`, sk: 'TURN' };
}

/** The attempt is padded, so that an issue's turns lie in their order. */
export function historyKey(board: BoardId, issue: IssueId, turnId: TurnId, attempt: number): ItemKey {
  return {
    pk: historyPartition(board, issue),
    sk: `${historyPrefix}${padded(attempt, 8)}#${encoded(turnId)}`,
  };
}

export function historyPartition(board: BoardId, issue: IssueId): string {
  return `I#${encoded(board)}#${encoded(issue)}`;
}

export const historyPrefix = 'TURN#';

/**
 * A pointer to a turn's history, by board and time: the history of a board is read without an index and without a scan
 * over what is not history.
 */
export function boardHistoryKey(board: BoardId, endedAt: number, turnId: TurnId): ItemKey {
  return { pk: boardHistoryPartition(board), sk: `${padded(endedAt, 15)}#${encoded(turnId)}` };
}

export function boardHistoryPartition(board: BoardId): string {
  return `H#${encoded(board)}`;
}

/** Ids are opaque and may hold the separator. */
function encoded(part: string): string {
  return part.replaceAll('%', '%25').replaceAll('#', '%23');
}

function decoded(part: string): string {
  return part.replaceAll('%23', '#').replaceAll('%25', '%');
}

function padded(number: number, digits: number): string {
  return String(Math.trunc(number)).padStart(digits, '0');
}

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { BoardRecord, Ledger, TurnRecord } from '../../controller/ports.ts';
import type { BoardId, IssueId } from '../../core/issue.ts';
import type { Lease } from '../../core/lease.ts';
import type { SettlementRecord } from '../../core/settle.ts';
import { dynamodbTable } from './dynamodb-table.ts';
import { dynamodbTicks } from './dynamodb-ticks.ts';
import { readItem } from './read-item.ts';
import { readListedLease } from './read-listed-lease.ts';
import { boardSchema, historySchema, leaseSchema, turnSchema } from './stored-items.ts';
import {
  boardHistoryKey,
  boardHistoryPartition,
  boardKey,
  historyKey,
  historyPartition,
  historyPrefix,
  leaseKey,
  leasePartition,
  leasePrefix,
  tableExpiry,
  turnKey,
} from './table.ts';

export interface DynamodbLedgerOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Items per page of a listing; by default as many as fit into the database's own page of 1 MB. */
  readonly pageSize?: number | undefined;
}

/** What a turn was started from is of no use once it has ended, which takes hours at most; its history is kept. */
const keepTurnMs = 90 * 86_400_000;

/**
 * The ledger in one DynamoDB table. It uses conditional writes of single items and consistent reads, which the embedded
 * engine offers too: no transactions and no index. A store that can clean by itself removes old turn records; nothing else
 * expires.
 */
export function dynamodbLedger(options: DynamodbLedgerOptions): Ledger {
  const table = dynamodbTable(options);

  async function recordsOf(
    pointers: readonly Record<string, unknown>[],
  ): Promise<readonly SettlementRecord[]> {
    const found = await table.getMany(
      pointers.map(({ board, issueId, turnId, attempt }) =>
        historyKey(
          board as BoardId,
          issueId as IssueId,
          turnId as SettlementRecord['turnId'],
          Number(attempt),
        ),
      ),
    );
    const records = found.map((stored) => readItem<SettlementRecord>(historySchema, stored));
    return records.sort((a, b) => a.endedAt - b.endedAt);
  }

  return {
    ...dynamodbTicks(table),
    board: async (board) => read<BoardRecord>(boardSchema, await table.get(boardKey(board))),
    changeBoard: async (board, change) => done(await table.change(boardKey(board), change, { board })),
    leases: async (gen) => (await table.query(leasePartition(gen), leasePrefix)).map(readListedLease),
    lease: async (gen, board, issue) =>
      read<Lease>(leaseSchema, await table.get(leaseKey(gen, board, issue))),
    changeLease: async (gen, board, issue, change) =>
      done(await table.change(leaseKey(gen, board, issue), change, { board, issueId: issue })),
    putTurn: (record) =>
      table.putOnce(turnKey(record.turnId), {
        ...record,
        [tableExpiry]: Math.ceil((record.claimedAt + keepTurnMs) / 1_000),
      }),
    turn: async (turnId) => {
      const stored = await table.get(turnKey(turnId));
      if (stored === undefined) return undefined;
      const { [tableExpiry]: _, ...turn } = stored;
      return readItem<TurnRecord>(turnSchema, turn);
    },
    putHistory: async (record) => {
      const { board, issueId, turnId, attempt, endedAt } = record;
      // The pointer goes first: one without its history is skipped by the reader, history without it would be hidden.
      await table.put(boardHistoryKey(board, endedAt, turnId), { board, issueId, turnId, attempt });
      return table.putOnce(historyKey(board, issueId, turnId, attempt), record);
    },
    historyOf: async (board, issue, turnId, attempt) =>
      read<SettlementRecord>(historySchema, await table.get(historyKey(board, issue, turnId, attempt))),
    history: async (board, issue) => {
      if (issue === undefined) return recordsOf(await table.query(boardHistoryPartition(board), ''));
      const stored = await table.query(historyPartition(board, issue), historyPrefix);
      const records = stored.map((one) => readItem<SettlementRecord>(historySchema, one));
      // Attempts are counted anew where a lease was forgotten or lost.
      return records.sort((a, b) => a.endedAt - b.endedAt);
    },
  };
}

function read<Item>(
  schema: Parameters<typeof readItem>[0],
  stored: Record<string, unknown> | undefined,
): Item | undefined {
  return stored === undefined ? undefined : readItem<Item>(schema, stored);
}

function done(answer: object | 'refused'): 'done' | 'refused' {
  return answer === 'refused' ? answer : 'done';
}

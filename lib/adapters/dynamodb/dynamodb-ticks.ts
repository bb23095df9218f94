import type { Ledger, TickRecord } from '../../controller/ports.ts';
import type { DynamodbTable } from './dynamodb-table.ts';
import { readItem } from './read-item.ts';
import { tickSchema } from './stored-tick.ts';
import { tickKey } from './table.ts';

/** The record of ticks alone: all of the ledger that a hint needs, for a function that may touch nothing else of it. */
export function dynamodbTicks(table: DynamodbTable): Pick<Ledger, 'tick' | 'changeTick'> {
  return {
    tick: async () => {
      const stored = await table.get(tickKey);
      return stored === undefined ? undefined : readItem<TickRecord>(tickSchema, stored);
    },
    changeTick: async (change) => {
      const changed = await table.change(tickKey, change, {}, 'answer-item');
      return changed === 'refused' ? changed : readItem<TickRecord>(tickSchema, changed);
    },
  };
}

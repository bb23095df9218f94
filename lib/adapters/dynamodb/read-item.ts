import type * as z from 'zod';
import { type ItemKey, tableKeys } from './table.ts';

/** The item without its key, as the type the schema stands for. Throws, naming the item, when it does not parse. */
export function readItem<Item>(schema: z.ZodType, stored: StoredItem): Item {
  const read = parseItem(schema, stored);
  if (!read.success) throw new Error(read.problem);
  return read.item as Item;
}

export type StoredItem = Record<string, unknown>;

type Parsed =
  | { readonly success: true; readonly item: StoredItem }
  | { readonly success: false; readonly problem: string };

/** The item without its key, or what is wrong with it. */
export function parseItem(schema: z.ZodType, stored: StoredItem): Parsed {
  const { [tableKeys.partition]: _pk, [tableKeys.sort]: _sk, ...item } = stored;
  const parsed = schema.safeParse(item);
  if (parsed.success) return { success: true, item: parsed.data as StoredItem };
  // Strict schemas of other doors stand inside the items; a field they do not know yet is no fault of a stored item.
  const faults = parsed.error.issues.filter((issue) => issue.code !== 'unrecognized_keys');
  if (faults.length === 0) return { success: true, item };
  const { pk, sk } = keyOf(stored);
  const where = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return { success: false, problem: `the ledger's item ${pk} ${sk} cannot be understood (${where})` };
}

export function keyOf(stored: StoredItem): ItemKey {
  return { pk: String(stored[tableKeys.partition]), sk: String(stored[tableKeys.sort]) };
}

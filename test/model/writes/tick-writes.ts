import type { TickRecord } from '../../../lib/core/board-record.ts';
import type { Change } from '../../../lib/core/change.ts';
import {
  countHint,
  finishTick,
  finishTickOwing,
  openTick,
  putTickClosed,
  renewGeneration,
  stampClosed,
  startTick,
} from '../../../lib/core/tick-writes.ts';
import { type BookWrite, type ItemBook, itemBook } from './item-book.ts';
import type { Broken } from './lease-writes.ts';
import { now } from './stand-ins.ts';

/** The product's writes of the record of ticks, from small numbers: the writer's epoch, the hints it took, a generation. */
const makers = {
  'start-tick': () => startTick('scheduled', now),
  'start-hint-tick': () => startTick('hint', now),
  'finish-tick': (epoch: number, took: number) => finishTick({ gen: genOf(1), epoch }, took, {}),
  'finish-tick-owing': (epoch: number, took: number) => finishTickOwing({ gen: genOf(1), epoch }, took, {}),
  hint: () => countHint(),
  'put-tick-closed': (gen: number) => putTickClosed(genOf(gen)),
  'renew-generation': (old: number, gen: number) => renewGeneration(genOf(old), genOf(gen)),
  'stamp-closed': (gen: number) => stampClosed(genOf(gen), now),
  'open-tick': (gen: number) => openTick(genOf(gen)),
} satisfies Readonly<Record<string, (first: number, second: number) => Change<TickRecord>>>;

export type TickOperation = keyof typeof makers;
export interface TickWrites extends ItemBook<TickRecord> {
  make(operation: TickOperation, first?: number, second?: number): BookWrite;
  /** The epoch that a scheduled tick takes after this one, by the product's own write. */
  nextEpoch(epoch: number): number;
}

export const genOf = (gen: number) => `generation-${gen}`;

export function tickWrites(broken: Broken<TickOperation, TickRecord> = {}): TickWrites {
  const book = itemBook<TickRecord>(tidyRecord);
  const made = new Map<TickOperation, BookWrite[]>();
  const next: (number | undefined)[] = [];
  const ticks: TickWrites = {
    ...book,
    nextEpoch(epoch) {
      const known = next[epoch];
      if (known !== undefined) return known;
      const record = book.numberOf({ v: 1, gen: genOf(1), epoch, done: 0, dirty: 0, seen: 0 });
      const after = book.item(ticks.make('start-tick').on(record))!.epoch!;
      next[epoch] = after;
      return after;
    },
    make(operation, first = 0, second = 0) {
      const ofOperation = made.get(operation) ?? [];
      made.set(operation, ofOperation);
      const key = first * 64 + second;
      const known = ofOperation[key];
      if (known !== undefined) return known;
      const change: Change<TickRecord> = makers[operation](first, second);
      const write = book.write(operation, broken[operation]?.(change) ?? change, () => false);
      ofOperation[key] = write;
      return write;
    },
  };
  return ticks;
}

/** Times are left out: no condition compares them. */
function tidyRecord({ gen, epoch, done, dirty, seen, since }: TickRecord): TickRecord {
  const kept = Object.entries({ gen, epoch, done, dirty, seen, since });
  return {
    v: 1,
    gen,
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
  };
}

import { randomIds } from '../../adapters/runtime/random-ids.ts';
import type { Ledger, TickRecord } from '../../controller/ports.ts';
import { putTickClosed } from '../../core/tick-writes.ts';

export type Bootstrapped =
  /** The tick record was missing, and is there now: closed, under a generation that never was before. */
  | { readonly kind: 'put'; readonly generation: string }
  /** It is there and waits to be opened by ticks; nothing was changed. */
  | { readonly kind: 'closed'; readonly generation: string; readonly since: number | undefined }
  /** It is there and open; nothing was changed. */
  | {
      readonly kind: 'open';
      readonly generation: string;
      readonly epoch: number;
      readonly lastTickAt: number | undefined;
    };

/**
 * Puts the tick record closed where there is none: what a deployment does with a new table, and a person after a lost one.
 * It never changes a record that is there.
 */
export async function bootstrapLedger(ledger: Ledger): Promise<Bootstrapped> {
  const generation = randomIds().random();
  const put = await ledger.changeTick(putTickClosed(generation));
  // A refused repeat of a write whose answer was lost finds its own record.
  const tick = put === 'refused' ? await ledger.tick() : put;
  if (tick === undefined)
    throw new Error('The tick record was there and is gone: the table is being deleted. Look at it first.');
  return tick.gen === generation ? { kind: 'put', generation } : describeRecord(tick);
}

function describeRecord({ gen: generation, epoch, since, finishedAt }: TickRecord): Bootstrapped {
  return epoch === undefined
    ? { kind: 'closed', generation, since }
    : { kind: 'open', generation, epoch, lastTickAt: finishedAt };
}

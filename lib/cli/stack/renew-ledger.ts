import { randomIds } from '../../adapters/runtime/random-ids.ts';
import type { Ledger, TickRecord } from '../../controller/ports.ts';
import { renewGeneration } from '../../core/tick-writes.ts';

/** What a table says of itself: as it is, or as it was when a backup of it was made. */
export interface FoundLedger {
  readonly generation: string;
  readonly isOpen: boolean;
  readonly lastTickAt: number | undefined;
  /** How many leases are held. */
  readonly held: number;
  readonly parked: number;
}

export type Renewed =
  /** The table has no tick record: it is no backup of a ledger that was in use. */
  | { readonly kind: 'missing' }
  /** Nothing was changed: this is what would be closed. */
  | { readonly kind: 'kept'; readonly found: FoundLedger }
  /** The record is closed, under a generation that never was before. */
  | { readonly kind: 'renewed'; readonly found: FoundLedger; readonly generation: string }
  /** Somebody else changed the record at the same moment, and nothing was changed here. */
  | { readonly kind: 'overtaken'; readonly generation: string };

/**
 * Closes the record of a table that was restored from a backup, under a new generation, once that is confirmed: the leases
 * that came with the backup are old, and nobody reads them any more.
 */
export async function renewLedger(
  ledger: Ledger,
  { isConfirmed }: { readonly isConfirmed: boolean },
): Promise<Renewed> {
  const tick = await ledger.tick();
  if (tick === undefined) return { kind: 'missing' };
  const found = await look(ledger, tick);
  if (!isConfirmed) return { kind: 'kept', found };
  const generation = randomIds().random();
  const change = renewGeneration(tick.gen, generation);
  const renewed = await ledger.changeTick(change);
  // A refused repeat of a write whose answer was lost finds its own record.
  const now = renewed === 'refused' ? await ledger.tick() : renewed;
  return now?.gen === generation
    ? { kind: 'renewed', found, generation }
    : { kind: 'overtaken', generation: now?.gen ?? 'none' };
}

async function look(ledger: Ledger, { gen, epoch, finishedAt }: TickRecord): Promise<FoundLedger> {
  const leases = await ledger.leases(gen);
  return {
    generation: gen,
    isOpen: epoch !== undefined,
    lastTickAt: finishedAt,
    held: leases.filter(({ phase }) => phase !== 'idle').length,
    parked: leases.filter(({ parked }) => parked !== undefined).length,
  };
}

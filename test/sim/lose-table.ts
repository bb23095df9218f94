import { applyChange } from '../../lib/core/change.ts';
import { renewGeneration } from '../../lib/core/tick-writes.ts';
import type { Truth } from './checks/truth.ts';
import type { Fate } from './fate.ts';
import type { Invocations } from './models/invocations.ts';
import type { LedgerBackup } from './models/sim-ledger.ts';
import { pause } from './pause.ts';

/** How soon people see that a board is paused again which they had let go on since the backup. */
const seenPausedMs = 300_000;

/**
 * The table is gone. On one machine the host is started anew on an empty store; elsewhere a person notices after a while,
 * asks what would happen, and bootstraps a new table, or one that is restored from the backup, where there is one.
 */
export function loseTable(truth: Truth, fate: Fate, run: Invocations, backup?: LedgerBackup): void {
  const { kernel, flavour, store, saw, memory } = truth;
  saw('table lost');
  store.lose();
  memory.historyOf.clear();
  memory.tableLostAt = kernel.now();
  if (flavour.place === 'machine') {
    run.restart();
    return;
  }
  kernel.after(1_000, run.askPlan);
  kernel.after(3_000 + Math.round(300_000 * fate.draw('bootstrap') ** 2), () => {
    if (store.tick() !== undefined) return;
    if (backup !== undefined) restore(truth, backup);
    bootstrap(truth);
  });
}

/** History and pauses are those of the backup again, and what came since is forgotten. */
function restore(truth: Truth, backup: LedgerBackup): void {
  const { kernel, store, memory, boards } = truth;
  store.restore(backup);
  memory.historyOf.clear();
  for (const record of store.history()) memory.historyOf.set(record.turnId, record);
  kernel.after(seenPausedMs, () => {
    for (const board of boards) pause(truth, board, false);
  });
}

/** A record without an epoch, under a generation of its own: a new one, or that of a restored table, renewed. */
function bootstrap({ kernel, store, saw }: Truth): void {
  const gen = `gen-${kernel.counts.events}`;
  const restored = store.tick();
  if (restored === undefined) {
    store.items.set('TICK', { gen, v: 1 });
    return;
  }
  saw('table restored');
  const renewed = applyChange(renewGeneration(restored.gen, gen), restored);
  store.items.set('TICK', { ...renewed, v: restored.v + 1 });
}

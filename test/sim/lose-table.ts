import type { Truth } from './checks/truth.ts';
import type { Fate } from './fate.ts';
import type { Invocations } from './models/invocations.ts';

/**
 * The table is gone. On one machine the host is started anew on an empty store; elsewhere a person notices after a while,
 * asks what would happen, and bootstraps the new table.
 */
export function loseTable(
  { kernel, flavour, store, saw, memory }: Truth,
  fate: Fate,
  run: Invocations,
): void {
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
    if (store.tick() === undefined) store.items.set('TICK', { gen: `gen-${kernel.counts.events}`, v: 1 });
  });
}

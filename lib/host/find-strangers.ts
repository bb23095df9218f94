import type { Machine } from './open-machine.ts';

/**
 * Turns of boards that are not served now, as one sentence; undefined when there are none. They keep their slots: without
 * their board nobody can tell whether they are still wanted, nor hand their work off.
 */
export async function findStrangers({ ports, boards }: Machine): Promise<string | undefined> {
  const tick = await ports.ledger.tick();
  if (tick === undefined) return undefined;
  const served = new Set(boards.hosted().map(({ board }) => board));
  const leases = await ports.ledger.leases(tick.gen);
  const strange = leases.filter(({ board, phase }) => phase !== 'idle' && !served.has(board));
  if (strange.length === 0) return undefined;
  const names = [...new Set(strange.map(({ board }) => board))].join(', ');
  const turns = strange.length === 1 ? '1 turn belongs' : `${strange.length} turns belong`;
  return `${turns} to a board that is not served now (${names}); serve it again, and what it is owed is settled`;
}

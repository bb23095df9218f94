import type { Ledger } from '../controller/ports.ts';

/** The ledger of a folder in which nothing was ever kept. It can be read; every write throws. */
export function emptyLedger(): Ledger {
  const refuse = async (): Promise<never> => {
    throw new Error('There is no ledger yet: nothing can be kept before a first start.');
  };
  return {
    tick: async () => undefined,
    changeTick: refuse,
    board: async () => undefined,
    changeBoard: refuse,
    leases: async () => [],
    lease: async () => undefined,
    changeLease: refuse,
    putTurn: refuse,
    turn: async () => undefined,
    putHistory: refuse,
    historyOf: async () => undefined,
    history: async () => [],
  };
}

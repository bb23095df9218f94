import { planOnly } from '../../../lib/controller/plan-only.ts';
import type { Ports } from '../../../lib/controller/ports.ts';

/** A person asks for the plan. Whatever it tries to write is a fault of the code. */
export async function askForPlan(ports: Ports): Promise<Awaited<ReturnType<typeof planOnly>> | undefined> {
  try {
    return await planOnly(readOnly(ports));
  } catch (error) {
    if (error instanceof Error && error.message.includes('sim:')) return undefined;
    throw error;
  }
}

function readOnly(ports: Ports): Ports {
  return {
    ...ports,
    ledger: {
      ...ports.ledger,
      changeTick: refuse,
      changeBoard: refuse,
      changeLease: refuse,
      putTurn: refuse,
      putHistory: refuse,
    },
    runner: { ...ports.runner, launch: refuse, stop: refuse },
    trigger: { requestTick: refuse },
    reporter: { report: refuse },
    boards: async () =>
      (await ports.boards()).map((board) => ({
        ...board,
        tracker: { ...board.tracker, transition: refuse, restore: refuse, comment: refuse },
      })),
  };
}

function refuse(): never {
  throw new Error('who only asks for the plan writes');
}

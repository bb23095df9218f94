import { turnEndHandler } from '../../functions/turn-end.ts';
import { stoppedEvent } from './end-turns.ts';
import type { MachinePorts } from './wire-ports.ts';

export interface TurnEnds {
  /** Resolves when every ending that came so far has been handled. */
  settled(): Promise<void>;
}

/** Handles the end of each child process as the event of a stopped task is handled on AWS. */
export function turnEnds(ports: MachinePorts, onProblem: (message: string) => void): TurnEnds {
  const handle = turnEndHandler(ports);
  const atWork = new Set<Promise<unknown>>();
  ports.runner.onExit((arn, turnId) => {
    const handled: Promise<unknown> = handle(stoppedEvent(arn, turnId))
      .catch((error: unknown) =>
        onProblem(`the end of turn ${turnId} could not be settled yet: ${messageOf(error)}`),
      )
      .finally(() => atWork.delete(handled));
    atWork.add(handled);
  });
  return {
    async settled() {
      while (atWork.size > 0) await Promise.all(atWork);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { Ledger, Runner, Tracker } from '../../../lib/controller/ports.ts';
import type { Proc } from '../kernel.ts';
import type { CalmPlace } from './calm-place.ts';
import type { CardBoard } from './card-board.ts';
import { doToCard } from './hands.ts';
import { type LedgerStore, simLedger } from './sim-ledger.ts';
import { simRunner } from './sim-runner.ts';
import { simTracker } from './sim-tracker.ts';
import { type TaskPark, taskPark } from './task-park.ts';

const ignore = () => undefined;

/** The ledger's model by itself: nobody watches what is written. */
export function loneLedger({ setting }: CalmPlace, store: LedgerStore, proc: Proc): Ledger {
  const watch = {
    boardRead: ignore,
    leaseSent: ignore,
    leaseChanged: ignore,
    leaseForgotten: ignore,
    tickChanged: ignore,
    historyPut: ignore,
  };
  return simLedger(setting, store, watch, proc);
}

/** The tracker's model by itself. Hands that fate lets in act on its board. */
export function loneTracker({ setting, kernel }: CalmPlace, board: CardBoard, proc: Proc): Tracker {
  const watch = {
    statesRead: ignore,
    listed: ignore,
    read: ignore,
    writeSent: ignore,
    writeAnswered: ignore,
    writeLanded: ignore,
  };
  return simTracker({
    setting,
    board,
    name: 'board',
    watch,
    proc,
    act: (card, deed, inMs) => kernel.after(inMs, () => doToCard(board, card, deed as 'close')),
  });
}

/** Containers whose program is let in and told to go on, whatever it asks. */
export function lonePark({ setting, kernel }: CalmPlace): TaskPark {
  const api = {
    call: (_task: unknown, _body: unknown, done: (answer: { readonly answer: 'go' }) => void) =>
      kernel.after(10, () => done({ answer: 'go' })),
  };
  return taskPark(setting, api, { began: ignore, letIn: ignore, pushed: ignore, ended: ignore });
}

export function loneRunner({ setting }: CalmPlace, park: TaskPark, proc: Proc): Runner {
  return simRunner(setting, park, { launchSent: ignore }, proc);
}

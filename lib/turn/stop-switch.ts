import type { TurnResult } from '../core/turn-protocol.ts';

/** Why a turn ends before its end. */
export interface Stop {
  readonly cause: NonNullable<TurnResult['cause']>;
  /** For people, in the log. */
  readonly reason: string;
  /** Whether the lease is said to be still this turn's; undefined when nobody said so. */
  readonly keepWork: boolean | undefined;
}

export interface StopSwitch {
  /** Raised by the first reason to stop: what runs is ended, no further step begins, work is kept. */
  readonly stopping: AbortSignal;
  /** Raised when there is no time left to wait for anybody: what remains must be done on this machine, at once. */
  readonly hurry: AbortSignal;
  /** The first reason, once there is one. */
  reason(): Stop | undefined;
  ask(stop: Stop): void;
  /** Gives up the time that was left for keeping work. */
  rush(): void;
}

/** The first reason counts; the time to end in runs from there. */
export function stopSwitch(budgetMs: number): StopSwitch {
  const stopping = new AbortController();
  const hurry = new AbortController();
  let first: Stop | undefined;
  return {
    stopping: stopping.signal,
    hurry: hurry.signal,
    reason: () => first,
    ask(stop) {
      if (first !== undefined) return;
      first = stop;
      setTimeout(() => hurry.abort(), budgetMs * shareForOthers).unref();
      stopping.abort();
    },
    rush: () => hurry.abort(),
  };
}

/** The rest of the budget is for what needs nobody else: a bundle, the result's file, one call. */
const shareForOthers = 0.6;

/** The first signal asks for a stop, a second one gives up what takes time. */
export function stopAtSignals(turn: StopSwitch): void {
  let signals = 0;
  const onSignal = (name: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) turn.rush();
    else turn.ask({ cause: 'signal', reason: `the turn program got ${name}`, keepWork: undefined });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

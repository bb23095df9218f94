import { setTimeout as sleep } from 'node:timers/promises';
import type { HeartbeatAnswer } from '../core/turn-protocol.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { Answered } from './turn-api-client.ts';

/** What was said last about this turn's lease. `silent`: nobody answered. `stopped` is final. */
export type Standing = 'go' | 'wait' | 'silent' | 'stopped';

export interface LeaseWatch {
  /** Whether the last answer says that the lease is this turn's: *go*, or a *stop* that leaves time to keep work. */
  mayKeepWork(): boolean;
  /** Asks once, now, and tells what is known after it. */
  look(): Promise<Standing>;
  /** Asks until the answer is *go*; false when the turn is to stop instead. Nothing is written outside without it. */
  confirm(): Promise<boolean>;
  end(): void;
}

export interface LeaseWatchOptions {
  readonly beat: () => Promise<Answered<HeartbeatAnswer>>;
  readonly heartbeatMs: number;
  /** From the last *go* to stopping by itself. */
  readonly patienceMs: number;
  readonly stop: StopSwitch;
}

/**
 * Tells the turn API that this turn lives, until ended. *Wait* and silence let the agent work on; a *stop*, or too long
 * without a *go*, stops the turn. It begins with the *go* that `start` was answered.
 */
export function watchLease({ beat, heartbeatMs, patienceMs, stop }: LeaseWatchOptions): LeaseWatch {
  let standing: Standing = 'go';
  let stoppedWithTime = false;
  let lastGo = performance.now();
  const ended = new AbortController();

  async function look(): Promise<Standing> {
    const answered = await beat();
    if (standing === 'stopped') return standing;
    const answer = answered.kind === 'answered' ? answered.answer : undefined;
    if (answer?.answer === 'stop') {
      standing = 'stopped';
      stoppedWithTime = answer.keepWork;
      stop.ask({ cause: 'asked', reason: answer.reason, keepWork: answer.keepWork });
      return standing;
    }
    standing = answer?.answer ?? 'silent';
    if (standing === 'go') lastGo = performance.now();
    else if (performance.now() - lastGo >= patienceMs) {
      stop.ask({ cause: 'no-answer', reason: `no leave to go on for ${patienceMs} ms`, keepWork: false });
    }
    return standing;
  }

  async function watch(): Promise<void> {
    while (await pause(heartbeatMs, ended.signal)) {
      if ((await look()) === 'stopped') return;
    }
  }

  async function confirm(): Promise<boolean> {
    while (stop.reason() === undefined) {
      if ((await look()) === 'go') return stop.reason() === undefined;
      await pause(Math.min(heartbeatMs, longestPauseMs), stop.stopping);
    }
    return false;
  }

  void watch();
  return {
    mayKeepWork: () => standing === 'go' || stoppedWithTime,
    look,
    confirm,
    end: () => ended.abort(),
  };
}

const longestPauseMs = 2_000;

async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

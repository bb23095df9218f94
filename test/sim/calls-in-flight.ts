import type { Fault } from './fate.ts';
import type { Proc } from './kernel.ts';

export interface Call<Answer> {
  /** Names the occasion: `<part>.<operation>/<issue>`. */
  readonly name: string;
  readonly fault: Fault | undefined;
  /** One way, in milliseconds. */
  readonly latencyMs: number;
  /** When a lost answer is given up. */
  readonly timeoutMs: number;
  /** What the call does at the other side. An error thrown here is its answer. */
  readonly effect: () => Answer;
  /** What a repetition by the client's own library does and answers, for `retried`; the effect once more unless told. */
  readonly again?: () => Answer;
}

/** An error that stands for the world's trouble: everything else that is thrown is a fault of the code. */
export class SimulatedTrouble extends Error {}

export interface Reply<Answer> {
  readonly give: (value: Answer) => void;
  readonly refuse: (error: unknown) => void;
}

/** What a call needs of the kernel. */
export interface Line {
  readonly after: (ms: number, run: () => void) => void;
  readonly kill: (proc: Proc, why: string) => void;
  /** Calls of a dead process that have not had their effect never have it. */
  readonly diesWithSender: boolean;
}

/**
 * Carries one call to its effect and its answer, which are two events of their own, in the way that its fault says:
 *
 * - `kill-before`, `kill-sent`, `kill-after`: the caller dies before the call, right after sending it, or with the answer
 *   on its way;
 * - `fail`: no effect, and an error; `lost`: the effect, and an error; `late`: an error, and the effect after it;
 * - `doubled`: all is well, and the effect happens once more later; `retried`: the first answer is lost, the client's own
 *   library repeats the call, and its second answer is the one that counts; `slow`: it is sent late.
 */
export function carryCall<Answer>(line: Line, proc: Proc, call: Call<Answer>, reply: Reply<Answer>): void {
  const { fault, latencyMs, timeoutMs, effect } = call;
  const { after, kill, diesWithSender } = line;
  const trouble = () => reply.refuse(new SimulatedTrouble(`sim: ${call.name} ${fault?.kind}`));
  const land = (ms: number, then: (run: () => Answer) => void, run = effect) =>
    after(ms, () => {
      if (!diesWithSender || proc.alive) then(run);
    });
  const deliver = (run: () => Answer) => {
    const give = answerOf(run, reply);
    after(latencyMs, give);
  };
  const lateMs = fault?.ms ?? timeoutMs;
  const ways: Readonly<Record<string, () => void>> = {
    'kill-before': () => kill(proc, 'kill-before'),
    'kill-sent': () => {
      land(latencyMs, ignore);
      // What was sent just before the process died is on its way, where ways exist.
      if (diesWithSender) after(latencyMs, () => kill(proc, 'kill-sent'));
      else kill(proc, 'kill-sent');
    },
    'kill-after': () => {
      land(latencyMs, ignore);
      after(2 * latencyMs, () => kill(proc, 'kill-after'));
    },
    fail: () => after(latencyMs, trouble),
    lost: () => {
      land(latencyMs, ignore);
      after(timeoutMs, trouble);
    },
    late: () => {
      land(lateMs, ignore);
      after(timeoutMs, trouble);
    },
    doubled: () => {
      land(latencyMs, deliver);
      land(lateMs, ignore);
    },
    retried: () => {
      land(latencyMs, ignore);
      land(latencyMs + timeoutMs / 2, deliver, call.again ?? effect);
    },
    slow: () => after(lateMs, () => land(latencyMs, deliver)),
  };
  const way = fault === undefined ? undefined : ways[fault.kind];
  if (way === undefined) land(latencyMs, deliver);
  else way();
}

/** Has the effect now; the answer, an error too, is given when it has come back. */
function answerOf<Answer>(run: () => Answer, reply: Reply<Answer>): () => void {
  try {
    const value = run();
    return () => reply.give(value);
  } catch (error) {
    return () => reply.refuse(error);
  }
}

function ignore(run: () => unknown): void {
  try {
    run();
  } catch {
    // Nobody waits for this answer.
  }
}

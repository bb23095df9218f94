import type { Tracker } from '../../lib/controller/ports.ts';
import type { IssueId } from '../../lib/core/issue.ts';

export type TrackerCall = Exclude<keyof Tracker, 'lateWriteMs' | 'separateFields' | 'quota'>;
export type Hook = (id: IssueId | undefined) => void | Promise<void>;

/** What goes wrong with calls to a tracker, and who acts in between. Each lasts for `times` calls, one unless told. */
export interface Faults {
  /** The call fails before it has any effect. */
  fail(call: TrackerCall, times?: number): void;
  /** The call has its effect, and its answer is lost. */
  loseAnswer(call: TrackerCall, times?: number): void;
  /** The answer is lost, and the effect comes only with `landLateWrites`. */
  delay(call: TrackerCall, times?: number): void;
  /** Lets the delayed writes land now; each compares, if the tracker can, at this moment. */
  landLateWrites(): void;
  /** Acts before the call's effect: between the caller's read and its write, when the call is a write. */
  before(call: TrackerCall, hook: Hook, times?: number): void;
  /** Acts after the effect, before the caller has the answer: a read is out of date when it arrives. */
  after(call: TrackerCall, hook: Hook, times?: number): void;
  /** Every call that reached the tracker, oldest first. */
  calls(): readonly { readonly call: TrackerCall; readonly id: IssueId | undefined }[];
  /** Whether every call fails before it has any effect, for as long as that is not taken back. */
  refuseAll(on: boolean): void;
  /** Nothing goes wrong any more; delayed writes stay under way. */
  clear(): void;
  /** Runs a call through the faults set for it. For the tracker itself. */
  run<Answer>(call: TrackerCall, id: IssueId | undefined, effect: () => Answer): Promise<Answer>;
}

type Fault = { readonly call: TrackerCall; left: number } & (
  | { readonly kind: 'fail' | 'lose' | 'delay' }
  | { readonly kind: 'before' | 'after'; readonly hook: Hook }
);

export function memoryFaults(): Faults {
  let faults: Fault[] = [];
  let late: (() => unknown)[] = [];
  let isRefusing = false;
  const calls: { readonly call: TrackerCall; readonly id: IssueId | undefined }[] = [];

  const take = (kind: Fault['kind'], call: TrackerCall): Fault | undefined => {
    const fault = faults.find((one) => one.kind === kind && one.call === call && one.left > 0);
    if (fault !== undefined) fault.left -= 1;
    return fault;
  };
  const act = async (kind: 'before' | 'after', call: TrackerCall, id: IssueId | undefined) => {
    const fault = take(kind, call);
    if (fault !== undefined && 'hook' in fault) await fault.hook(id);
  };
  const set =
    (kind: 'fail' | 'lose' | 'delay') =>
    (call: TrackerCall, times = 1) =>
      void faults.push({ kind, call, left: times });

  return {
    fail: set('fail'),
    loseAnswer: set('lose'),
    delay: set('delay'),
    before: (call, hook, times = 1) => void faults.push({ kind: 'before', call, hook, left: times }),
    after: (call, hook, times = 1) => void faults.push({ kind: 'after', call, hook, left: times }),
    calls: () => calls,
    refuseAll(on) {
      isRefusing = on;
    },
    clear() {
      faults = [];
    },
    landLateWrites() {
      const landing = late;
      late = [];
      for (const effect of landing) effect();
    },
    async run(call, id, effect) {
      calls.push({ call, id });
      if (isRefusing || take('fail', call) !== undefined)
        throw new Error(`The board did not answer (${call}).`);
      await act('before', call, id);
      if (take('delay', call) !== undefined) {
        late.push(effect);
        throw new Error(`The board's answer was lost (${call}).`);
      }
      const answer = effect();
      await act('after', call, id);
      if (take('lose', call) !== undefined) throw new Error(`The board's answer was lost (${call}).`);
      return answer;
    },
  };
}

import type { TickReport } from '../controller/reconcile.ts';
import type { Problem } from '../core/contract.ts';
import type { Fact } from '../core/trace.ts';

/**
 * What the host tells whoever shows it to people, in the order in which it happens. Every fact of the trace comes as
 * `fact`; what a tick decided, refusals included, comes as `tick` once it has ended.
 */
export type HostEvent =
  | {
      readonly kind: 'listening';
      /** The address of webhooks and of the turn API. */
      readonly url: string;
      readonly dataDir: string;
      readonly boards: readonly ServedBoard[];
      readonly maxConcurrentAgents: number;
      readonly intervalMs: number;
      /** What this machine cannot keep apart, one sentence each. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'tick'; readonly report: TickReport }
  /** At every tick until it is mended. The last good file goes on stopping and settling. */
  | {
      readonly kind: 'workflow-broken';
      readonly board: string;
      readonly file: string;
      readonly problems: readonly Problem[];
    }
  /** A changed workflow file was taken up. */
  | {
      readonly kind: 'workflow-changed';
      readonly board: string;
      readonly file: string;
      readonly policyHash: string;
    }
  /** Something failed and the host goes on: a tick that could not do everything, a call that threw. One sentence. */
  | { readonly kind: 'problem'; readonly message: string }
  /** The end has begun: nothing starts any more, live turns are told to stop and are waited for. */
  | { readonly kind: 'stopping'; readonly liveTurns: number; readonly graceMs: number }
  | { readonly kind: 'ended'; readonly end: HostEnd };

export type HostListener = (event: HostEvent) => void;

export interface ServedBoard {
  readonly board: string;
  readonly file: string;
  /** The folder or the scope at the tracker. */
  readonly project: string;
  readonly repository: string;
}

export interface HostEnd {
  /** `idle`: nothing was left to do (`untilIdle`); `stopped`: a person asked; `failed`: the data folder is unusable. */
  readonly reason: 'idle' | 'stopped' | 'failed';
  readonly exitCode: 0 | 1;
  /** One sentence for people: what failed, what is parked, how many turns live on. */
  readonly detail: string;
}

import type { TickReport } from '../controller/reconcile.ts';
import type { Problem } from '../core/contract.ts';
import type { Instant } from '../core/issue.ts';
import type { Fact } from '../core/trace.ts';

/** One machine's deployment, as whoever started it sees it. */
export interface Host {
  readonly boards: readonly HostedBoard[];
  /** Where the turn API, webhooks and the command line find it. */
  readonly url: string;
  /** The boards are looked at at least this often. */
  readonly intervalMs: number;
  /** How it came to its end; never rejects. */
  readonly ended: Promise<HostEnd>;
  /**
   * Starts nothing any more, asks every turn to end, waits for work in progress, settles and closes. Answers when all of
   * it is done; asking again is harmless.
   */
  stop(): Promise<void>;
}

/** What a person must know to use a board: where it is, where the work goes, and what to edit. */
export interface HostedBoard {
  readonly board: string;
  readonly kind: string;
  /** The folder or the address where the cards are. */
  readonly place: string;
  readonly repository: string;
  /** Path of the workflow file. */
  readonly workflow: string;
  readonly activeStates: readonly string[];
  readonly handoffState: string | undefined;
}

export interface HostOptions {
  /** Holds everything that is kept; made when it is missing. */
  readonly dataDir: string;
  /** Paths of workflow files; at least one. */
  readonly workflows: readonly string[];
  /** Undefined: 5 s, or a minute where a board is not on this machine. */
  readonly intervalMs: number | undefined;
  /** Turns at once over all boards; undefined for the default. */
  readonly maxConcurrentAgents: number | undefined;
  /** Of the HTTP server on loopback; undefined for any free one. */
  readonly port: number | undefined;
  /** End by itself once two complete ticks saw nothing to do and nothing that time will bring. */
  readonly untilIdle: boolean;
  readonly onEvent: (event: HostEvent) => void;
  /** Names of environment variables that pass to agents, such as the key of a model. */
  readonly passEnvironment?: readonly string[] | undefined;
  /** The bundled turn program; undefined for the one beside the running bundle. */
  readonly turnProgram?: string | undefined;
}

/** What a running host tells whoever watches it, in the order in which it happens. */
export type HostEvent =
  /** A line of the trace. */
  | { readonly kind: 'fact'; readonly fact: Fact }
  /** A tick that ended, complete or not, and when the next scheduled one is due. */
  | { readonly kind: 'tick'; readonly report: TickReport; readonly nextTickAt: Instant }
  /** A tick that threw: nothing is known of what it decided. */
  | { readonly kind: 'tick-failed'; readonly problem: string; readonly nextTickAt: Instant }
  /** At every tick until it is mended; the last good file goes on stopping and settling, and nothing starts. */
  | {
      readonly kind: 'workflow-broken';
      readonly board: string;
      readonly workflow: string;
      readonly problems: readonly Problem[];
    }
  /** At every tick while another host serves the board, or its cards cannot be moved; nothing starts here. */
  | {
      readonly kind: 'board-withheld';
      readonly board: string;
      readonly message: string;
      readonly toResume: string;
    }
  /** A changed workflow file was taken up. */
  | {
      readonly kind: 'workflow-changed';
      readonly board: string;
      readonly workflow: string;
      readonly policyHash: string;
    }
  /** What this machine cannot keep apart, and other things to know; one sentence. */
  | { readonly kind: 'warning'; readonly message: string }
  /** The end has begun: live turns are asked to end and are waited for, this long at most. */
  | { readonly kind: 'stopping'; readonly liveTurns: number; readonly graceMs: number };

export type HostEnd =
  /** `liveTurns` had not ended in time; they go on and are adopted at the next start. */
  | { readonly kind: 'stopped'; readonly liveTurns: number }
  /** `trouble` names parked issues and invalid contracts; empty when there are none. */
  | { readonly kind: 'idle'; readonly trouble: readonly string[] }
  /** It could not go on: the data folder is full or was replaced. One sentence with the remedy. */
  | { readonly kind: 'failed'; readonly problem: string };

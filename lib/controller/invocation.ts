import type { Instant } from '../core/issue.ts';
import type { Actor, Lease } from '../core/lease.ts';
import type { Fact } from '../core/trace.ts';
import type { Board, Ports } from './ports.ts';

/** One run of a handler: who acts, under which generation, and until when. */
export interface Invocation {
  readonly ports: Ports;
  /** Names the run in intents and in the trace. */
  readonly id: string;
  readonly actor: Actor;
  /** The generation read once at the start; every lease key of this run carries it. */
  readonly gen: string;
  readonly epoch: number | undefined;
  /** How many moves on the board this run may still make; a runaway rule stops here. */
  readonly writes: { left: number };
}

/** An invocation at work on one board. */
export interface BoardInvocation extends Invocation {
  readonly board: Board;
}

export function beginInvocation(
  ports: Ports,
  actor: Actor,
  gen: string,
  epoch: number | undefined,
): Invocation {
  return {
    ports,
    id: ports.ids.random(),
    actor,
    gen,
    epoch,
    writes: { left: ports.settings.transitionsPerTick },
  };
}

/** Tells one fact about an issue, named the same way everywhere. */
export function tell(
  invocation: Invocation,
  fact: Fact['fact'],
  lease: Pick<Lease, 'board' | 'issueId' | 'key'> & Partial<Pick<Lease, 'turnId' | 'attempt'>>,
  more: Partial<Fact> = {},
): void {
  invocation.ports.reporter.report({
    time: invocation.ports.clock.now() as Instant,
    fact,
    invocation: invocation.id,
    actor: invocation.actor,
    gen: invocation.gen,
    epoch: invocation.epoch,
    board: lease.board,
    issue: lease.issueId,
    key: lease.key,
    turnId: lease.turnId,
    attempt: lease.attempt,
    ...more,
  });
}

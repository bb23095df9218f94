import type { Instant } from './issue.ts';
import type { Fact, FactKind } from './trace.ts';

/** What a trace has shown so far, as far as the rules need it. It grows with issues and turns, hardly with facts. */
export interface TraceView {
  readonly turns: Map<string, TurnView>;
  readonly issues: Map<string, IssueView>;
  /** The latest ticks by epoch. */
  readonly ticks: Map<string, TickView>;
  readonly epochs: Set<number>;
  /** Ticks, by board and epoch, whose contract did not hold. */
  readonly invalidContracts: Set<string>;
  /** Generations of the lease table: a new one knows nothing of the attempts, retries and parks before it. */
  readonly generations: Set<string>;
  /**
   * Whether the trace shows the first tick of its deployment. Otherwise it begins in the middle of things, and a turn
   * that was claimed earlier cannot be told from one that never was.
   */
  fromTheBeginning: boolean | undefined;
}

export interface TurnView {
  /** The name of its issue, as `issueNameOf` makes it. */
  readonly issue: string | undefined;
  /** Met first by another fact than its claim, in a trace that begins in the middle. */
  readonly knownBefore: boolean;
  attempt: number | undefined;
  claimed: boolean;
  confirmed: boolean;
  adopted: boolean;
  started: boolean;
  /** The container that passed the gate. */
  arn: string | undefined;
  stopAsked: boolean;
  /** Its container was seen stopped, or is provably gone. */
  stopped: boolean;
  stoppedArn: string | undefined;
  settled: boolean;
  released: boolean;
}

export interface IssueView {
  /** Turns that have started, in this generation of the table, and are not known to have ended. */
  readonly live: Set<string>;
  highestAttempt: number;
  /** Announced tracker writes that nobody has seen through yet, by invocation. */
  readonly writes: Map<string, OpenWrite>;
  /** The role that each invocation read last, for those that have not written since. */
  readonly reads: Map<string, string | undefined>;
  /** The role that anybody read last. */
  lastRole: string | undefined;
  lastRoleAt: Instant;
  parked: boolean;
  retryAt: Instant | undefined;
}

export interface OpenWrite {
  readonly turnId: string | undefined;
  readonly to: string | undefined;
  readonly since: Instant;
}

export interface TickView {
  /** Slots in use when the tick counted them, and how many there are; undefined where the trace does not tell. */
  live: number | undefined;
  cap: number | undefined;
  /** Claims confirmed and leases released since then. */
  claims: number;
  releases: number;
}

/** Something that must hold of every trace, of faulty runs too. */
export interface TraceRule {
  readonly rule: string;
  /** The facts by which it can be broken. */
  readonly judges: readonly FactKind[];
  /** What is wrong with the fact after all that was seen before it; undefined when nothing is. */
  readonly broken: (fact: Fact, view: TraceView) => string | undefined;
}

/** The name of the issue that a fact is about; undefined when it is about none. */
export function issueNameOf({ board, issue, key }: Fact): string | undefined {
  const name = issue ?? key;
  return name === undefined ? undefined : `${board ?? ''}/${name}`;
}

export function turnOf(view: TraceView, { turnId }: Fact): TurnView | undefined {
  return turnId === undefined ? undefined : view.turns.get(turnId);
}

export function issueOf(view: TraceView, fact: Fact): IssueView | undefined {
  const name = issueNameOf(fact) ?? turnOf(view, fact)?.issue;
  return name === undefined ? undefined : view.issues.get(name);
}

export function tickOf(view: TraceView, fact: Fact): TickView | undefined {
  return view.ticks.get(tickNameOf(fact));
}

/** A tick by its epoch, or by its invocation where the trace tells no epochs. */
export function tickNameOf(fact: Fact): string {
  return fact.epoch === undefined ? `of ${invocationOf(fact)}` : `${fact.epoch}`;
}

export function contractNameOf(fact: Fact): string {
  return `${fact.board ?? ''} ${tickNameOf(fact)}`;
}

export function textOf(value: Fact[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The run of a handler that a fact belongs to; all facts without one count as one run. */
export function invocationOf({ invocation }: Fact): string {
  return textOf(invocation) ?? '';
}

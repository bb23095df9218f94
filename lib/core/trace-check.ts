import type { Instant } from './issue.ts';
import type { Fact, FactKind } from './trace.ts';
import { emptyView, foldFact, foldGeneration } from './trace-fold.ts';
import { claimRules, turnRules } from './trace-turn-rules.ts';
import { issueNameOf } from './trace-view.ts';
import { writeRules } from './trace-write-rules.ts';

/** A promise that a fact breaks, given all facts before it. */
export interface TraceViolation {
  readonly rule: string;
  readonly time: Instant;
  readonly issue: string | undefined;
  readonly turnId: string | undefined;
  readonly message: string;
}

export interface TraceReport {
  /** In the order of the trace. */
  readonly violations: readonly TraceViolation[];
  /** How often each kind of fact was seen. */
  readonly counts: Readonly<Partial<Record<FactKind, number>>>;
  /** Turns that still work where the trace ends, and writes that nobody has seen through. Neither breaks a promise. */
  readonly live: readonly { readonly issue: string; readonly turnId: string }[];
  readonly openWrites: readonly {
    readonly issue: string;
    readonly turnId: string | undefined;
    readonly to: string | undefined;
    readonly since: Instant;
  }[];
}

export interface TraceChecker {
  /** Takes the next fact in and returns what it breaks. */
  observe(fact: Fact): readonly TraceViolation[];
  report(): TraceReport;
}

export const traceRules = [...turnRules, ...claimRules, ...writeRules];

/**
 * Checks a trace against the promises that it can show. Hosts that were killed and started again continue the same
 * trace; one that begins in the middle is checked as far as it goes.
 */
export function checkTrace(facts: Iterable<Fact>): TraceReport {
  const checker = traceChecker();
  for (const fact of facts) checker.observe(fact);
  return checker.report();
}

/** The same, fact by fact, for whoever wants to know at once. */
export function traceChecker(): TraceChecker {
  const view = emptyView();
  const violations: TraceViolation[] = [];
  const counts: Partial<Record<FactKind, number>> = {};

  return {
    observe(fact) {
      const { time, turnId } = fact;
      foldGeneration(view, fact);
      const found = traceRules.flatMap(({ rule, judges, broken }) => {
        const message = judges.includes(fact.fact) ? broken(fact, view) : undefined;
        return message === undefined ? [] : [{ rule, time, issue: issueNameOf(fact), turnId, message }];
      });
      foldFact(view, fact);
      counts[fact.fact] = (counts[fact.fact] ?? 0) + 1;
      violations.push(...found);
      return found;
    },
    report() {
      const issues = [...view.issues];
      return {
        violations: [...violations],
        counts: { ...counts },
        live: issues.flatMap(([issue, { live }]) => [...live].map((turnId) => ({ issue, turnId }))),
        openWrites: issues.flatMap(([issue, { writes }]) =>
          [...writes.values()].map((write) => ({ issue, ...write })),
        ),
      };
    },
  };
}

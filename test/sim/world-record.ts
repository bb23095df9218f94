import type { Fact } from '../../lib/core/trace.ts';
import { traceChecker } from '../../lib/core/trace-check.ts';
import type { Violation } from './checks/truth.ts';
import type { Kernel, Proc } from './kernel.ts';
import type { SimPortsOptions } from './models/sim-ports.ts';
import { beginning } from './sim-case.ts';
import type { Trace } from './trace.ts';

/** What is kept of a run: how often what was seen, the first broken promise, and how much was written. */
export interface WorldRecord {
  readonly sightings: Map<string, number>;
  readonly saw: (what: string) => void;
  readonly fail: (rule: string, message: string) => void;
  violation(): Violation | undefined;
  /** Takes a fact of the product in; the product's own checker judges it at once. */
  readonly report: (fact: Fact, proc: Proc) => void;
  /** How often anything but the tick's own record was written so far, on the board and in the ledger. */
  writes(): number;
  countWrites(rules: SimPortsOptions['rules']): SimPortsOptions['rules'];
  follow(kernel: Kernel): void;
}

export function makeRecord(trace: Trace | undefined): WorldRecord {
  const sightings = new Map<string, number>();
  const checker = traceChecker();
  let kernel: Kernel | undefined;
  let violation: Violation | undefined;
  let writes = 0;
  const saw = (what: string) => void sightings.set(what, (sightings.get(what) ?? 0) + 1);
  const fail = (rule: string, message: string) => {
    const at = (kernel?.now() ?? beginning) - beginning;
    violation ??= { rule, at, message };
    trace?.write({ at, env: 'violation', rule, message });
    kernel?.stop();
  };
  return {
    sightings,
    saw,
    fail,
    violation: () => violation,
    report(fact, proc) {
      const misread = describeMisread(fact, proc);
      if (misread !== undefined) fail('D5', misread);
      saw(`fact ${fact.fact}`);
      trace?.write(fact);
      for (const { rule, message } of checker.observe(fact)) fail(`trace ${rule}`, message);
    },
    writes: () => writes,
    countWrites: (rules) => ({
      ...rules,
      ledger: {
        ...rules.ledger,
        leaseChanged(change) {
          writes += 1;
          rules.ledger.leaseChanged(change);
        },
        leaseForgotten(forgotten) {
          writes += 1;
          rules.ledger.leaseForgotten(forgotten);
        },
      },
      tracker: {
        ...rules.tracker,
        writeLanded(...landed) {
          writes += 1;
          rules.tracker.writeLanded(...landed);
        },
      },
    }),
    follow: (made) => {
      kernel = made;
    },
  };
}

/** A read that failed is no board that is empty, and no contract that holds. */
function describeMisread({ fact, complete, valid, board }: Fact, { notes }: Proc): string | undefined {
  if (fact === 'board-read' && complete === true && notes.get(`listed ${board}`) === false)
    return `${board} counts as read, and its list failed`;
  if (fact === 'contract-checked' && valid === true && notes.get(`states ${board}`) !== true)
    return `the contract of ${board} counts as holding, and the board does not show that`;
  return undefined;
}

import type { ContractRecord } from './contract.ts';
import type { BoardId, Instant } from './issue.ts';
import type { TickCost } from './tracker-quota.ts';

/** The tick's own record: admission, coalescing of hints, and the generation under which leases live. */
export interface TickRecord {
  readonly v: number;
  readonly gen: string;
  /** Absent while closed: no dispatch, only looks. */
  readonly epoch?: number | undefined;
  readonly since?: Instant | undefined;
  readonly done?: number | undefined;
  /** Hints asked for, and how many of them a finished tick has seen. */
  readonly dirty?: number | undefined;
  readonly seen?: number | undefined;
  readonly stamp?: Instant | undefined;
  readonly startedAt?: Instant | undefined;
  readonly finishedAt?: Instant | undefined;
  /** Where the rotating repair starts next. */
  readonly cursor?: number | undefined;
  /** When the live tasks were last listed for orphans. */
  readonly sweptAt?: Instant | undefined;
  readonly summary?: TickSummary | undefined;
}

export interface TickSummary {
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly rounds: number;
  readonly complete: boolean;
  readonly decisions: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly inHandoff: number;
  /** How many of those are parked. */
  readonly parkedInHandoff: number;
  /** The reasons of all issues that wait, one each; and one `quota` for each board that is not read because of it. */
  readonly waits: readonly string[];
  readonly liveLeases: number;
  readonly openWrites: number;
  /** Leases that are not let go long after they should have been. */
  readonly stuckLeases: number;
  /** Absent where no board's tracker has a price. */
  readonly cost?: TickCost | undefined;
}

/** A board's own item: what is kept of it between ticks. */
export interface BoardRecord {
  readonly board: BoardId;
  readonly v: number;
  readonly paused?: { readonly since: Instant } | undefined;
  /** Launches wait until `until`; `tries` grows the wait. Keyed by `launch` or `agent:<kind>`. */
  readonly breakers?:
    | Readonly<
        Record<
          string,
          {
            readonly until: Instant;
            readonly tries: number;
            readonly reason: string;
            readonly turnId: string;
          }
        >
      >
    | undefined;
  readonly contract?: ContractRecord | undefined;
  /** Until when its tracker's quota is used up; over as soon as it has passed. */
  readonly quotaResetAt?: Instant | undefined;
  readonly spendDay?: { readonly day: string; readonly usd: number } | undefined;
  /** Fields of newer versions are kept. */
  readonly [other: string]: unknown;
}

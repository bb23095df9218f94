import { SimulatedTrouble } from '../calls-in-flight.ts';
import type { TrackerCall } from './tracker-risks.ts';

/** What one vendor refuses for a while, to every process and for every board alike. */
export interface TrackerLimit {
  /**
   * Throws a `LimitedTrouble` while the request is refused. `limited` refuses everything from now on, `reserved` all but
   * what a single issue needs.
   */
  admit(call: TrackerCall, fault: string | undefined, ms: number): void;
  /** Nothing is refused any more. */
  end(): void;
}

/** A refusal, with the time that the vendor names for its end: which is not always the time at which it ends. */
export class LimitedTrouble extends SimulatedTrouble {
  readonly kind: LimitKind;
  readonly until: number;

  constructor(kind: LimitKind, until: number) {
    super(`sim: the tracker is ${kind} until ${until}`);
    this.kind = kind;
    this.until = until;
  }
}

type LimitKind = 'limited' | 'reserved';

const surveys: readonly TrackerCall[] = ['states', 'list', 'count', 'read-many'];
const dayMs = 24 * 3_600_000;

export function refuses(kind: LimitKind, call: TrackerCall): boolean {
  return kind === 'limited' || surveys.includes(call);
}

export function trackerLimit(now: () => number): TrackerLimit {
  let limit: { readonly kind: LimitKind; readonly until: number; readonly told: number } | undefined;
  return {
    admit(call, fault, ms) {
      if (fault === 'limited' || fault === 'reserved')
        limit = { kind: fault, until: now() + ms, told: now() + toldMs(ms) };
      if (limit !== undefined && limit.until > now() && refuses(limit.kind, call))
        throw new LimitedTrouble(limit.kind, limit.told);
    },
    end: () => {
      limit = undefined;
    },
  };
}

/** Mostly true; now and then too early, too late, or nonsense. */
function toldMs(ms: number): number {
  const ways = [ms / 3, ms * 3, dayMs];
  return Math.round(ways[ms % 8] ?? ms);
}

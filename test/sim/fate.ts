import { chance } from './chance.ts';

/** Something that goes wrong, or otherwise than usual, at one occasion. `ms` is how late, how long or how slow. */
export interface Fault {
  readonly kind: string;
  readonly ms?: number | undefined;
}

/** What may go wrong at one kind of occasion. */
export interface Risk {
  readonly kind: string;
  /** The class whose rate applies: whole classes are switched on and off from world to world. */
  readonly of: FaultClass;
  readonly minMs?: number;
  readonly maxMs?: number;
}

export type FaultClass = string;
export type Rates = Readonly<Record<FaultClass, number>>;
/** Faults by occasion: `<stream>#<ordinal>`. */
export type Faults = Readonly<Record<string, Fault>>;

/**
 * Decides what goes wrong. Every occasion has a name of its own, so that a list of faults can be replayed, and shortened,
 * whatever else happens.
 */
export interface Fate {
  decide(stream: string, risks: readonly Risk[]): Fault | undefined;
  /** From 0 up to 1, for what is no fault: latencies, durations. */
  draw(stream: string): number;
  /** From now on nothing is drawn any more; a list goes on being followed. */
  calm(): void;
  /** Everything that went wrong so far. */
  readonly fired: Map<string, Fault>;
  /** Every occasion so far at which something might have gone wrong, oldest first, where that is wanted. */
  readonly occasions: readonly Occasion[];
}

export interface Occasion {
  readonly key: string;
  readonly risks: readonly Risk[];
}

export interface FateOptions {
  readonly seed: number;
  /** Drawn from these rates, or, without them, only as listed. */
  readonly rates: Rates | undefined;
  readonly listed: Faults;
  readonly keepOccasions?: boolean;
}

export function makeFate({ seed, rates, listed, keepOccasions = false }: FateOptions): Fate {
  const counts = new Map<string, number>();
  const fired = new Map<string, Fault>();
  const occasions: Occasion[] = [];
  let drawn = rates;

  function count(stream: string): number {
    const ordinal = (counts.get(stream) ?? 0) + 1;
    counts.set(stream, ordinal);
    return ordinal;
  }

  function find(stream: string, ordinal: number, risks: readonly Risk[]): Fault | undefined {
    const given = listed[`${stream}#${ordinal}`];
    if (given !== undefined || drawn === undefined) return given;
    let left = chance(seed, stream, ordinal);
    for (const risk of risks) {
      left -= drawn[risk.of] ?? 0;
      if (left >= 0) continue;
      const { minMs = 0, maxMs } = risk;
      if (maxMs === undefined) return { kind: risk.kind };
      return { kind: risk.kind, ms: Math.round(minMs + (maxMs - minMs) * chance(seed, stream, ordinal, 1)) };
    }
    return undefined;
  }

  return {
    fired,
    occasions,
    decide(stream, risks) {
      const ordinal = count(stream);
      if (keepOccasions) occasions.push({ key: `${stream}#${ordinal}`, risks });
      const fault = find(stream, ordinal, risks);
      if (fault !== undefined) fired.set(`${stream}#${ordinal}`, fault);
      return fault;
    },
    draw: (stream) => chance(seed, stream, count(`~${stream}`), 2),
    calm() {
      if (drawn !== undefined) drawn = {};
    },
  };
}

import { chance, hashOf } from './chance.ts';

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
  /** When it came, in the kernel's time. */
  readonly at: number;
  readonly risks: readonly Risk[];
}

export interface FateOptions {
  readonly seed: number;
  /** Drawn from these rates, or, without them, only as listed. */
  readonly rates: Rates | undefined;
  readonly listed: Faults;
  readonly keepOccasions?: boolean;
  readonly now: () => number;
  /** Told the class of each fault that is drawn. */
  readonly saw?: (what: string) => void;
}

export function makeFate({ seed, rates, listed, keepOccasions = false, now, saw }: FateOptions): Fate {
  const streams = new Map<string, Stream>();
  const fired = new Map<string, Fault>();
  const occasions: Occasion[] = [];
  const hasList = Object.keys(listed).length > 0;
  let drawn = rates;

  function streamOf(name: string): Stream {
    let stream = streams.get(name);
    if (stream === undefined) {
      stream = { hash: hashOf(name), decided: 0, drawn: 0 };
      streams.set(name, stream);
    }
    return stream;
  }

  return {
    fired,
    occasions,
    decide(name, risks) {
      const stream = streamOf(name);
      stream.decided += 1;
      if (keepOccasions) occasions.push({ key: `${name}#${stream.decided}`, at: now(), risks });
      const given = hasList ? listed[`${name}#${stream.decided}`] : undefined;
      const fault = given ?? (drawn === undefined ? undefined : drawFault(seed, stream, risks, drawn, saw));
      if (fault !== undefined) fired.set(`${name}#${stream.decided}`, fault);
      return fault;
    },
    draw(name) {
      const stream = streamOf(name);
      stream.drawn += 1;
      return chance(seed, stream.hash, stream.drawn, 2);
    },
    calm() {
      if (drawn !== undefined) drawn = {};
    },
  };
}

/** How often something was decided, and drawn, in one stream of occasions. */
interface Stream {
  readonly hash: number;
  decided: number;
  drawn: number;
}

function drawFault(
  seed: number,
  { hash, decided }: Stream,
  risks: readonly Risk[],
  rates: Rates,
  saw: FateOptions['saw'],
): Fault | undefined {
  let left = chance(seed, hash, decided);
  for (const { kind, of, minMs = 0, maxMs } of risks) {
    left -= rates[of] ?? 0;
    if (left >= 0) continue;
    saw?.(`class ${of}`);
    if (maxMs === undefined) return { kind };
    return { kind, ms: Math.round(minMs + (maxMs - minMs) * chance(seed, hash, decided, 1)) };
  }
  return undefined;
}

import type { Violation } from './checks/truth.ts';
import type { FlavourName } from './flavours.ts';
import type { Worked } from './seed-worker.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface SeedRuns {
  runs: number;
  virtualMs: number;
  events: number;
  turns: number;
  kills: number;
  readonly sightings: Map<string, number>;
  readonly failures: { readonly seed: number; readonly violation: Violation }[];
  readonly unlike: number[];
}

export interface SeedRunsOptions {
  readonly pool: WorkerPool;
  readonly from: number;
  readonly count: number;
  readonly flavour?: FlavourName | undefined;
  /** Nothing more is begun once this answers true. */
  readonly isEnough?: (soFar: SeedRuns) => boolean;
  readonly onProgress?: (soFar: SeedRuns) => void;
  readonly onFailure?: (seed: number, violation: Violation) => void;
}

const batchSize = 20;

/** Runs many seeds on all cores. */
export async function runSeeds(options: SeedRunsOptions): Promise<SeedRuns> {
  const { pool, from, count, flavour, isEnough = () => false, onProgress, onFailure } = options;
  const total: SeedRuns = {
    runs: 0,
    virtualMs: 0,
    events: 0,
    turns: 0,
    kills: 0,
    sightings: new Map(),
    failures: [],
    unlike: [],
  };
  let next = from;
  const lane = async () => {
    while (next < from + count && !isEnough(total)) {
      const seeds = Array.from({ length: Math.min(batchSize, from + count - next) }, (_, at) => next + at);
      next += seeds.length;
      const worked = await pool.run({ kind: 'seeds', seeds, flavour });
      addUp(total, seeds, worked);
      for (const { at, violation } of worked.failed) onFailure?.(seeds[at]!, violation);
      onProgress?.(total);
    }
  };
  await Promise.all(Array.from({ length: pool.size }, lane));
  total.failures.sort((a, b) => a.seed - b.seed);
  return total;
}

function addUp(total: SeedRuns, seeds: readonly number[], worked: Worked): void {
  for (const name of ['runs', 'virtualMs', 'events', 'turns', 'kills'] as const) total[name] += worked[name];
  for (const [what, count] of Object.entries(worked.sightings))
    total.sightings.set(what, (total.sightings.get(what) ?? 0) + count);
  for (const { at, violation } of worked.failed) total.failures.push({ seed: seeds[at]!, violation });
  total.unlike.push(...worked.unlike);
}

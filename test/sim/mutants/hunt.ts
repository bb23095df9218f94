import { withSimulator } from '../with-simulator.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { Mutant } from './mutant.ts';

export interface Hunt {
  readonly mutant: Mutant;
  /** By block of fresh seeds: how many it took until the first violation, or undefined when the block was not enough. */
  readonly kills: readonly (number | undefined)[];
  /** The invariants that fired first, most frequent first. */
  readonly rules: readonly string[];
  /** Over the blocks; undefined when at least half of them were not enough. */
  readonly median: number | undefined;
  readonly seedsPerBlock: number;
}

export interface HuntOptions {
  readonly from: number;
  readonly blocks: number;
  readonly seedsPerBlock: number;
  readonly threads?: number | undefined;
}

/** Runs seeds over a mutant until each block has found it. */
export async function huntMutant(mutant: Mutant, options: HuntOptions): Promise<Hunt> {
  const rules = new Map<string, number>();
  const blocks = Array.from({ length: options.blocks }, (_, at) => options.from + at * options.seedsPerBlock);
  const kills = await withSimulator({ mutant, threads: options.threads }, (pool) =>
    Promise.all(blocks.map((from) => huntBlock(pool, from, options.seedsPerBlock, rules))),
  );
  const ranked = [...rules].sort(([, a], [, b]) => b - a).map(([rule]) => rule);
  const { seedsPerBlock } = options;
  return { mutant, kills, rules: ranked, median: medianOf(kills), seedsPerBlock };
}

function medianOf(kills: readonly (number | undefined)[]): number | undefined {
  return kills.toSorted((a = Infinity, b = Infinity) => a - b)[Math.floor(kills.length / 2)];
}

const batch = 8;

async function huntBlock(
  pool: WorkerPool,
  from: number,
  count: number,
  rules: Map<string, number>,
): Promise<number | undefined> {
  for (let done = 0; done < count; done += batch) {
    const seeds = Array.from({ length: Math.min(batch, count - done) }, (_, at) => from + done + at);
    const { failed } = await pool.run({ kind: 'seeds', seeds });
    const [first] = failed;
    if (first === undefined) continue;
    rules.set(first.violation.rule, (rules.get(first.violation.rule) ?? 0) + 1);
    return done + first.at + 1;
  }
  return undefined;
}

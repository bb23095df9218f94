import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleSimulator } from '../bundle-simulator.ts';
import type { Mutant } from '../mutants/mutant.ts';
import type { Compared, Difference } from './compare-pair.ts';

export interface ComparedPairs {
  /** Of each pair that was not alike, where it first was not. */
  readonly differences: readonly Difference[];
  readonly pairs: number;
  readonly lines: number;
  readonly turns: number;
}

export interface PairsOptions {
  readonly from: number;
  readonly count: number;
  /** A leak that the product then has. */
  readonly leak?: Mutant;
  /** Nothing more is compared once so many pairs were not alike. */
  readonly enough?: number;
}

/** Compares the worlds of as many seeds in a row, each with itself under other texts. */
export async function comparePairs({ from, count, leak, enough = 5 }: PairsOptions): Promise<ComparedPairs> {
  const comparePair = await loadComparison(leak);
  const differences: Difference[] = [];
  let [pairs, lines, turns] = [0, 0, 0];
  for (let seed = from; seed < from + count && differences.length < enough; seed += 1) {
    const compared = await comparePair(seed);
    pairs += 1;
    lines += compared.lines;
    turns += compared.turns;
    if (compared.difference !== undefined) differences.push(compared.difference);
  }
  return { differences, pairs, lines, turns };
}

/** In one file, with the leak in it: several times as fast as through a loader. */
async function loadComparison(leak: Mutant | undefined): Promise<(seed: number) => Promise<Compared>> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-pairs-'));
  try {
    const file = join(folder, 'compare-pair.mjs');
    await bundleSimulator(file, leak, 'test/sim/interference/compare-pair.ts');
    const { comparePair } = (await import(pathToFileURL(file).href)) as {
      readonly comparePair: (seed: number) => Promise<Compared>;
    };
    return comparePair;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same seed in `EVENKEEL_SEED` gives the same pairs again. */
export function chooseFirstSeed(): number {
  const seed = Number(process.env.EVENKEEL_SEED ?? Math.floor(Math.random() * 2 ** 30));
  console.log(`EVENKEEL_SEED=${seed}`);
  return seed;
}

import type { Violation } from '../checks/truth.ts';
import { runCase } from '../run-case.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { SweepStory } from './sweep-stories.ts';
import { pairVariants, singleVariants, type Variant } from './sweep-variants.ts';

export interface SweepRuns {
  readonly planned: number;
  runs: number;
  virtualMs: number;
  turns: number;
  kills: number;
  readonly failures: { readonly variant: Variant; readonly violation: Violation }[];
}

export interface SweepOptions {
  readonly pool: WorkerPool;
  readonly variants: readonly Variant[];
  /** Nothing more is begun once this answers true. */
  readonly isEnough?: (soFar: SweepRuns) => boolean;
  readonly onProgress?: (soFar: SweepRuns) => void;
  readonly onFailure?: (variant: Variant, violation: Violation) => void;
}

/** Every variant of the stories. Each story must keep its promises by itself, else there is nothing to sweep. */
export async function planSweep(
  stories: readonly SweepStory[],
): Promise<{ readonly singles: readonly Variant[]; readonly pairs: readonly Variant[] }> {
  const singles: Variant[] = [];
  const pairs: Variant[] = [];
  for (const told of stories) {
    const { violation, occasions } = await runCase(told.story, { keepOccasions: true });
    if (violation !== undefined)
      throw new Error(`${told.name} breaks ${violation.rule} by itself: ${violation.message}`);
    singles.push(...singleVariants(told, occasions));
    pairs.push(...pairVariants(told, occasions));
  }
  return { singles, pairs };
}

const batchSize = 25;

/** Runs variants on all threads. */
export async function runSweep({
  pool,
  variants,
  isEnough = () => false,
  onProgress,
  onFailure,
}: SweepOptions): Promise<SweepRuns> {
  const total: SweepRuns = {
    planned: variants.length,
    runs: 0,
    virtualMs: 0,
    turns: 0,
    kills: 0,
    failures: [],
  };
  let next = 0;
  const lane = async () => {
    while (next < variants.length && !isEnough(total)) {
      const batch = variants.slice(next, next + batchSize);
      next += batch.length;
      const worked = await pool.run({ kind: 'cases', cases: batch.map(({ story }) => story) });
      for (const name of ['runs', 'virtualMs', 'turns', 'kills'] as const) total[name] += worked[name];
      for (const { at, violation } of worked.failed) {
        total.failures.push({ variant: batch[at]!, violation });
        onFailure?.(batch[at]!, violation);
      }
      onProgress?.(total);
    }
  };
  await Promise.all(Array.from({ length: pool.size }, lane));
  return total;
}

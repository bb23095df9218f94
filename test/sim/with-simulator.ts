import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleSimulator } from './bundle-simulator.ts';
import type { Violation } from './checks/truth.ts';
import type { Faults } from './fate.ts';
import type { Mutant } from './mutants/mutant.ts';
import type { SimCase } from './sim-case.ts';
import { type WorkerPool, workerPool } from './worker-pool.ts';

export interface SimulatorOptions {
  readonly mutant?: Mutant | undefined;
  /** One per core unless told. */
  readonly threads?: number | undefined;
}

/**
 * Bundles the simulator, runs threads of it for as long as they are used, and leaves nothing behind. `use` is also
 * told where the controllers in it take errors.
 */
export async function withSimulator<Result>(
  { mutant, threads }: SimulatorOptions,
  use: (pool: WorkerPool, errorPlaces: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-sim-'));
  const bundle = join(folder, 'simulator.mjs');
  let pool: WorkerPool | undefined;
  try {
    const errorPlaces = await bundleSimulator(bundle, mutant);
    pool = workerPool(bundle, threads);
    return await use(pool, errorPlaces);
  } finally {
    await pool?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What became of one case, line by line. */
export interface Traced {
  readonly violation: Violation | undefined;
  /** Everything that went wrong, by occasion. */
  readonly faults: Faults;
  readonly lines: readonly string[];
}

/** Runs one case over the product, or over the product with a rule taken out. */
export function traceCase(story: SimCase, mutant: Mutant | undefined): Promise<Traced> {
  return withSimulator({ mutant, threads: 1 }, async (pool) => {
    const { failed, lists } = await pool.run({ kind: 'cases', cases: [story], keepTraces: true });
    return { ...lists[0]!, violation: failed[0]?.violation };
  });
}

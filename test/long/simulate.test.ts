import { describe, expect, test } from 'vitest';
import { makeDice } from '../sim/chance.ts';
import { neverSeen } from '../sim/must-see.ts';
import { mutants } from '../sim/mutants/all-mutants.ts';
import { huntMutant } from '../sim/mutants/hunt.ts';
import { runSeeds } from '../sim/seed-runs.ts';
import { planSweep, runSweep } from '../sim/sweeps/run-sweep.ts';
import { sweepStories } from '../sim/sweeps/sweep-stories.ts';
import { describeFailure, sampleOf } from '../sim/sweeps/sweep-variants.ts';
import { withSimulator } from '../sim/with-simulator.ts';

const from = Math.floor(Date.now() / 1_000);
const worlds = 6_000;

test(`no promise is broken in ${worlds} worlds, and whatever can happen does (npm run sim -- --from ${from} --seeds ${worlds})`, async () => {
  await withSimulator({}, async (pool, errorPlaces) => {
    const { runs, failures, unlike, sightings } = await runSeeds({ pool, from, count: worlds });
    expect({ runs, failures, unlike }).toEqual({ runs: worlds, failures: [], unlike: [] });
    expect(neverSeen(sightings, runs, errorPlaces)).toEqual([]);
  });
});

describe('no promise of a story is broken', () => {
  test('by one trouble at any place', async () => {
    const { singles } = await planSweep(sweepStories);
    const { failures } = await withSimulator({}, (pool) => runSweep({ pool, variants: singles }));
    expect(failures.map(({ variant, violation }) => describeFailure(variant, violation))).toEqual([]);
  });

  test(`by two close together (npm run sweep -- --seed ${from} --pairs 20000)`, async () => {
    const { pairs } = await planSweep(sweepStories);
    const variants = sampleOf(pairs, 20_000, makeDice(from, 'pairs'));
    const { failures } = await withSimulator({}, (pool) => runSweep({ pool, variants }));
    expect(failures.map(({ variant, violation }) => describeFailure(variant, violation))).toEqual([]);
  });
});

describe('the search misses the rule that is taken out:', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const { kills } = await huntMutant(mutant, { from, blocks: 2, seedsPerBlock: 1_000 });
    expect(kills.some((kill) => kill !== undefined)).toBe(true);
  });
});

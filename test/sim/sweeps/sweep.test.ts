import { expect, test } from 'vitest';
import { makeDice } from '../chance.ts';
import { mutantNamed } from '../mutants/all-mutants.ts';
import { withSimulator } from '../with-simulator.ts';
import { planSweep, runSweep } from './run-sweep.ts';
import { sweepStories } from './sweep-stories.ts';
import { describeFailure, sampleOf, type Variant } from './sweep-variants.ts';

const seed = Math.floor(Date.now() / 1_000);

test(`one trouble, or two close together, break no promise of a story (seed ${seed})`, async () => {
  const { singles, pairs } = await planSweep(sweepStories);
  const dice = makeDice(seed, 'sweep');
  const broken = await sweep([...sampleOf(singles, 700, dice), ...sampleOf(pairs, 500, dice)]);
  expect(broken).toEqual([]);
}, 600_000);

test('a sweep sees that an unknown answer is looked up', async () => {
  const { singles } = await planSweep(sweepStories.slice(0, 1));
  const failed = singles.filter(({ added }) => Object.values(added).some(({ kind }) => kind === 'fail'));
  expect(await sweep(failed, 'unknown counts as done')).not.toEqual([]);
}, 600_000);

async function sweep(variants: readonly Variant[], mutant?: string): Promise<readonly string[]> {
  const broken = mutant === undefined ? undefined : mutantNamed(mutant);
  const { runs, failures } = await withSimulator({ mutant: broken, threads: 1 }, (pool) =>
    runSweep({ pool, variants }),
  );
  expect(runs).toBe(variants.length);
  return failures.map(({ variant, violation }) => describeFailure(variant, violation));
}

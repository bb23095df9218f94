/**
 * `npm run sweep`: scripted stories, each with one trouble at every place where one can be, then with two close together.
 */
import { parseArgs } from 'node:util';
import { makeDice } from './chance.ts';
import type { Violation } from './checks/truth.ts';
import { mutantNamed } from './mutants/all-mutants.ts';
import { progressBar } from './progress.ts';
import { runCase } from './run-case.ts';
import { planSweep, runSweep, type SweepRuns } from './sweeps/run-sweep.ts';
import { type SweepStory, sweepStories } from './sweeps/sweep-stories.ts';
import { describeFailure, faultsFromText, sampleOf, type Variant } from './sweeps/sweep-variants.ts';
import { makeTrace } from './trace.ts';
import { withSimulator } from './with-simulator.ts';

const usage = `npm run sweep -- [--story TEXT] [--pairs N|all] [--seed S] [--minutes M] [--mutant NAME] [--threads N]
  --story    only stories whose name contains this
  --pairs    how many pairs of troubles to run, chosen by the seed (default 5000)
  --seed     which pairs (default: others in every run)
  --minutes  nothing more is begun after so many minutes
  --fault    KEY=KIND or KEY=KIND:MS, may be repeated: print the trace of the one story with these troubles
  --mutant   run over a product with one rule taken out
  --threads  default: one per core`;

const { values } = parseArgs({
  options: {
    story: { type: 'string', default: '' },
    pairs: { type: 'string', default: '5000' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    fault: { type: 'string', multiple: true },
    mutant: { type: 'string' },
    threads: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const stories = sweepStories.filter(({ name }) => name.includes(values.story));
const seed = Number(values.seed ?? Math.floor(Date.now() / 1_000) % 1_000_000_000);

if (values.help) console.log(usage);
else if (stories.length === 0) {
  console.error(
    `No story is called so. There are:\n${sweepStories.map(({ name }) => `  ${name}`).join('\n')}`,
  );
  process.exitCode = 2;
} else if (values.fault !== undefined) await showTrace(stories[0]!, values.fault);
else await sweep();

async function showTrace({ story }: SweepStory, faults: readonly string[]): Promise<void> {
  const trace = makeTrace({ keep: true });
  const troubled = { ...story, faults: { ...story.faults, ...faultsFromText(faults) } };
  const { violation } = await runCase(troubled, { trace });
  for (const line of trace.lines()) console.log(line);
  console.log(violation ?? 'no promise was broken');
}

async function sweep(): Promise<void> {
  const mutant = values.mutant === undefined ? undefined : mutantNamed(values.mutant);
  const until = performance.now() + Number(values.minutes ?? 1e9) * 60_000;
  const { singles, pairs } = await planSweep(stories);
  const count = values.pairs === 'all' ? pairs.length : Number(values.pairs);
  const chosen = sampleOf(pairs, count, makeDice(seed, 'pairs'));
  const variants = [...singles, ...chosen];
  console.error(
    `${stories.length} stories: ${singles.length} single troubles, ${chosen.length} of ${pairs.length} pairs (seed ${seed})`,
  );
  const threads = values.threads === undefined ? undefined : Number(values.threads);
  const total = await withSimulator({ mutant, threads }, (pool) =>
    runSweep({
      pool,
      variants,
      isEnough: ({ failures }) => performance.now() > until || failures.length >= 20,
      onProgress: progressBar(variants.length, 'variants'),
      onFailure: tellFailure,
    }),
  );
  process.stderr.write('\n');
  tell(total);
}

function tellFailure(variant: Variant, violation: Violation): void {
  console.log(describeFailure(variant, violation));
}

function tell({ planned, runs, virtualMs, turns, kills, failures }: SweepRuns): void {
  const days = (virtualMs / 86_400_000).toFixed(1);
  console.log(
    `${runs} of ${planned} variants: ${days} virtual days, ${turns} turns, ${kills} killed invocations, ${failures.length} failures`,
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

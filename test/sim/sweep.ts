/**
 * `npm run sweep`: scripted stories, each with one trouble at every place where one can be, then with two close together.
 */
import { makeDice } from './chance.ts';
import type { Violation } from './checks/truth.ts';
import type { Faults } from './fate.ts';
import { progressBar } from './progress.ts';
import {
  asOption,
  listed,
  mutantOf,
  readOptions,
  refuse,
  seedOf,
  untilMinutes,
  wholeNumber,
} from './read-options.ts';
import { planSweep, runSweep, type SweepRuns } from './sweeps/run-sweep.ts';
import { type SweepStory, sweepStories } from './sweeps/sweep-stories.ts';
import { describeFailure, faultsFromText, sampleOf, type Variant } from './sweeps/sweep-variants.ts';
import { traceCase, withSimulator } from './with-simulator.ts';

const usage = `npm run sweep -- [--story TEXT] [--pairs N|all] [--seed S] [--minutes M] [--mutant NAME] [--threads N]
  --story    only stories whose name contains this
  --pairs    how many pairs of troubles to run, chosen by the seed (default 5000)
  --seed     which pairs (default: others in every run)
  --minutes  nothing more is begun after so many minutes
  --fault    KEY=KIND or KEY=KIND:MS, may be repeated: print the trace of the one story with these troubles
  --mutant   run over a product with one rule taken out, also with --fault
  --threads  default: one per core`;

const { values } = readOptions({
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
const seed = seedOf('seed', values.seed);
const wantedPairs = values.pairs === 'all' ? undefined : wholeNumber('pairs', values.pairs);
const until = untilMinutes(values.minutes);
const mutant = mutantOf(values.mutant);
const threads = wholeNumber('threads', values.threads, 1);

if (values.help) console.log(usage);
else if (stories.length === 0)
  refuse(`No story is called so. There are:\n${listed(sweepStories.map(({ name }) => name))}`);
else if (values.fault !== undefined) await showTrace(stories[0]!, readFaults(values.fault));
else await sweep();

function readFaults(faults: readonly string[]): Faults {
  try {
    return faultsFromText(faults);
  } catch (error) {
    return refuse(`--fault is ${(error as Error).message}`);
  }
}

async function showTrace({ story }: SweepStory, faults: Faults): Promise<void> {
  const troubled = { ...story, faults: { ...story.faults, ...faults } };
  const { violation, lines } = await traceCase(troubled, mutant);
  for (const line of lines) console.log(line);
  console.log(violation ?? 'no promise was broken');
}

async function sweep(): Promise<void> {
  const { singles, pairs } = await planSweep(stories);
  const chosen = sampleOf(pairs, wantedPairs ?? pairs.length, makeDice(seed, 'pairs'));
  const variants = [...singles, ...chosen];
  console.error(
    `${stories.length} stories: ${singles.length} single troubles, ${chosen.length} of ${pairs.length} pairs (seed ${seed})`,
  );
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
  // It ends with the command to see it again.
  console.log(`${describeFailure(variant, violation)}${asOption('mutant', mutant?.name)}`);
}

function tell({ planned, runs, virtualMs, turns, kills, failures }: SweepRuns): void {
  const days = (virtualMs / 86_400_000).toFixed(1);
  console.log(
    `${runs} of ${planned} variants: ${days} virtual days, ${turns} turns, ${kills} killed invocations, ${failures.length} failures`,
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

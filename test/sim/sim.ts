import type { Violation } from './checks/truth.ts';
import { keepStory } from './corpus.ts';
import { drawCase } from './draw-case.ts';
import { neverSeen } from './must-see.ts';
import { progressBar } from './progress.ts';
import {
  asOption,
  flavourOf,
  mutantOf,
  readOptions,
  seedOf,
  untilMinutes,
  wholeNumber,
} from './read-options.ts';
import { runSeeds, type SeedRuns } from './seed-runs.ts';
import { shrinkCase, type TryCases } from './shrink.ts';
import { traceCase, withSimulator } from './with-simulator.ts';
import type { WorkerPool } from './worker-pool.ts';

const usage = `npm run sim -- --seeds N [--from S] [--minutes M] [--flavour F] [--keep] [--show] [--mutant NAME]
  --seeds    how many worlds to run (default 5000)
  --from     the first seed (default: another one in every run)
  --minutes  no new world after so many minutes
  --flavour  github-labels, github-project, linear or local; else by seed
  --keep     shorten what fails, one of each kind, and keep it in test/sim/corpus
  --show     print the trace of the first seed
  --threads  default: one per core
  --mutant   run over a product with one rule taken out, also with --show`;

const { values } = readOptions({
  options: {
    seeds: { type: 'string', default: '5000' },
    from: { type: 'string' },
    minutes: { type: 'string' },
    flavour: { type: 'string' },
    keep: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    threads: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const flavour = flavourOf(values.flavour);
const from = seedOf('from', values.from);
const count = wholeNumber('seeds', values.seeds, 1)!;
const until = untilMinutes(values.minutes);
const mutant = mutantOf(values.mutant);
const threads = wholeNumber('threads', values.threads, 1);

if (values.help) console.log(usage);
else if (values.show) await showTrace();
else await search();

async function showTrace(): Promise<void> {
  const story = drawCase(from, flavour);
  const { violation, faults, lines } = await traceCase(story, mutant);
  console.log(JSON.stringify({ ...story, faults }, undefined, 2));
  for (const line of lines) console.log(line);
  console.log(violation ?? 'no promise was broken');
}

async function search(): Promise<void> {
  await withSimulator({ mutant, threads }, async (pool, errorPlaces) => {
    console.error(`seeds from ${from}, on ${pool.size} threads`);
    const total = await runSeeds({
      pool,
      from,
      count,
      flavour,
      isEnough: ({ failures }) => performance.now() > until || failures.length >= 20,
      onProgress: progressBar(count, 'seeds'),
      onFailure: tellFailure,
    });
    process.stderr.write('\n');
    await tell(total, pool, errorPlaces);
  });
}

async function tell(total: SeedRuns, pool: WorkerPool, errorPlaces: readonly string[]): Promise<void> {
  for (const seed of total.unlike) console.log(`seed ${seed} is not the same twice`);
  if (values.keep) await keepOneOfAKind(total, pool);
  const unseen = neverSeen(total.sightings, total.runs, errorPlaces);
  for (const what of unseen) console.log(`blind: in ${total.runs} worlds it never happened: ${what}`);
  const years = total.virtualMs / (365.25 * 24 * 3_600_000);
  console.log(
    `${total.runs} seeds from ${from}: ${years.toFixed(2)} virtual years, ${total.turns} turns, ${total.kills} killed invocations, ${total.failures.length} failures`,
  );
  process.exitCode = total.failures.length + total.unlike.length + unseen.length > 0 ? 1 : 0;
}

function tellFailure(seed: number, { rule, at, message }: Violation): void {
  console.log(`seed ${seed} breaks ${rule} after ${Math.round(at / 60_000)} virtual minutes: ${message}`);
  const chosen = `${asOption('flavour', flavour)}${asOption('mutant', mutant?.name)}`;
  console.log(`  replay: npm run sim -- --from ${seed} --show${chosen}`);
}

async function keepOneOfAKind({ failures }: SeedRuns, pool: WorkerPool): Promise<void> {
  const kept = new Set<string>();
  for (const { seed, violation } of failures) {
    if (kept.has(violation.rule)) continue;
    kept.add(violation.rule);
    await keep(seed, violation.rule, pool);
  }
}

async function keep(seed: number, rule: string, pool: WorkerPool): Promise<void> {
  const tryCases: TryCases = async (cases) => {
    const found = await Promise.all(cases.map((one) => pool.run({ kind: 'cases', cases: [one] })));
    return found.map(({ failed }) => failed[0]?.violation);
  };
  const story = drawCase(seed, flavour);
  const { lists } = await pool.run({ kind: 'cases', cases: [story] });
  const short = await shrinkCase({ ...story, faults: lists[0]!.faults }, rule, tryCases);
  const path = await keepStory({
    name: `${rule} of seed ${seed}`,
    rule,
    mutant: mutant?.name,
    story: short,
  });
  console.log(`  kept: ${path}`);
}

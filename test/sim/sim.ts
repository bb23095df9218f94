import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleSimulator } from './bundle-simulator.ts';
import { keepStory } from './corpus.ts';
import { drawCase } from './draw-case.ts';
import type { FlavourName } from './flavours.ts';
import { neverSeen } from './must-see.ts';
import { mutantNamed } from './mutants/all-mutants.ts';
import { progressBar } from './progress.ts';
import { runCase } from './run-case.ts';
import { runSeeds, type SeedRuns } from './seed-runs.ts';
import { shrinkCase, type TryCases } from './shrink.ts';
import { makeTrace } from './trace.ts';
import { type WorkerPool, workerPool } from './worker-pool.ts';

const usage = `npm run sim -- --seeds N [--from S] [--minutes M] [--flavour F] [--keep] [--show] [--mutant NAME]
  --seeds    how many worlds to run (default 500)
  --from     the first seed (default: another one in every run)
  --minutes  no new world after so many minutes
  --flavour  github-labels, github-project, linear or local; else by seed
  --keep     shorten what fails, one of each kind, and keep it in test/sim/corpus
  --show     print the trace of the first seed
  --mutant   run over a product with one rule taken out`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string' },
    minutes: { type: 'string' },
    flavour: { type: 'string' },
    keep: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const flavour = values.flavour as FlavourName | undefined;
const from = Number(values.from ?? Math.floor(Date.now() / 1_000) % 1_000_000_000);
const count = Number(values.seeds);

if (values.help) console.log(usage);
else if (values.show) await showTrace();
else await search();

async function showTrace(): Promise<void> {
  const trace = makeTrace({ keep: true });
  const story = drawCase(from, flavour);
  const { violation, faults } = await runCase(story, { trace });
  console.log(JSON.stringify({ ...story, faults }, undefined, 2));
  for (const line of trace.lines()) console.log(line);
  console.log(violation ?? 'no promise was broken');
}

async function search(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-sim-'));
  const bundle = join(folder, 'simulator.mjs');
  await bundleSimulator(bundle, values.mutant === undefined ? undefined : mutantNamed(values.mutant));
  const pool = workerPool(bundle);
  const until = performance.now() + Number(values.minutes ?? 1e9) * 60_000;
  try {
    console.error(`seeds from ${from}, on ${pool.size} cores`);
    const total = await runSeeds({
      pool,
      from,
      count,
      flavour,
      isEnough: ({ failures }) => performance.now() > until || failures.length >= 20,
      onProgress: progressBar(count),
    });
    process.stderr.write('\n');
    await tell(total, pool);
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function tell(total: SeedRuns, pool: WorkerPool): Promise<void> {
  const kept = new Set<string>();
  for (const seed of total.unlike) console.log(`seed ${seed} is not the same twice`);
  for (const { seed, violation } of total.failures) {
    const minutes = Math.round(violation.at / 60_000);
    console.log(
      `seed ${seed} breaks ${violation.rule} after ${minutes} virtual minutes: ${violation.message}`,
    );
    const chosen = flavour === undefined ? '' : ` --flavour ${flavour}`;
    console.log(`  replay: npm run sim -- --from ${seed} --show${chosen}`);
    if (values.keep && !kept.has(violation.rule)) {
      kept.add(violation.rule);
      await keep(seed, violation.rule, pool);
    }
  }
  const unseen = neverSeen(total.sightings, total.runs);
  for (const what of unseen) console.log(`blind: in ${total.runs} worlds it never happened: ${what}`);
  const years = total.virtualMs / (365.25 * 24 * 3_600_000);
  console.log(
    `${total.runs} seeds from ${from}: ${years.toFixed(2)} virtual years, ${total.turns} turns, ${total.kills} killed invocations, ${total.failures.length} failures`,
  );
  process.exitCode = total.failures.length + total.unlike.length + unseen.length > 0 ? 1 : 0;
}

async function keep(seed: number, rule: string, pool: WorkerPool): Promise<void> {
  const tryCases: TryCases = async (cases) => {
    const found = await Promise.all(cases.map((one) => pool.run({ kind: 'cases', cases: [one] })));
    return found.map(({ failed }) => failed[0]?.violation);
  };
  const story = drawCase(seed, flavour);
  const [{ faults }] = (await pool.run({ kind: 'cases', cases: [story] })).lists as [
    { readonly faults: never },
  ];
  const short = await shrinkCase({ ...story, faults }, rule, tryCases);
  const path = await keepStory({
    name: `${rule} of seed ${seed}`,
    rule,
    mutant: values.mutant,
    story: short,
  });
  console.log(`  kept: ${path}`);
}

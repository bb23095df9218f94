import { parentPort } from 'node:worker_threads';
import type { Violation } from './checks/truth.ts';
import { drawCase } from './draw-case.ts';
import type { Faults } from './fate.ts';
import type { FlavourName } from './flavours.ts';
import { runCase } from './run-case.ts';
import type { SimCase } from './sim-case.ts';
import { makeTrace } from './trace.ts';

/** What the main thread asks for: some seeds, or some cases, one after the other. */
export type Work =
  | { readonly kind: 'seeds'; readonly seeds: readonly number[]; readonly flavour?: FlavourName | undefined }
  | { readonly kind: 'cases'; readonly cases: readonly SimCase[]; readonly keepTraces?: boolean };

/** What became of them. `failed` says which, by position. */
export interface Worked {
  readonly runs: number;
  readonly virtualMs: number;
  readonly events: number;
  readonly turns: number;
  readonly kills: number;
  readonly sightings: Readonly<Record<string, number>>;
  readonly failed: readonly { readonly at: number; readonly violation: Violation }[];
  /** What went wrong in each of some cases, by occasion, and the lines of its trace, where they are kept. */
  readonly lists: readonly Listed[];
  /** Seeds that were run twice and did not do the same. */
  readonly unlike: readonly number[];
}

interface Listed {
  readonly faults: Faults;
  readonly lines: readonly string[];
}

/** Every so many seeds one is run twice, and both traces must be equal. */
const twiceEvery = 200;

async function work(asked: Work): Promise<Worked> {
  const total = { runs: 0, virtualMs: 0, events: 0, turns: 0, kills: 0 };
  const sightings: Record<string, number> = {};
  globalThis.tookError = (place) => {
    const what = `error ${place}`;
    sightings[what] = (sightings[what] ?? 0) + 1;
    return undefined;
  };
  const failed: { readonly at: number; readonly violation: Violation }[] = [];
  const unlike: number[] = [];
  const lists: Listed[] = [];
  const cases =
    asked.kind === 'cases' ? asked.cases : asked.seeds.map((seed) => drawCase(seed, asked.flavour));
  for (const [at, story] of cases.entries()) {
    const trace = asked.kind === 'cases' && asked.keepTraces ? makeTrace({ keep: true }) : undefined;
    const outcome = await runCase(story, { trace });
    total.runs += 1;
    for (const name of ['virtualMs', 'events', 'turns', 'kills'] as const) total[name] += outcome[name];
    for (const [what, count] of outcome.sightings) sightings[what] = (sightings[what] ?? 0) + count;
    if (asked.kind === 'cases') lists.push({ faults: outcome.faults, lines: trace?.lines() ?? [] });
    if (outcome.violation !== undefined) failed.push({ at, violation: outcome.violation });
    if (asked.kind === 'seeds' && story.seed % twiceEvery === 0 && !(await isTheSameTwice(story)))
      unlike.push(story.seed);
  }
  return { ...total, sightings, failed, lists, unlike };
}

async function isTheSameTwice(story: SimCase): Promise<boolean> {
  const hashes = [];
  for (const _run of [1, 2]) {
    const trace = makeTrace();
    await runCase(story, { trace });
    hashes.push(trace.hash());
  }
  return hashes[0] === hashes[1];
}

parentPort?.on('message', async (asked: Work) => parentPort?.postMessage(await work(asked)));

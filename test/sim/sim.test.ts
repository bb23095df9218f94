import { expect, test } from 'vitest';
import { drawCase } from './draw-case.ts';
import { mutantNamed } from './mutants/all-mutants.ts';
import { runCase } from './run-case.ts';
import { runSeeds } from './seed-runs.ts';
import { makeTrace } from './trace.ts';
import { withSimulator } from './with-simulator.ts';

const from = Math.floor(Date.now() / 1_000);
const count = 200;

test(`no promise is broken in worlds that nobody has seen before (npm run sim -- --from ${from} --seeds ${count})`, async () => {
  const { runs, failures, unlike } = await withSimulator({ threads: 1 }, (pool) =>
    runSeeds({ pool, from, count }),
  );
  expect({ runs, failures, unlike }).toEqual({ runs: count, failures: [], unlike: [] });
}, 600_000);

test('the same search finds a promise that is really broken', async () => {
  const mutant = mutantNamed('release on the stop call');
  const { failures } = await withSimulator({ mutant, threads: 1 }, (pool) =>
    runSeeds({ pool, from: 1, count: 40 }),
  );
  expect(failures.map(({ violation }) => violation.rule)).toContain('S5');
}, 600_000);

test.each([11, 12, 13, 14])('the same seed is the same world: %i', async (seed) => {
  const hashes = [];
  for (const _run of [1, 2]) {
    const trace = makeTrace();
    await runCase(drawCase(seed), { trace });
    hashes.push(trace.hash());
  }
  expect(hashes[0]).toBe(hashes[1]);
});

test('what a seed drew can be repeated from its list alone', async () => {
  for (const seed of [21, 22, 23, 24]) {
    const drawn = makeTrace();
    const outcome = await runCase(drawCase(seed), { trace: drawn });
    const listed = makeTrace();
    await runCase({ ...outcome.story, rates: undefined, faults: outcome.faults }, { trace: listed });
    expect(listed.hash()).toBe(drawn.hash());
  }
});

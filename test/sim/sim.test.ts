import { expect, test } from 'vitest';
import { drawCase } from './draw-case.ts';
import { runCase } from './run-case.ts';
import { makeTrace } from './trace.ts';

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

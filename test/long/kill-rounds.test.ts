import { afterEach, beforeEach, expect, test } from 'vitest';
import { examine } from '../e2e/support/kill-findings.ts';
import { chooseKills, runKillRounds } from '../e2e/support/kill-rounds.ts';
import { makeScene, type Scene } from '../e2e/support/scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = makeScene();
});
afterEach(() => scene.end());

test('a hundred hosts that are killed at any moment lose nothing and double nothing', async () => {
  const options = chooseKills({ rounds: 100, cards: 20 });
  const run = await runKillRounds(scene, options);
  const { problems, met } = await examine(scene, run);
  console.log(met);
  expect(problems).toEqual([]);
  // Rounds that met nothing would prove nothing.
  expect(met.hits).toBeGreaterThan(options.rounds / 3);
  expect(met.withTurns).toBeGreaterThan(options.rounds / 10);
  expect(met.adopted).toBeGreaterThan(options.rounds / 10);
  expect(met.moves).toBeGreaterThan(options.rounds);
});

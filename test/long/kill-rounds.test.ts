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
  const options = chooseKills(100);
  const run = await runKillRounds(scene, options);
  const { problems, met } = await examine(scene, run);
  console.log(met);
  expect(problems).toEqual([]);
  expect(met.hits).toBeGreaterThan(options.rounds / 2);
  expect(met.withTurns).toBeGreaterThan(options.rounds / 5);
  expect(met.adopted).toBeGreaterThan(options.rounds / 5);
  expect(met.moves).toBeGreaterThan(options.rounds / 2);
});

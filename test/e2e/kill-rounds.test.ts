import { afterEach, beforeEach, expect, test } from 'vitest';
import { examine } from './support/kill-findings.ts';
import { chooseKills, runKillRounds } from './support/kill-rounds.ts';
import { makeScene, type Scene } from './support/scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = makeScene();
});
afterEach(() => scene.end());

test('hosts that are killed at any moment lose nothing and double nothing', async () => {
  const run = await runKillRounds(scene, chooseKills(6));
  const { problems, met } = await examine(scene, run);
  expect(problems).toEqual([]);
  expect(met.turns).toBeGreaterThan(10);
}, 120_000);

import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { examine } from './support/kill-findings.ts';
import { chooseKills, runKillRounds } from './support/kill-rounds.ts';
import { makeScene, type Scene } from './support/scene.ts';
import { findDoubleWork, readTurnProcesses } from './support/turn-processes.ts';

let scene: Scene;
beforeEach(() => {
  scene = makeScene();
});
afterEach(() => scene.end());

test('hosts that are killed at any moment lose nothing and double nothing', async () => {
  const run = await runKillRounds(scene, chooseKills({ rounds: 6, cards: 10 }));
  const { problems, met } = await examine(scene, run);
  expect(problems).toEqual([]);
  expect(met.turns).toBeGreaterThanOrEqual(8);
}, 120_000);

/** A process that looks like the agent of a turn. */
function pretendToWork(turnId: string, issue: string): void {
  const task = Buffer.from(JSON.stringify(['board', issue, 1, []])).toString('base64url');
  const env = { TMPDIR: scene.dataDir, EVENKEEL_COOKIE: `deployment.${turnId}.random.${task}` };
  spawn('/bin/sleep', ['60'], { env, stdio: 'ignore' }).unref();
}

test('two turns that work on one issue at once would be seen', async () => {
  const look = (count: number) =>
    eventually(
      () => readTurnProcesses(scene.dataDir),
      (found) => found.length === count,
    );
  pretendToWork('1-a', 'A');
  pretendToWork('1-b', 'B');
  expect(findDoubleWork(await look(2))).toEqual([]);
  pretendToWork('2-a', 'A');
  expect(findDoubleWork(await look(3))).toEqual([expect.stringMatching(/^two turns work on A at once/)]);
});

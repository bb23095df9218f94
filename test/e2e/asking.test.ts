import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanReport } from '../../lib/controller/operations.ts';
import { eventually } from '../support/eventually.ts';
import { makeScene, type Scene, type SceneBoard } from './support/scene.ts';

/** One host with a turn at work, one that was handed off, one that is parked and one that waits. */
let scene: Scene;
let board: SceneBoard;
beforeAll(async () => {
  scene = makeScene();
  board = scene.board('board', { agent: { max_concurrent_agents: 2 } });
  scene.agent('WORKS', 'echo first; say first; wait_for second; echo second; work "$1"');
  scene.agent('FAILS', 'echo broken >&2; exit 1');
  await scene.start();
  board.add('DELIVERS');
  await scene.fact('settled', 'DELIVERS');
  board.add('FAILS');
  await scene.fact('parked', 'FAILS');
  board.add('WORKS');
  board.add('BLOCKED', { blocked_by: ['WORKS'] });
  await scene.heard('first');
  await scene.ticks(2);
});
afterAll(() => scene.end());

test('status --json has the published shape', async () => {
  const status = await scene.status();
  expect(status).toMatchObject({
    paused: false,
    lastTick: { complete: true },
    running: [{ board: 'board', key: 'WORKS', attempt: 1, phase: 'running', state: 'In Progress' }],
    waiting: [{ board: 'board', key: 'BLOCKED', reason: 'blocked', until: null, toResume: 'finish WORKS' }],
    retrying: [],
    parked: [{ board: 'board', key: 'FAILS', reason: 'failures' }],
    inReview: 2,
    spent: { usdToday: 0, turnsWithUnknownUsage: 2 },
  });
  expect(Object.keys(status.running[0]!).sort()).toEqual(
    ['attempt', 'board', 'key', 'lastProgressAt', 'phase', 'startedAt', 'state', 'turnId'].sort(),
  );
});

test('history --json names for each turn what it was started from, how it went and where its work is', async () => {
  const { stdout } = await scene.cli('history', 'DELIVERS', '--json');
  const sha = expect.stringMatching(/^[0-9a-f]{40}$/);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      turnId: expect.stringMatching(/^1-[a-z2-7]{26}$/),
      attempt: 1,
      board: 'board',
      key: 'DELIVERS',
      policyHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      baseSha: sha,
      headSha: sha,
      workspace: expect.stringContaining('turns'),
      outcome: 'handed-off',
      class: null,
      branch: expect.stringContaining('evenkeel/issue/'),
      verify: [],
      usage: null,
    },
  ]);
  const [turn] = JSON.parse(stdout) as {
    transitions: { from: string; to: string; at: string; actor: string }[];
  }[];
  expect(turn!.transitions.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'none claimed',
    'claimed launching',
    'launching running',
    'running ending',
    'ending idle',
  ]);
  for (const { at, actor } of turn!.transitions) {
    expect(Date.parse(at)).not.toBeNaN();
    expect(['tick', 'turn', 'turn-end']).toContain(actor);
  }
});

test('explain says what runs, what waits and what is parked, and what to do', async () => {
  expect((await scene.cli('explain', 'WORKS')).stdout).toMatch(/now +keep \(running\)/);
  expect((await scene.cli('explain', 'BLOCKED')).stdout).toMatch(/to resume +finish WORKS/);
  expect((await scene.cli('explain', 'FAILS')).stdout).toMatch(/to resume +.*move the card/);
  const unknown = await scene.cli('explain', 'NOBODY');
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
});

test('a plan with another workflow file changes nothing and names what is wrong with it', async () => {
  const file = join(scene.dir, 'next.workflow.md');
  const policy = readFileSync(board.workflow, 'utf8');
  writeFileSync(file, policy.replace('handoff_state: In Review', 'handoff_state: Todo'));
  const refused = await scene.cli('plan', '--workflow', file, '--json');
  expect(refused.code).toBe(1);
  expect((JSON.parse(refused.stdout) as PlanReport).boards).toMatchObject([
    { contract: { valid: false, problems: [{ rule: 'handoff-not-active', path: 'tracker.handoff_state' }] } },
  ]);
  writeFileSync(file, policy.replace('    - Todo\n', ''));
  const planned = await scene.cli('plan', '--workflow', file, '--json');
  expect(planned.code).toBe(0);
  const keys = (text: string) =>
    (JSON.parse(text) as PlanReport).boards.flatMap(({ decisions }) => decisions.map(({ key }) => key));
  expect(keys(planned.stdout)).not.toContain('BLOCKED');
  expect(keys((await scene.cli('plan', '--json')).stdout)).toContain('BLOCKED');
});

test('logs shows what the agent wrote, and --follow goes on until the turn has ended', async () => {
  const failed = await scene.cli('logs', 'FAILS');
  expect(failed.stdout).toMatch(/==> runner\.log <==\n[\s\S]*==> agent\.log <==\nbroken\n/);
  const now = await scene.cli('logs', 'WORKS');
  expect(now.stdout).toContain('first');
  expect(now.stdout).not.toContain('second');
  const following = scene.cli('logs', 'WORKS', '--follow', '--json');
  await scene.ticks(1);
  scene.open('second');
  const { code, stdout } = await following;
  expect(code).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { log: string; line: string });
  expect(lines.filter(({ log }) => log === 'agent.log').map(({ line }) => line)).toEqual(['first', 'second']);
  expect(lines.filter(({ log }) => log === 'runner.log').at(-1)?.line).toContain('turn ended');
  await eventually(
    () => board.stateOf('WORKS'),
    (state) => state === 'In Review',
  );
});

test('a command beside a host leaves the host alone', async () => {
  expect(existsSync(join(scene.dataDir, 'host.json'))).toBe(true);
  const { stdout } = await scene.cli('tick', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'done', complete: true });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { usualStates } from './support/card-folder.ts';
import { makeScene, type Scene, type SceneBoard } from './support/scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = makeScene();
});
afterEach(() => scene.end());

const inState = (board: SceneBoard, key: string, state: string) =>
  eventually(
    () => board.stateOf(key),
    (now) => now === state,
    40_000,
  );

/** Every decision of the plan as `KEY action reason`. */
async function decisions(): Promise<readonly string[]> {
  const { boards } = await scene.plan();
  return boards.flatMap((board) =>
    board.decisions.map(({ key, action, reason }) => `${key} ${action} ${reason}`),
  );
}

/** How many turns are at work now, by the agents' own word. */
const running = (keys: readonly string[]) => keys.filter((key) => scene.runsOf(key) > 0);

describe('a renamed state', () => {
  test('starts nothing, is named as renamed, and lets a running turn be handed off under the new name', async () => {
    const board = scene.board('board');
    scene.agent('RUNNING', 'work "$1"; wait_for renamed');
    board.add('RUNNING');
    await scene.start();
    await eventually(
      () => scene.runsOf('RUNNING'),
      (runs) => runs === 1,
    );
    board.name(usualStates.map((state) => (state === 'In Review' ? 'Needs Review' : state)));
    // A tick at work may have read the states before; the card must not come into that one.
    await scene.ticks(2);
    board.add('LATER');
    await scene.ticks(2);
    const { boards } = await scene.plan();
    expect(boards[0]?.contract).toMatchObject({
      valid: false,
      problems: [
        {
          rule: 'state-renamed',
          path: 'tracker.handoff_state',
          message: expect.stringContaining("state 'In Review' is now called 'Needs Review'"),
        },
      ],
    });
    expect(await decisions()).toContain('LATER wait contract-invalid');
    scene.open('renamed');
    await inState(board, 'RUNNING', 'Needs Review');
    await scene.ticks(2);
    expect(scene.runsOf('LATER')).toBe(0);
    board.setPolicy({ tracker: { handoff_state: 'Needs Review' } });
    await inState(board, 'LATER', 'Needs Review');
    expect(scene.runsOf('RUNNING')).toBe(1);
  });
});

describe('caps', () => {
  test('a cap that is lowered below what runs stops nobody and starts nobody', async () => {
    const three = ['ONE', 'TWO', 'THREE'];
    const board = scene.board('board', { agent: { max_concurrent_agents: 3 } });
    for (const key of [...three, 'FOUR']) {
      scene.agent(key, `work "$1"; wait_for ${key}`);
      board.add(key, { priority: key === 'FOUR' ? 4 : 1 });
    }
    await scene.start();
    await eventually(
      () => running(three).length,
      (count) => count === 3,
      40_000,
    );
    expect(await decisions()).toContain('FOUR wait cap-board');
    board.setPolicy({ agent: { max_concurrent_agents: 1 } });
    await scene.ticks(2);
    expect(scene.facts().filter(({ fact }) => fact === 'stop-asked')).toEqual([]);
    for (const key of ['ONE', 'TWO']) scene.open(key);
    await inState(board, 'ONE', 'In Review');
    await inState(board, 'TWO', 'In Review');
    await scene.ticks(2);
    expect(await decisions()).toContain('FOUR wait cap-board');
    for (const key of ['THREE', 'FOUR']) scene.open(key);
    await inState(board, 'FOUR', 'In Review');
    expect(scene.runsOf('THREE')).toBe(1);
  });

  test('a cap of zero starts nothing and counts as idle', async () => {
    const board = scene.board('board', { agent: { max_concurrent_agents: 0 } });
    board.add('ZERO');
    const { code } = await scene.launch({ args: ['--until-idle'] }).ended;
    expect(code).toBe(0);
    expect(board.stateOf('ZERO')).toBe('Todo');
    expect(scene.runsOf('ZERO')).toBe(0);
    expect(await decisions()).toEqual(['ZERO wait cap-board']);
  });

  test('200 issues with a cap of 3 never have more than 3 turns, and each that waits says why', async () => {
    const board = scene.board('board', { agent: { max_concurrent_agents: 3 } });
    const keys = Array.from({ length: 200 }, (_, at) => `MANY-${String(at).padStart(3, '0')}`);
    scene.agent('default', 'work "$1"; wait_for flood');
    for (const [at, key] of keys.entries())
      board.add(key, { created_at: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString() });
    await scene.start();
    await eventually(
      () => running(keys).length,
      (count) => count === 3,
      40_000,
    );
    await scene.ticks(2);
    const waiting = await decisions();
    expect(waiting.filter((decision) => decision.endsWith('wait cap-board'))).toHaveLength(197);
    expect(running(keys)).toEqual(keys.slice(0, 3));
    scene.open('flood');
    await inState(board, 'MANY-005', 'In Review');
    // At no moment did the trace show a fourth one.
    const claims = scene.facts().reduce(
      ({ now, most }, { fact }) => {
        const next = now + (fact === 'claimed' ? 1 : fact === 'settled' ? -1 : 0);
        return { now: next, most: Math.max(most, next) };
      },
      { now: 0, most: 0 },
    );
    expect(claims.most).toBe(3);
  });

  test('a full review queue holds everything back until a person has reviewed', async () => {
    const board = scene.board('board', { agent: { max_in_handoff: 1 } });
    board.add('REVIEWED', { state: 'In Review' });
    board.add('NEXT');
    await scene.start();
    await scene.ticks(2);
    expect(await decisions()).toEqual(['NEXT wait review-queue-full']);
    expect((await scene.status()).inReview).toBe(1);
    board.move('REVIEWED', 'Done');
    await inState(board, 'NEXT', 'In Review');
  });
});

describe('a workflow file', () => {
  test('that is changed is taken up, and one that is broken keeps the last good one and starts nothing', async () => {
    const board = scene.board('board');
    scene.agent('RUNNING', 'work "$1"; wait_for broken');
    board.add('RUNNING');
    const host = await scene.start();
    await eventually(
      () => scene.runsOf('RUNNING'),
      (runs) => runs === 1,
    );
    board.setPolicy({ agent: { max_concurent_agents: 1 } });
    await scene.ticks(2);
    board.add('LATER');
    await scene.ticks(2);
    expect(await decisions()).toContain('LATER wait contract-invalid');
    expect(host.stderr()).toMatch(/"reason":"workflow-broken".*did you mean max_concurrent_agents/);
    scene.open('broken');
    await inState(board, 'RUNNING', 'In Review');
    const told = () => host.stderr().split('"workflow-broken"').length;
    const before = told();
    await eventually(told, (now) => now > before + 1);
    board.setPolicy({});
    await inState(board, 'LATER', 'In Review');
  });
});

describe('a pause', () => {
  test('starts nothing while what runs goes on, outlives the host, and ends with resume', async () => {
    const board = scene.board('board');
    scene.agent('RUNNING', 'work "$1"; wait_for paused');
    board.add('RUNNING');
    const host = await scene.start();
    await eventually(
      () => scene.runsOf('RUNNING'),
      (runs) => runs === 1,
    );
    expect((await scene.cli('pause', 'board')).code).toBe(0);
    expect((await scene.cli('pause', 'elsewhere')).code).toBe(1);
    await scene.ticks(2);
    board.add('LATER');
    scene.open('paused');
    await inState(board, 'RUNNING', 'In Review');
    await host.kill();
    await scene.start();
    await scene.ticks(2);
    expect(await scene.status()).toMatchObject({ paused: true, pausedBoards: ['board'] });
    expect(await decisions()).toContain('LATER wait paused');
    expect((await scene.cli('resume')).stdout).toBe('Resumed board.\n');
    await inState(board, 'LATER', 'In Review');
  });
});

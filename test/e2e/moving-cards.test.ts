import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName, wipBranchName } from '../../lib/core/names.ts';
import { eventually } from '../support/eventually.ts';
import { makeScene, type Scene, type SceneBoard } from './support/scene.ts';

/** One host for all: each scenario has issues of its own, and they play at the same time. */
let scene: Scene;
let board: SceneBoard;
beforeAll(async () => {
  scene = makeScene();
  board = scene.board('board');
  await scene.start();
});
afterAll(() => scene.end());

async function addRunning(key: string, script: string): Promise<void> {
  scene.agent(key, script);
  board.add(key);
  await scene.fact('turn-started', key);
  await eventually(
    () => scene.runsOf(key),
    (runs) => runs === 1,
  );
}

const inState = (key: string, state: string) =>
  eventually(
    () => board.stateOf(key),
    (now) => now === state,
    40_000,
  );
const outcomeOf = async (key: string) => (await scene.fact('settled', key)).outcome;
const decisionOf = async (key: string) => {
  const { boards } = await scene.plan();
  return boards.flatMap(({ decisions }) => decisions).find((decision) => decision.key === key);
};

describe.concurrent('a card', () => {
  test('that is closed while its turn runs stops the turn, and stays closed', async () => {
    await addRunning('CLOSE', 'work "$1"; wait_for never');
    board.move('CLOSE', 'Done');
    expect(await outcomeOf('CLOSE')).toBe('released');
    await scene.ticks(2);
    expect(board.stateOf('CLOSE')).toBe('Done');
    expect(board.commentOf('CLOSE')).toBeUndefined();
    expect(scene.runsOf('CLOSE')).toBe(1);
    const { stdout } = await scene.cli('explain', 'CLOSE');
    expect(stdout).toMatch(/^CLOSE is in "Done"/);
  });

  test('that leaves the active states stops its turn, keeps its work, and starts again when it is back', async () => {
    await addRunning('AWAY', 'work "$1"; git add . && git commit --quiet -m half; say half; wait_for back');
    await scene.heard('half');
    board.move('AWAY', 'Backlog');
    expect(await outcomeOf('AWAY')).toBe('released');
    expect(scene.repository.read(wipBranchName('AWAY' as IssueId), 'AWAY.txt')).toBe('work of AWAY');
    await scene.ticks(1);
    expect(board.stateOf('AWAY')).toBe('Backlog');
    scene.open('back');
    board.move('AWAY', 'Todo');
    await inState('AWAY', 'In Review');
    expect(scene.runsOf('AWAY')).toBe(2);
  });

  test('that is dragged away and back between two looks goes on with the same turn', async () => {
    await addRunning('TWITCH', 'work "$1"; wait_for twitched');
    await scene.ticks(1);
    board.move('TWITCH', 'Backlog');
    board.move('TWITCH', 'In Progress');
    await scene.ticks(2);
    scene.open('twitched');
    await inState('TWITCH', 'In Review');
    expect(scene.runsOf('TWITCH')).toBe(1);
    expect(scene.facts().filter(({ key, fact }) => key === 'TWITCH' && fact === 'stop-asked')).toEqual([]);
  });

  test('whose file is deleted stops its turn at the second look, and is not written again', async () => {
    await addRunning('GONE', 'work "$1"; wait_for never');
    board.remove('GONE');
    expect(await outcomeOf('GONE')).toBe('released');
    const stop = await scene.fact('stop-asked', 'GONE');
    expect(stop.reason).toBe('gone');
    await scene.ticks(2);
    expect(existsSync(join(board.folder, 'GONE.md'))).toBe(false);
    expect(board.commentOf('GONE')).toBeUndefined();
  });

  test('with two states is left alone until a person mends it, before its turn', async () => {
    board.add('TWO', { state: 'Backlog' });
    board.edit('TWO', (text) => text.replace(/^state:.*$/m, 'state: Todo\nstate: Done'));
    await scene.ticks(2);
    expect(scene.runsOf('TWO')).toBe(0);
    expect(await decisionOf('TWO')).toMatchObject({ action: 'wait', reason: 'conflicting-states' });
    board.edit('TWO', (text) => text.replace('state: Done\n', ''));
    await inState('TWO', 'In Review');
  });

  test('that gets a second state while its turn runs is neither stopped nor written until it is mended', async () => {
    await addRunning('TORN', 'work "$1"; wait_for torn');
    board.edit('TORN', (text) => text.replace(/^state:.*$/m, 'state: In Progress\nstate: Backlog'));
    await scene.ticks(2);
    scene.open('torn');
    await scene.fact('stopped-seen', 'TORN');
    await scene.ticks(2);
    expect(board.stateOf('TORN')).toBeUndefined();
    expect(scene.facts().filter(({ key, fact }) => key === 'TORN' && fact === 'stop-asked')).toEqual([]);
    board.edit('TORN', (text) => text.replace('state: Backlog\n', ''));
    await inState('TORN', 'In Review');
    expect(scene.runsOf('TORN')).toBe(1);
  });

  test('waits for an open blocker, and starts when that is finished', async () => {
    board.add('FIRST', { state: 'Backlog' });
    board.add('SECOND', { blocked_by: ['FIRST'] });
    await scene.ticks(2);
    expect(await decisionOf('SECOND')).toMatchObject({ action: 'wait', reason: 'blocked' });
    board.move('FIRST', 'Done');
    await inState('SECOND', 'In Review');
    expect(scene.runsOf('FIRST')).toBe(0);
  });

  test('whose blocker is opened again while its turn runs goes on', async () => {
    board.add('BASE', { state: 'Done' });
    scene.agent('UPPER', 'work "$1"; wait_for upper');
    board.add('UPPER', { blocked_by: ['BASE'] });
    await scene.fact('turn-started', 'UPPER');
    board.move('BASE', 'Backlog');
    await scene.ticks(2);
    scene.open('upper');
    await inState('UPPER', 'In Review');
    expect(scene.runsOf('UPPER')).toBe(1);
  });

  test('that was handed off starts another turn on top of its work when a person moves it back', async () => {
    scene.agent('AGAIN', 'echo "run $(ls | wc -l)" > "run-$(ls | wc -l).txt"');
    board.add('AGAIN');
    await inState('AGAIN', 'In Review');
    const first = scene.repository.branch(branchName('AGAIN' as IssueId));
    board.move('AGAIN', 'Todo');
    await eventually(
      () => scene.runsOf('AGAIN'),
      (runs) => runs === 2,
      40_000,
    );
    await inState('AGAIN', 'In Review');
    const log = scene.repository.git('log', '--format=%H', `refs/heads/${branchName('AGAIN' as IssueId)}`);
    expect(log.split('\n').slice(1)).toContain(first);
  });
});

test('cards that are closed while their turns are settled stay closed', async () => {
  const keys = Array.from({ length: 8 }, (_, at) => `RACE-${at}`);
  for (const key of keys) board.add(key);
  // Each is closed at another moment between the end of its agent and the end of its settlement.
  const close = keys.map(async (key, at) => {
    const moment = (['stopped-seen', 'ended', 'issue-read', 'write-intended'] as const)[at % 4]!;
    const turn = await scene.fact('turn-started', key);
    await scene.fact(moment, key, ({ time }) => time > turn.time);
    board.move(key, 'Done');
  });
  await Promise.all(close);
  for (const key of keys) await scene.fact('settled', key);
  await scene.ticks(2);
  expect(keys.map((key) => board.stateOf(key))).toEqual(keys.map(() => 'Done'));
  expect(keys.map((key) => scene.runsOf(key))).toEqual(keys.map(() => 1));
});

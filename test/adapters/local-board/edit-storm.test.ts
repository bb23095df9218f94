import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { type LocalBoardWorld, makeLocalBoard } from './local-board-world.ts';
import { runProgram } from './run-program.ts';

let world: LocalBoardWorld;
beforeEach(async () => {
  world = await makeLocalBoard();
});
afterEach(() => world.dispose());

const edits = 300;

test.each(['in-place', 'by-rename'])(
  'of hundreds of saves %s, none is lost to the moves that happen meanwhile',
  async (how) => {
    const id = await world.add({ key: 'A-1', state: 'Todo', description: 'Begin.' });
    const path = join(world.folder, 'A-1.md');
    let isOver = false;
    const person = runProgram('edit-often', [path, how, String(edits)]).finally(() => {
      isOver = true;
    });
    const [written] = await Promise.all([moveUntil(id, () => isOver), watchPresence(path, () => isOver)]);
    expect((await person).code).toBe(0);
    expect(written).toBeGreaterThan(10);
    expect(await readEdits(id)).toEqual(Array.from({ length: edits }, (_, index) => `edit ${index + 1}`));
    expect(await world.tracker.read(id)).toMatchObject({ kind: 'found' });
  },
);

test('processes that move the same issue at the same time never overwrite one another', async () => {
  const id = await world.add({ key: 'A-1', state: '0' });
  const [processes, each] = [3, 15];
  await world.put(
    'board.yaml',
    `states: [${Array.from({ length: processes * each + 1 }, (_, n) => `"${n}"`).join(', ')}]`,
  );
  const counting = Array.from({ length: processes }, () =>
    runProgram('count-up', [world.folder, id, String(each)]),
  );
  for (const { code } of await Promise.all(counting)) expect(code).toBe(0);
  expect(await world.stateOf(id)).toBe(String(processes * each));
  expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
});

/** Moves the issue to and fro; returns how often that was granted. */
async function moveUntil(id: IssueId, isOver: () => boolean): Promise<number> {
  let written = 0;
  while (!isOver()) {
    const reading = await world.tracker.read(id);
    expect(reading.kind).not.toBe('gone');
    if (reading.kind !== 'found') continue;
    const to = reading.issue.state === 'Todo' ? 'In Progress' : 'Todo';
    const { kind } = await world.tracker.transition(reading.issue, to as StateName);
    expect(kind).not.toBe('rejected');
    if (kind === 'written') written += 1;
  }
  return written;
}

/** Neither the person nor the moves ever take the file away. */
async function watchPresence(path: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await stat(path);
    await sleep(1);
  }
}

/** The lines of all edits in the issue's file; and in a rescued one, which is not lost either. */
async function readEdits(id: string): Promise<readonly string[]> {
  const names = (await world.names()).filter((name) => name === `${id}.md` || name.includes('.rescued-'));
  const texts = await Promise.all(names.map((name) => world.text(name)));
  const lines = new Set(texts.flatMap((text) => text.match(/^edit \d+$/gm) ?? []));
  return [...lines].sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
}

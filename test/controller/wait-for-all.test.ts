import { expect, test } from 'vitest';
import { waitForAll } from '../../lib/controller/wait-for-all.ts';
import { buildWorld } from '../support/world.ts';

test('a tick does not end while one of its calls is under way, also when another one has failed', async () => {
  const world = await buildWorld({ issues: [{ id: 'A' }] });
  let isListed = false;
  world.tracker.faults.fail('count');
  world.tracker.faults.before('list', async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    isListed = true;
  });

  await world.tick();

  expect(isListed).toBe(true);
});

test('of several failures the first by position is thrown, and without one all answers come in order', async () => {
  await expect(
    waitForAll([Promise.resolve(1), Promise.reject(new Error('second')), Promise.reject(new Error('third'))]),
  ).rejects.toThrow('second');
  expect(await waitForAll([Promise.resolve(1), 'two'])).toEqual([1, 'two']);
});

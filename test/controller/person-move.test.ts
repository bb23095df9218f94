import { expect, test } from 'vitest';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, decisionsOf, failed } from '../support/world.ts';

const issues = [{ id: 'A', state: 'Todo' }];
const onlyOnce = { agent: { max_failures: 1 } };

/** A card whose turn has failed for the last time: it stands in the hand-off column, parked. */
async function parkedWorld() {
  const world = await buildWorld({ issues, workflow: buildWorkflow(onlyOnce) });
  await world.run('A');
  await world.result('A', failed('agent'));
  await world.exit('A');
  await world.stoppedEvent('A');
  return world;
}

test('a list that is out of date does not pass for a move of a person', async () => {
  const world = await parkedWorld();
  const board = (await world.ports.boards())[0]!;
  const before = { ...world.tracker.seen.issue('A')!, state: 'Todo' as never, movedBy: 'person' as const };
  world.changeBoard({
    tracker: { ...board.tracker, list: async () => ({ issues: [before], broken: [] }) },
  });

  await world.tick();

  expect(await world.leaseOf('A')).toMatchObject({ parked: { reason: 'failures' }, turns: 1 });
});

test('nothing starts on the strength of a reset that was not made', async () => {
  const world = await parkedWorld();
  world.person.move('A', 'Todo');
  world.ledger.faults.beforeWrite = ({ operation }) => {
    if (operation === 'reset') throw new Error('no answer');
  };

  expect(decisionsOf(await world.tick()).A).toBe('wait/unknown');
  expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 1 });

  world.ledger.faults.beforeWrite = undefined;
  expect(decisionsOf(await world.tick()).A).toBe('start/start');
});

test('a slot that was counted for the listed column is not used from another one', async () => {
  const world = await buildWorld({
    issues: [
      { id: 'A', state: 'Todo' },
      { id: 'B', state: 'Todo' },
    ],
    workflow: buildWorkflow({ agent: { max_concurrent_agents_by_state: { Todo: 1 } } }),
  });
  const board = (await world.ports.boards())[0]!;
  const earlier = { ...world.tracker.seen.issue('B')!, state: 'In Progress' as never };
  world.changeBoard({
    tracker: {
      ...board.tracker,
      list: async () => ({ issues: [world.tracker.seen.issue('A')!, earlier], broken: [] }),
    },
  });

  await world.tick();

  expect(world.runner.tasks().map(({ request }) => request.issueId)).toEqual(['A']);
});

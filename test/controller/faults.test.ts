import { describe, expect, test } from 'vitest';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { BoardId, TurnId } from '../../lib/core/issue.ts';
import type { TrackerCall } from '../support/memory-faults.ts';
import { buildWorld, completed, type World } from '../support/world.ts';

/** Lets whatever runs do its work, tick after tick, as a scheduler, an agent and the platform would, errors or not. */
async function live(world: World, ticks = 25): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) {
    await world.tick().catch(() => undefined);
    for (const task of world.runner.tasks().filter(({ phase }) => phase !== 'stopped')) {
      const { issueId } = task.request;
      await begin(world, issueId).catch(() => undefined);
      await world.heartbeat(issueId, tick).catch(() => undefined);
      await world.result(issueId, completed).catch(() => undefined);
      world.runner.end(task.arn, { exitCode: 0 });
      await world.stoppedEvent(issueId).catch(() => undefined);
    }
    world.clock.step(61_000);
  }
}

/** The turn program repeats its start until it is answered. */
async function begin(world: World, issueId: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const served = await world.start(issueId).catch(() => 'unavailable' as const);
    if (served !== 'unavailable') return;
  }
}

async function expectGoodEnd(world: World): Promise<void> {
  expect(world.tracker.seen.stateOf('A')).toBe('In Review');
  expect(world.tracker.seen.comments('A')).toHaveLength(1);
  expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
  expect((await world.leaseOf('A'))?.pending).toBeUndefined();
  const perTurn = new Map<TurnId, number>();
  for (const { request } of world.runner.tasks())
    perTurn.set(request.turnId, (perTurn.get(request.turnId) ?? 0) + 1);
  expect([...perTurn.values()].every((count) => count === 1)).toBe(true);
  expect(world.violations()).toEqual([]);
}

const issues = [{ id: 'A', state: 'Todo' }];

/** Counts the writes of the undisturbed story, so that the sweep below reaches every one of them. */
async function countLedgerWrites(): Promise<number> {
  const world = await buildWorld({ issues });
  let writes = 0;
  world.ledger.faults.beforeWrite = () => {
    writes += 1;
  };
  await live(world, 3);
  return writes;
}

const writes = await countLedgerWrites();

describe('a ledger write of the story', () => {
  test('is one of at least twelve', () => {
    expect(writes).toBeGreaterThanOrEqual(12);
  });

  test.each(Array.from({ length: writes }, (_, at) => at))('%i may lose its answer', async (at) => {
    const world = await buildWorld({ issues });
    let seen = 0;
    world.ledger.faults.afterWrite = () => {
      if (seen++ === at) throw new Error('the answer was lost');
    };
    await live(world);
    await expectGoodEnd(world);
  });

  test.each(Array.from({ length: writes }, (_, at) => at))('%i may fail before it is made', async (at) => {
    const world = await buildWorld({ issues });
    let seen = 0;
    world.ledger.faults.beforeWrite = () => {
      if (seen++ === at) throw new Error('the write was lost');
    };
    await live(world);
    await expectGoodEnd(world);
  });

  test.each(Array.from({ length: writes }, (_, at) => at))(
    '%i may land much later, after its sender is gone',
    async (at) => {
      const world = await buildWorld({ issues });
      let seen = 0;
      let late: (() => unknown) | undefined;
      world.ledger.faults.beforeWrite = (write) => {
        if (seen++ !== at) return;
        late = () => write.land();
        throw new Error('the write is still on its way');
      };
      await live(world, 2);
      late?.();
      await live(world);
      await expectGoodEnd(world);
    },
  );

  test.each(Array.from({ length: writes }, (_, at) => at))(
    '%i may be the last thing its invocation did',
    async (at) => {
      const world = await buildWorld({ issues });
      let seen = 0;
      let dead = false;
      const dies = () => {
        if (dead) throw new Error('this invocation is dead');
      };
      world.ledger.faults.afterWrite = () => {
        if (seen++ === at) dead = true;
        dies();
      };
      world.ledger.faults.beforeWrite = dies;
      world.ledger.faults.beforeRead = dies;
      await live(world, 3);
      dead = false;
      await live(world);
      await expectGoodEnd(world);
    },
  );
});

const calls: readonly TrackerCall[] = [
  'states',
  'list',
  'count',
  'read',
  'readMany',
  'transition',
  'comment',
  'moves',
];

describe.each(calls)('the tracker call %s', (call) => {
  test.each([0, 1, 2, 3, 4, 5])('may fail, the %i-th time', async (nth) => {
    const world = await buildWorld({ issues });
    let seen = 0;
    world.tracker.faults.before(
      call,
      () => {
        if (seen++ === nth) throw new Error('the tracker is down');
      },
      1_000,
    );
    await live(world);
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.violations()).toEqual([]);
  });

  test.each([0, 1, 2, 3])('may lose its answer, the %i-th time', async (nth) => {
    const world = await buildWorld({ issues });
    let seen = 0;
    world.tracker.faults.after(
      call,
      () => {
        if (seen++ === nth) throw new Error('the answer was lost');
      },
      1_000,
    );
    await live(world);
    await expectGoodEnd(world);
  });
});

describe('a launch', () => {
  test.each(['answer-lost', 'lost', 'late', 'refused'] as const)('may be %s', async (fate) => {
    const world = await buildWorld({ issues });
    world.runner.decideLaunches(fate);
    await live(world, 2);
    world.runner.landLaunches();
    await live(world);
    await expectGoodEnd(world);
  });
});

test('the clearing of an announced move, carried out twice, clears no later announcement of the same run', async () => {
  const world = await buildWorld({ issues });
  await world.run('A');
  await world.result('A', completed);
  await world.exit('A');
  world.tracker.faults.before('transition', () => world.person.edit('A', { title: 'renamed' }));
  let second: (() => unknown) | undefined;
  world.ledger.faults.afterWrite = (write) => {
    if (write.operation === 'clear-intent') second ??= () => write.land();
    else if (write.operation === 'intent') second?.();
  };
  const announced: (string | undefined)[] = [];
  world.tracker.faults.before(
    'transition',
    async () => void announced.push((await world.leaseOf('A'))?.pending?.to),
    5,
  );
  await world.stoppedEvent('A');
  expect(announced).toEqual(['In Review']);
  expect(world.tracker.seen.stateOf('A')).toBe('In Review');
});

test('a tick that cannot list the live tasks says so and does the rest: a task without a lease would go unseen', async () => {
  const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }] });
  world.runner.fail('list', true);
  expect(await world.tick()).toMatchObject({
    summary: {
      complete: false,
      problems: [expect.stringMatching(/^the live tasks could not be listed: .*did not answer list/)],
    },
  });
  expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching' });
});

test('what a tick says of its troubles stays small enough to be kept, however many and long they are', async () => {
  const world = await buildWorld();
  const [board] = await world.ports.boards();
  const boards = Array.from({ length: 80 }, (_, at) => ({ ...board!, id: `test:${at}` as BoardId }));
  world.ledger.board = () => Promise.reject(new Error('x'.repeat(100_000)));
  const report = await reconcile({ ...world.ports, boards: async () => boards }, 'scheduled');
  const { problems = [], complete } = (await world.ledger.tick())?.summary ?? {};
  expect(complete).toBe(false);
  expect(problems).toHaveLength(51);
  expect(problems.at(-1)).toBe('and 30 more');
  expect(JSON.stringify(problems).length).toBeLessThan(50_000);
  expect(report).toMatchObject({ summary: { problems } });
});

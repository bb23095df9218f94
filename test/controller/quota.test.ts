import { describe, expect, test } from 'vitest';
import { describeStatus } from '../../lib/controller/describe-status.ts';
import { receiveHint } from '../../lib/controller/receive-hint.ts';
import { idleWatch } from '../../lib/host/idle-watch.ts';
import { noAccess } from '../support/no-access.ts';
import { boardId, buildWorld, completed, decisionsOf, failed, type World } from '../support/world.ts';

const two = [
  { id: 'A', state: 'Todo' },
  { id: 'B', state: 'Todo' },
];
const minuteMs = 60_000;

/** How often the tracker is asked meanwhile. */
async function callsOf(world: World, act: () => Promise<unknown>): Promise<number> {
  const before = world.tracker.faults.calls().length;
  await act();
  return world.tracker.faults.calls().length - before;
}

/** A board with a turn on A, whose vendor has refused a tick for so many minutes. */
async function limitedWorld(minutes = 30) {
  const world = await buildWorld({ issues: two, settings: { maxConcurrentAgents: 1 } });
  await world.run('A');
  const until = world.clock.now() + minutes * minuteMs;
  world.tracker.limit(until);
  const report = await world.tick();
  return { world, until, report };
}

describe('while the quota of a board is used up', () => {
  test('the tick that meets the limit says so, and keeps until when', async () => {
    const { world, until, report } = await limitedWorld();
    expect(decisionsOf(report)).toEqual({ A: 'keep/unknown' });
    expect(await world.ledger.board(boardId)).toMatchObject({ quotaResetAt: until });
  });

  test('no tick asks the board for anything, and its turn goes on', async () => {
    const { world } = await limitedWorld();
    for (let n = 1; n <= 3; n += 1) {
      world.clock.step(minuteMs);
      await world.heartbeat('A', n);
      expect(await callsOf(world, () => world.tick())).toBe(0);
    }
    expect((await world.leaseOf('A'))?.phase).toBe('running');
    expect(world.runner.taskOf((await world.leaseOf('A'))!.turnId!)).toBeDefined();
    expect(world.violations()).toEqual([]);
  });

  test('a process that begins anew does not ask either, since the limit is kept', async () => {
    const { world } = await limitedWorld();
    world.tracker.limit(undefined);
    expect(await callsOf(world, () => world.tick())).toBe(0);
  });

  test('every issue that waited goes on waiting, until the reset is told', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    await world.run('A');
    await world.result('A', failed('agent'));
    await world.exit('A');
    await world.tick();
    const until = world.clock.now() + 30 * minuteMs;
    world.tracker.limit(until);
    for (const tick of [await world.tick(), await world.tick()]) {
      expect(decisionsOf(tick)).toEqual({ A: 'wait/quota' });
      expect(tick.kind === 'done' && tick.boards[0]!.decisions[0]).toMatchObject({ until });
    }
    const status = await describeStatus(world.ports);
    expect([...status.waiting, ...status.retrying]).toMatchObject([{ key: 'A' }]);
    expect(status.problems).toMatchObject([{ message: expect.stringContaining('quota') }]);
  });

  test('a broken contract is not said, and a broken workflow file still is', async () => {
    const { world } = await limitedWorld();
    const alarms = () => world.facts.filter(({ fact }) => fact === 'alarm').map(({ reason }) => reason);
    await world.tick();
    expect(alarms()).toEqual([]);
    world.changeBoard({
      workflowProblem: {
        rule: 'workflow-file',
        path: '',
        message: 'the file is broken',
        toResume: 'mend it',
      },
    });
    await world.tick();
    expect(alarms()).toEqual(['contract-invalid']);
  });

  test.each(['tick', 'event'] as const)(
    'a turn that ends is written back within what is kept for that, without a look at the whole board (%s)',
    async (by) => {
      const { world } = await limitedWorld();
      world.tracker.limit(undefined);
      await world.result('A', completed);
      await world.exit('A');
      world.clock.step(minuteMs);
      const before = world.tracker.faults.calls().length;
      await (by === 'tick' ? world.tick() : world.stoppedEvent('A'));
      const asked = world.tracker.faults.calls().slice(before);
      expect(asked.filter(({ call }) => ['states', 'list', 'count', 'readMany'].includes(call))).toEqual([]);
      expect(world.tracker.seen.stateOf('A')).toBe('In Review');
      expect((await world.leaseOf('A'))?.phase).toBe('idle');
    },
  );

  test('a turn that ends stays ended where nothing is kept, and is written back after the reset', async () => {
    const { world, until } = await limitedWorld();
    await world.result('A', completed);
    await world.exit('A');
    await world.tick();
    expect((await world.leaseOf('A'))?.phase).toBe('ending');
    world.tracker.limit(undefined);
    world.clock.step(until - world.clock.now());
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
  });

  test('the host is not idle, even where no issue is known yet', async () => {
    const world = await buildWorld({ issues: [] });
    const until = world.clock.now() + 10 * minuteMs;
    world.tracker.limit(until);
    const watch = idleWatch();
    for (let n = 1; n <= 3; n += 1) expect(watch.see(await world.tick())).toBe(false);
    world.tracker.limit(undefined);
    world.clock.step(until - world.clock.now());
    expect([watch.see(await world.tick()), watch.see(await world.tick())]).toEqual([false, true]);
  });
});

describe('a limit ends', () => {
  test('at its time: the board is read, and what waited starts', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    const until = world.clock.now() + 10 * minuteMs;
    world.tracker.limit(until);
    await world.tick();
    world.tracker.limit(undefined);
    world.clock.step(10 * minuteMs - 1);
    expect(decisionsOf(await world.tick())).toEqual({});
    world.clock.step(1);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });

  test('within the hour at the latest, however late the vendor says', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    world.tracker.limit(world.clock.now() + 86_400_000);
    await world.tick();
    world.tracker.limit(undefined);
    world.clock.step(65 * minuteMs);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });

  test('at once where it was kept by a clock that was far ahead', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    const quotaResetAt = world.clock.now() + 86_400_000;
    const put = { operation: 'test', when: [[]], set: { quotaResetAt }, remove: [], add: {}, append: {} };
    await world.ledger.changeBoard(boardId, put);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });
});

test('when a complete list was the last that the quota allowed, nothing starts from it', async () => {
  const world = await buildWorld({ issues: [two[0]!] });
  const until = world.clock.now() + 10 * minuteMs;
  world.tracker.faults.after('count', () => world.tracker.limit(until));
  expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/quota' });
  expect(await world.ledger.board(boardId)).toMatchObject({ quotaResetAt: until });
});

describe('the price of a tick', () => {
  test('stands in its record, in its trace and in the status', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    world.tracker.limit(undefined);
    const calls = await callsOf(world, () => world.tick());
    const cost = { requests: calls, points: calls, remaining: 5_000 - calls };
    expect((await world.ledger.tick())?.summary?.cost).toEqual(cost);
    expect(world.facts.findLast(({ fact }) => fact === 'tick-ended')).toMatchObject(cost);
    expect((await describeStatus(world.ports)).lastTick).toMatchObject({ cost });
  });

  test('is none where the board has none', async () => {
    const world = await buildWorld({ issues: [two[0]!] });
    await world.tick();
    expect((await describeStatus(world.ports)).lastTick).not.toHaveProperty('cost');
  });
});

describe('hints, of which anybody who may touch an issue can send a storm', () => {
  test('wait for the schedule while little of the quota is left, and none is lost', async () => {
    const left = { remaining: 5_000 };
    const quota = () => ({ requests: 0, points: 0, limitedUntil: undefined, ...left });
    const world = await buildWorld({
      issues: two,
      isPriced: true,
      pullRequests: { ...noAccess.pullRequests, quota },
    });
    const hint = async () => {
      await receiveHint(world.ports, 'test');
      return (await world.tick('hint')).kind;
    };
    expect(await hint()).toBe('done');
    left.remaining = 600;
    expect(await hint()).toBe('done');
    expect(await callsOf(world, hint)).toBe(0);
    expect(await hint()).toBe('not-admitted');
    expect(await world.ledger.tick()).toMatchObject({ dirty: 4, seen: 2 });

    left.remaining = 5_000;
    await world.tick();
    expect(await world.ledger.tick()).toMatchObject({ dirty: 4, seen: 4 });
    expect(await hint()).toBe('done');
  });
});

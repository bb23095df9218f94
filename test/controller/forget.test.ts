import { describe, expect, test } from 'vitest';
import { planOnly } from '../../lib/controller/plan-only.ts';
import type { IssueId } from '../../lib/core/issue.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import {
  boardId,
  buildWorld,
  completed,
  decisionsOf,
  failed,
  type World,
  type WorldOptions,
} from '../support/world.ts';

const fortnightMs = 14 * 86_400_000;

/** An issue that a turn has handed off, in a deployment that looks for finished issues in every tick. */
async function handedOff(options: WorldOptions = {}, dormantLookTicks = 1): Promise<World> {
  const world = await buildWorld({
    issues: [{ id: 'A', state: 'Todo' }],
    timing: { dormantLookTicks },
    ...options,
  });
  await world.run('A');
  await world.result('A', completed);
  await world.exit('A');
  await world.stoppedEvent('A');
  expect(world.tracker.seen.stateOf('A')).toBe('In Review');
  return world;
}

/** Its issue is finished, and was seen so for the last time before its lease is forgotten. */
async function longFinished(options?: WorldOptions): Promise<World> {
  const world = await handedOff(options);
  world.person.close('A');
  await world.tick();
  world.clock.step(fortnightMs);
  return world;
}

const deletions = (world: World, act: () => void) => {
  world.ledger.faults.beforeWrite = ({ operation }) => {
    if (operation === 'forget') act();
  };
};
const forgottenIn = ({ facts }: World) => facts.filter(({ fact }) => fact === 'forgotten');

describe('the lease of a finished issue', () => {
  test('is forgotten 14 days after the tick that saw it finished, and its history stays', async () => {
    const world = await handedOff();
    await world.tick();
    expect(await world.leaseOf('A')).not.toHaveProperty('finishedSince');
    world.person.close('A');
    const closedAt = world.clock.now();
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', finishedSince: closedAt });

    world.clock.step(fortnightMs - 1);
    await world.tick();
    expect(await world.leaseOf('A')).toBeDefined();

    world.clock.step(1);
    expect(decisionsOf(await world.tick()).A).toBe('forget/terminal');
    expect(await world.leaseOf('A')).toBeUndefined();
    expect(await world.ledger.leases('gen')).toEqual([]);
    expect(forgottenIn(world)).toMatchObject([{ issue: 'A', reason: 'terminal' }]);
    expect(await world.ledger.history(boardId, 'A' as IssueId)).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('is forgotten when its issue was not found twice, 14 days apart', async () => {
    const world = await handedOff();
    world.person.delete('A');
    await world.tick();
    world.clock.step(fortnightMs);
    expect(decisionsOf(await world.tick()).A).toBe('forget/gone');
    expect(await world.leaseOf('A')).toBeUndefined();
  });

  test('stays while its issue cannot be read, and while it waits for a person', async () => {
    const world = await longFinished();
    world.person.break('A');
    await world.tick();
    expect(await world.leaseOf('A')).toHaveProperty('finishedSince');
    world.person.mend('A');
    world.person.move('A', 'In Review');
    await world.tick();
    expect(await world.leaseOf('A')).not.toHaveProperty('finishedSince');
    world.clock.step(fortnightMs);
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ seenState: 'In Review', turns: 1 });
    expect(forgottenIn(world)).toEqual([]);
  });

  test('leaves nothing that a person who takes the issue up again would miss', async () => {
    const world = await longFinished();
    await world.tick();
    world.person.move('A', 'Todo');
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    const history = await world.ledger.history(boardId, 'A' as IssueId);
    expect(history.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(history.at(-1)?.turnId).toBe((await world.leaseOf('A'))?.turnId);
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });
});

describe('a deletion', () => {
  test('whose answer is lost was made', async () => {
    const world = await longFinished();
    world.ledger.faults.afterWrite = ({ operation }) => {
      if (operation === 'forget') throw new Error('no answer');
    };
    expect(await world.tick()).toMatchObject({ summary: { complete: true } });
    expect(await world.leaseOf('A')).toBeUndefined();
  });

  test('that fails is made by a later tick', async () => {
    const world = await longFinished();
    deletions(world, () => {
      throw new Error('no answer');
    });
    await world.tick();
    expect(await world.leaseOf('A')).toBeDefined();
    world.ledger.faults.beforeWrite = undefined;
    await world.tick();
    expect(await world.leaseOf('A')).toBeUndefined();
  });

  test('that lands late takes away nothing that came after it', async () => {
    const world = await longFinished();
    const late: (() => unknown)[] = [];
    world.ledger.faults.beforeWrite = ({ operation, land }) => {
      if (operation !== 'forget') return;
      late.push(land);
      throw new Error('no answer');
    };
    await world.tick();
    world.ledger.faults.beforeWrite = undefined;
    world.person.move('A', 'Todo');
    await world.run('A');
    expect(late.map((land) => land())).toEqual(['refused']);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running', attempt: 2 });
    expect(world.violations()).toEqual([]);
  });

  test('is made by no one who only asks for the plan', async () => {
    const world = await longFinished();
    const { boards } = await planOnly(world.ports);
    expect(boards[0]?.decisions).toMatchObject([{ action: 'forget' }]);
    expect(await world.leaseOf('A')).toBeDefined();
  });
});

describe('it is looked for finished issues', () => {
  const looksIn = async (world: World) => {
    const before = world.tracker.faults.calls().length;
    await world.tick();
    const calls = world.tracker.faults.calls().slice(before);
    return calls.filter(({ call }) => call === 'readMany').length;
  };

  test('in one tick of many, by one request', async () => {
    const world = await handedOff({}, 60);
    const counts: number[] = [];
    // The turn was started by the first tick.
    for (let epoch = 2; epoch <= 121; epoch += 1) counts.push(await looksIn(world));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect([counts[58], counts[118]]).toEqual([1, 1]);
  });

  test('not while little is left of the quota', async () => {
    const world = await longFinished({ isPriced: true });
    const board = (await world.ports.boards())[0]!;
    const { tracker } = board;
    world.changeBoard({
      tracker: { ...tracker, quota: () => ({ ...tracker.quota()!, remaining: 499 }) },
    });
    await world.tick();
    expect(await world.leaseOf('A')).toBeDefined();
    world.changeBoard({ tracker });
    await world.tick();
    expect(await world.leaseOf('A')).toBeUndefined();
  });
});

test('a parked issue that is finished is not forgotten before a person has moved it', async () => {
  const world = await buildWorld({
    issues: [{ id: 'A', state: 'Todo' }],
    workflow: buildWorkflow({ agent: { max_failures: 1 } }),
    timing: { dormantLookTicks: 1 },
  });
  await world.run('A');
  await world.result('A', failed('agent'));
  await world.exit('A');
  await world.stoppedEvent('A');
  world.person.move('A', 'Done', 'automation');
  for (let look = 0; look < 3; look += 1) {
    world.clock.step(fortnightMs);
    await world.tick();
  }
  expect(await world.leaseOf('A')).toMatchObject({ parked: { reason: 'failures' } });
});

import { describe, expect, test } from 'vitest';
import { receiveHint } from '../../lib/controller/receive-hint.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { StateName } from '../../lib/core/issue.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, completed, decisionsOf, failed } from '../support/world.ts';

const issues = [{ id: 'A', state: 'Todo' }];

describe('hints', () => {
  test('ask for one early tick, however many they are', async () => {
    const world = await buildWorld({ issues });
    await world.tick();
    for (let hint = 0; hint < 50; hint += 1) await receiveHint(world.ports, 'webhook');

    expect(await world.tick('hint')).toMatchObject({ kind: 'done' });
    expect(await world.tick('hint')).toEqual({ kind: 'not-admitted' });
  });

  test('that came to nothing say why', async () => {
    const world = await buildWorld({ issues });
    const denied = (what: string) => () => Promise.reject(new Error(`not authorized to perform: ${what}`));
    const ports = { ...world.ports, trigger: { requestTick: denied('events:PutEvents') } };
    await receiveHint(ports, 'webhook');
    expect(world.facts.slice(-2)).toMatchObject([
      { fact: 'hint', counted: true },
      { fact: 'refused', reason: 'tick-not-asked', problem: 'not authorized to perform: events:PutEvents' },
    ]);
    await receiveHint({ ...ports, ledger: { changeTick: denied('dynamodb:UpdateItem') } }, 'webhook');
    expect(world.facts.at(-1)).toMatchObject({
      fact: 'hint',
      counted: false,
      problem: 'not authorized to perform: dynamodb:UpdateItem',
    });
  });

  test('that come while a tick runs make it look once more', async () => {
    const world = await buildWorld({ issues: [] });
    let reads = 0;
    world.tracker.faults.after(
      'list',
      async () => {
        reads += 1;
        if (reads === 1) {
          world.person.add({ id: 'B' });
          await receiveHint(world.ports, 'webhook');
        }
      },
      10,
    );
    expect(decisionsOf(await world.tick())).toEqual({ B: 'start/start' });
    expect(await world.tick('hint')).toEqual({ kind: 'not-admitted' });
  });

  test('that come in the last round get a tick of their own', async () => {
    const world = await buildWorld({ issues: [] });
    world.tracker.faults.after('list', () => receiveHint(world.ports, 'webhook'), 10);
    const asked = world.hints();
    await world.tick();
    expect(world.hints()).toBeGreaterThan(asked + 2);
    world.tracker.faults.clear();
    expect(await world.tick('hint')).toMatchObject({ kind: 'done' });
  });

  test('on a lost ledger are dropped: the schedule serves them', async () => {
    const world = await buildWorld({ issues, closed: true });
    await receiveHint(world.ports, 'webhook');
    expect(world.hints()).toBe(0);
    expect(await world.tick('hint')).toEqual({ kind: 'not-admitted' });
  });

  test('carry no authority: a paused board stays paused', async () => {
    const world = await buildWorld({ issues });
    await world.ledger.changeBoard('board' as never, {
      operation: 'pause',
      when: [[{ field: 'v', is: 'absent' }]],
      set: { paused: { since: 1 } },
      remove: [],
      add: {},
      append: {},
    });
    await receiveHint(world.ports, 'webhook');
    expect(decisionsOf(await world.tick('hint'))).toEqual({ A: 'wait/paused' });
  });
});

describe('a second tick', () => {
  test('that starts between the claim and its confirmation disarms the first', async () => {
    const world = await buildWorld({
      issues: [...issues, { id: 'B' }],
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 1 } }),
    });
    let inner: Promise<unknown> | undefined;
    world.ledger.faults.afterWrite = async ({ operation }) => {
      if (operation !== 'claim' || inner !== undefined) return;
      inner = reconcile(world.ports, 'scheduled');
      await inner;
    };

    const first = await world.tick();

    expect(first.kind).toBe('done');
    expect(world.runner.tasks().length).toBeLessThanOrEqual(1);
    world.ledger.faults.afterWrite = undefined;
    await world.tick();
    expect(world.runner.tasks()).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('that runs beside the event of an ended turn settles it once', async () => {
    const world = await buildWorld({ issues });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');

    await Promise.all([world.stoppedEvent('A'), world.tick(), world.stoppedEvent('A')]);
    world.clock.step(60_000);
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(await world.ledger.history('board' as never, undefined)).toHaveLength(1);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 1 });
    expect(world.violations()).toEqual([]);
  });
});

describe('whoever joins a settlement while its move of the card is under way', () => {
  test.each(['before', 'after'] as const)(
    'leaves what follows to the move: it is no person’s (%s the card stands there)',
    async (moment) => {
      const world = await buildWorld({
        issues,
        workflow: buildWorkflow({ agent: { max_failures: 1 } }),
      });
      await world.run('A');
      await world.result('A', failed('agent'));
      await world.exit('A');
      world.tracker.faults[moment]('transition', async () => void (await world.stoppedEvent('A')));

      await world.stoppedEvent('A');
      world.clock.step(61_000);
      await world.tick();

      expect(await world.ledger.history('board' as never, undefined)).toMatchObject([{ outcome: 'parked' }]);
      expect(world.tracker.seen.stateOf('A')).toBe('In Review');
      expect(world.tracker.seen.comments('A')).toHaveLength(1);
      expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', parked: { reason: 'failures' } });
      expect(world.violations()).toEqual([]);
    },
  );
});

describe('an event', () => {
  test('of an earlier turn changes nothing', async () => {
    const world = await buildWorld({ issues });
    await world.run('A');
    const before = (await world.leaseOf('A'))!.turnId!;
    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    world.person.move('A', 'Todo');
    await world.run('A');

    expect(await world.stoppedEvent('A', before)).toBe('nothing');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running' });
  });

  test('is no evidence: a task that still runs is not settled', async () => {
    const world = await buildWorld({ issues });
    await world.run('A');
    expect(await world.stoppedEvent('A')).toBe('left');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running' });
  });

  test('of a task that ended before the gate gives the launch up as trouble of the platform', async () => {
    const world = await buildWorld({ issues });
    await world.tick();
    await world.exit('A', { exitCode: 1 });
    expect(await world.stoppedEvent('A')).toBe('settled');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 0 });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/breaker-open' });
  });
});

describe('the time of a tick', () => {
  test('goes to repairs by half at most, so that slow repairs never starve starts', async () => {
    const many = Array.from({ length: 8 }, (_, at) => ({ id: `R${at}`, state: 'Todo' }));
    const world = await buildWorld({
      issues: many,
      timing: { tickBudgetMs: 40_000 },
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 9 } }),
    });
    for (const { id } of many) if (id === 'R0') await world.run(id);
    for (const { id } of many.slice(1)) await world.start(id);
    for (const { id } of many) {
      await world.result(id, completed);
      await world.exit(id);
    }
    world.person.add({ id: 'NEW' });
    world.tracker.faults.before('read', () => world.clock.step(2_500), 1_000);

    const decisions = decisionsOf(await world.tick());

    expect(decisions.NEW).toBe('start/start');
    expect(world.runner.tasks().some(({ request }) => (request.issueId as string) === 'NEW')).toBe(true);
    const settled = many.filter(({ id }) => world.tracker.seen.stateOf(id) === 'In Review').length;
    expect(settled).toBeGreaterThan(0);
    expect(settled).toBeLessThan(many.length);
  });

  test('that is over leaves starts for the next one, and says so', async () => {
    const world = await buildWorld({ issues: [...issues, { id: 'B' }], timing: { tickBudgetMs: 10_000 } });
    world.tracker.faults.before('transition', () => world.clock.step(20_000), 1);

    const report = await world.tick();

    expect(decisionsOf(report)).toMatchObject({ B: 'wait/time' });
  });
});

describe('a write that nobody saw through', () => {
  test('is taken over after its hold-down, looked up and cleared', async () => {
    const world = await buildWorld({ issues, lateWriteMs: 240_000 });
    world.tracker.faults.loseAnswer('transition');
    await world.tick();
    expect((await world.leaseOf('A'))?.pending).toMatchObject({ to: 'In Progress' });

    await world.tick();
    world.clock.step(239_000);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'keep/write-open' });
    world.clock.step(1_000);
    await world.tick();

    expect((await world.leaseOf('A'))?.pending).toBeUndefined();
    expect((await world.leaseOf('A'))?.writtenState).toBe('In Progress' as StateName);
    await world.tick();
    expect(world.runner.tasks()).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('and lands late does not overwrite what a person did meanwhile, where the tracker compares', async () => {
    const world = await buildWorld({ issues });
    world.tracker.faults.delay('transition');
    await world.tick();
    world.person.move('A', 'Done');
    world.tracker.faults.landLateWrites();
    for (let tick = 0; tick < 4; tick += 1) {
      await world.tick();
      world.clock.step(61_000);
    }
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.runner.tasks()).toEqual([]);
  });
});

test('a runaway rule stops at the write limit of a tick, and the alarm says so', async () => {
  const many = Array.from({ length: 4 }, (_, at) => ({ id: `R${at}` }));
  const world = await buildWorld({ issues: many, settings: { transitionsPerTick: 3 } });
  await world.tick();
  expect(world.tracker.seen.writes()).toHaveLength(3);
  expect(
    world.facts.filter(({ fact, reason }) => fact === 'alarm' && reason === 'write-limit').length,
  ).toBeGreaterThan(0);
  await world.tick();
  expect(world.tracker.seen.writes()).toHaveLength(4);
});

test('a failing board does not stop the others, and the tick says so', async () => {
  const world = await buildWorld({ issues });
  const healthy = (await world.ports.boards())[0]!;
  const ports = {
    ...world.ports,
    boards: async () => [{ ...healthy, id: 'ill' as never, tracker: undefined as never }, healthy],
  };
  const report = await reconcile(ports, 'scheduled');
  expect(report).toMatchObject({
    kind: 'done',
    summary: { complete: false, problems: [expect.stringContaining('board ill')] },
  });
  expect(decisionsOf(report)).toEqual({ A: 'start/start' });
});

test('a lease of a board that is not served holds its slot and keeps nobody from being idle', async () => {
  const world = await buildWorld({ issues, settings: { maxConcurrentAgents: 1 } });
  await world.run('A');
  const ports = { ...world.ports, boards: async () => [] };
  const report = await reconcile(ports, 'scheduled');
  expect(report).toMatchObject({ kind: 'done', summary: { liveLeases: 0, openWrites: 0 } });
  world.person.add({ id: 'B' });
  expect(decisionsOf(await world.tick())).toMatchObject({ B: 'wait/cap-deployment' });
});

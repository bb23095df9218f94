import { describe, expect, test } from 'vitest';
import type { BoardId } from '../../lib/core/issue.ts';
import { turnExitCodes } from '../../lib/core/turn-protocol.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { boardId, buildWorld, completed, decisionsOf, failed, type World } from '../support/world.ts';

const todo = { id: 'A', state: 'Todo' };

async function historyOf(world: World) {
  return (await world.ledger.history(boardId as BoardId, undefined)).map(
    ({ attempt, outcome, failureClass, reason }) => ({ attempt, outcome, failureClass, reason }),
  );
}

async function breakersOf(world: World) {
  return (await world.ledger.board(boardId))?.breakers ?? {};
}

/** The invocation dies right before this write, and so does whatever it would have done after it. */
function dieBefore(world: World, operation: string): void {
  let isDead = false;
  const dies = () => {
    if (isDead) throw new Error('this invocation is dead');
  };
  world.ledger.faults.beforeRead = dies;
  world.ledger.faults.beforeWrite = (write) => {
    isDead ||= write.operation === operation;
    dies();
  };
}

function revive(world: World): void {
  world.ledger.faults.beforeRead = undefined;
  world.ledger.faults.beforeWrite = undefined;
  world.clock.step(61_000);
}

describe('a settlement whose author died after its commit', () => {
  test('is carried through as it was decided, also when a person has moved the card since', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    dieBefore(world, 'settle');
    await world.stoppedEvent('A').catch(() => undefined);
    world.person.move('A', 'Backlog');
    revive(world);

    expect(decisionsOf(await world.tick())).toMatchObject({ A: expect.stringMatching(/^(settle|reset)\//) });

    expect(await historyOf(world)).toMatchObject([{ attempt: 1, outcome: 'handed-off' }]);
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.tracker.seen.comments('A')[0]).toContain('handed over to a person');
    expect(world.tracker.seen.stateOf('A')).toBe('Backlog');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.violations()).toEqual([]);
  });

  test('moves no card that it had let go', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.person.move('A', 'Backlog');
    dieBefore(world, 'settle');
    await world.stoppedEvent('A').catch(() => undefined);
    world.person.move('A', 'In Progress');
    revive(world);
    const before = world.tracker.seen.writes().length;

    await world.tick();

    expect(world.tracker.seen.writes()).toHaveLength(before);
    expect((await historyOf(world))[0]).toMatchObject({ attempt: 1, outcome: 'released' });
    expect(world.violations()).toEqual([]);
  });
});

describe('a settlement whose comment is written by a later tick', () => {
  const endTurn = async (world: World, id: string, result: Parameters<World['result']>[1]) => {
    await world.result(id, result);
    await world.exit(id);
    world.tracker.faults.before('comment', () => {
      throw new Error('nothing is asked until later');
    });
    await world.stoppedEvent(id);
  };
  const alarms = (world: World) =>
    world.facts.flatMap(({ fact, reason }) => (fact === 'alarm' ? [reason] : []));

  test.each(['authentication', 'billing'] as const)(
    'slows launches down and alarms at once (%s), and goes on doing so',
    async (failureClass) => {
      const world = await buildWorld({ issues: [todo, { id: 'B', state: 'Todo' }] });
      await world.run('A');
      await endTurn(world, 'A', failed(failureClass));
      expect(Object.keys(await breakersOf(world))).toEqual(['agent:command']);
      expect(alarms(world)).toEqual(['breaker-open', failureClass]);

      await world.tick();
      expect(await world.leaseOf('A')).toMatchObject({ phase: 'ending' });
      expect(Object.keys(await breakersOf(world))).toEqual(['agent:command']);
      world.clock.step(61_000);
      await world.tick();
      expect(world.facts).toContainEqual(expect.objectContaining({ fact: 'settled', issue: 'A' }));
      expect(Object.keys(await breakersOf(world))).toEqual(['agent:command']);
      expect(alarms(world)).toEqual(['breaker-open', failureClass]);
      expect(world.tracker.seen.comments('A')).toHaveLength(1);
    },
  );

  test('ends no trouble that began after its turn', async () => {
    const world = await buildWorld({ issues: [todo, { id: 'B', state: 'Todo' }] });
    await world.run('A');
    await world.start('B');
    await endTurn(world, 'A', completed);
    await world.result('B', failed('authentication'));
    await world.exit('B');
    await world.stoppedEvent('B');
    expect(Object.keys(await breakersOf(world))).toEqual(['agent:command']);

    world.clock.step(61_000);
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(Object.keys(await breakersOf(world))).toEqual(['agent:command']);
  });
});

describe('a launch that is given up', () => {
  test('because the card was moved before the turn began slows no other launch down', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    world.person.move('A', 'Done');
    expect(await world.start('A')).toMatchObject({ answer: 'stop', reason: 'terminal' });
    await world.exit('A', { exitCode: turnExitCodes.refused });
    await world.stoppedEvent('A');

    expect(await breakersOf(world)).toEqual({});
    expect(await historyOf(world)).toEqual([
      { attempt: 1, outcome: 'released', failureClass: 'cancelled', reason: 'terminal' },
    ]);
    expect(world.tracker.seen.comments('A')).toEqual([]);
    expect(world.violations()).toEqual([]);
  });

  test('is judged the same by a tick that finds its task ended', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    world.person.move('A', 'Done');
    await world.start('A');
    await world.exit('A', { exitCode: turnExitCodes.refused });

    await world.tick();

    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(await breakersOf(world)).toEqual({});
  });

  test('because the gate turned it away slows nothing down, though its card is back by then', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    world.person.move('A', 'Backlog');
    expect(await world.start('A')).toMatchObject({ answer: 'stop', reason: 'not-active' });
    world.person.move('A', 'Todo');
    await world.exit('A', { exitCode: turnExitCodes.refused });
    await world.stoppedEvent('A');

    expect(await breakersOf(world)).toEqual({});
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });

  test('because its task ended by itself slows the next ones down', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    await world.exit('A', { exitCode: 1 });
    await world.tick();
    expect(await breakersOf(world)).toMatchObject({ launch: { tries: 1 } });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/breaker-open' });
  });

  test('because its task was asked to end before it began slows nothing down', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    await world.exit('A', { signal: 'SIGTERM' });
    await world.stoppedEvent('A');
    expect(await breakersOf(world)).toEqual({});
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });

  test('leaves no history when its turn passes the gate in the last moment, and the turn gets its own', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.tick();
    world.person.move('A', 'Backlog');
    world.ledger.faults.beforeWrite = async ({ operation, item }) => {
      if (operation !== 'give-up-launch' && item !== 'history') return;
      world.ledger.faults.beforeWrite = undefined;
      world.person.move('A', 'In Progress');
      expect(await world.start('A')).toMatchObject({ answer: 'go' });
    };
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running' });
    expect(await historyOf(world)).toEqual([]);

    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    expect(await historyOf(world)).toMatchObject([{ attempt: 1, outcome: 'handed-off' }]);
    expect(world.violations()).toEqual([]);
  });
});

describe('an ended turn whose issue cannot be read', () => {
  const onlyOne = buildWorkflow({ agent: { max_concurrent_agents: 1 } });
  async function unread(spoil: (world: World) => void): Promise<World> {
    const world = await buildWorld({ issues: [todo], workflow: onlyOne });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.person.add({ id: 'B' });
    spoil(world);
    world.clock.step(2_000);
    await world.tick();
    world.clock.step(597_000);
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'ending' });
    return world;
  }

  test.each([false, true])(
    'is parked without a write, and its slot is free, once the board has called it broken for ten minutes (several states: %s)',
    async (conflicting) => {
      const world = await unread(({ person }) => person.break('A', 'it has no title', conflicting));
      world.clock.step(2_000);
      await world.tick();

      expect(await historyOf(world)).toMatchObject([{ outcome: 'parked' }]);
      const lease = await world.leaseOf('A');
      expect(lease).toMatchObject({ phase: 'idle', turns: 1, parked: { reason: 'policy' } });
      expect(lease?.parked?.detail).toContain('it has no title');
      expect(decisionsOf(await world.tick())).toMatchObject({ B: 'repeat/claimed' });

      world.person.mend('A');
      expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
      expect(decisionsOf(await world.tick())).toMatchObject({ A: 'wait/parked' });
      world.person.move('A', 'Todo');
      expect(decisionsOf(await world.tick())).toMatchObject({ A: 'wait/cap-board' });
      expect(world.violations()).toEqual([]);
    },
  );

  test('is handed off after all where the issue is mended in time', async () => {
    const world = await unread(({ person }) => person.break('A'));
    world.person.mend('A');
    world.clock.step(1_000);
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await historyOf(world)).toMatchObject([{ outcome: 'handed-off' }]);
  });

  test('waits as long as it takes for a board that does not answer', async () => {
    const world = await unread(({ tracker }) => {
      for (const call of ['list', 'read', 'readMany'] as const) tracker.faults.fail(call, 99);
    });
    world.clock.step(24 * 3_600_000);
    await world.tick();
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'ending' });
    world.tracker.faults.clear();
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
  });
});

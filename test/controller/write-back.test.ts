import { describe, expect, test } from 'vitest';
import { buildWorld, completed } from '../support/world.ts';

const issues = [{ id: 'A', state: 'Todo' }];

describe('a move that was made', () => {
  test('is not made again when a person takes the card back before it is looked up', async () => {
    const world = await buildWorld({ issues, compareAndSet: false });
    world.tracker.faults.after('transition', () => world.person.move('A', 'Todo'));
    await world.run('A');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running', writtenState: 'In Progress' });

    for (let tick = 0; tick < 3; tick += 1) await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('Todo');
    expect(world.tracker.seen.writes()).toHaveLength(1);
  });

  test('launches nothing when the card is closed before it is looked up', async () => {
    const world = await buildWorld({ issues, compareAndSet: false });
    world.tracker.faults.after('transition', () => world.person.close('A'));

    await world.tick();

    expect(world.runner.tasks()).toEqual([]);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
  });

  test('that was the hand-off is not made again when the card is taken back for more work', async () => {
    const world = await buildWorld({ issues, compareAndSet: false, lateWriteMs: 0 });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    let isDead = false;
    world.tracker.faults.after('transition', () => world.person.move('A', 'In Progress'));
    world.ledger.faults.beforeWrite = ({ operation }) => {
      isDead ||= operation === 'put' && world.tracker.seen.writes().length === 2;
      if (isDead) throw new Error('this invocation is dead');
    };
    await world.stoppedEvent('A').catch(() => undefined);
    world.ledger.faults.beforeWrite = undefined;
    world.clock.step(61_000);

    await world.tick();

    expect(world.tracker.seen.writes().filter(({ to }) => to === 'In Review')).toHaveLength(1);
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
  });
});

test('a tick that looked at the lease before the move does not make it again over a person', async () => {
  const world = await buildWorld({ issues, compareAndSet: false });
  world.ledger.faults.afterWrite = ({ operation }) => {
    if (operation === 'mark') world.tracker.faults.fail('read');
  };
  await world.tick();
  expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching' });
  // Between this tick's look at the leases and its move another one moves the issue, and a person takes it back.
  world.tracker.faults.after('list', async () => {
    await world.tick();
    world.person.move('A', 'Todo');
  });

  await world.tick();

  expect(world.tracker.seen.writes()).toHaveLength(1);
  expect(world.tracker.seen.stateOf('A')).toBe('Todo');
});

describe('a close that our write slipped over', () => {
  test('is put back also when the record of moves lags behind at first', async () => {
    const world = await buildWorld({ issues, compareAndSet: false });
    world.tracker.faults.before('transition', () => world.person.close('A'));
    const { moves } = world.tracker;
    let looks = 0;
    const board = (await world.ports.boards())[0]!;
    world.changeBoard({
      tracker: {
        ...board.tracker,
        moves: async (id) => {
          looks += 1;
          const all = await moves(id);
          return looks < 3 ? all?.slice(0, -1) : all;
        },
      },
    });

    for (let tick = 0; tick < 6; tick += 1) {
      await world.tick();
      world.clock.step(61_000);
    }

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(world.facts.map(({ fact }) => fact)).toContain('repaired');
    expect((await world.leaseOf('A'))?.pending).toBeUndefined();
  });

  test.each([
    ['does not show the issue', async () => ({ kind: 'gone' as const })],
    ['shows it as it was before the write', undefined],
  ])('is put back also when the first look after it %s', async (_, answer) => {
    const world = await buildWorld({ issues, compareAndSet: false });
    world.tracker.faults.before('transition', () => world.person.close('A'));
    const board = (await world.ports.boards())[0]!;
    const { read } = world.tracker;
    let before: Awaited<ReturnType<typeof read>> | undefined;
    let isMisled = false;
    world.changeBoard({
      tracker: {
        ...board.tracker,
        read: async (id) => {
          if (before === undefined || isMisled || world.tracker.seen.writes().length === 0) {
            before = await read(id);
            return before;
          }
          isMisled = true;
          return answer === undefined ? before : answer();
        },
      },
    });

    for (let tick = 0; tick < 6; tick += 1) {
      await world.tick();
      world.clock.step(61_000);
    }

    expect(isMisled).toBe(true);
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(world.facts.map(({ fact }) => fact)).toContain('repaired');
    expect((await world.leaseOf('A'))?.pending).toBeUndefined();
  });
});

test('a move that was made is not made again when its look-up fails and a person takes the card back', async () => {
  const world = await buildWorld({ issues, compareAndSet: false });
  world.tracker.faults.after('transition', () => {
    world.tracker.faults.fail('read');
    world.person.move('A', 'Todo');
  });
  for (let tick = 0; tick < 8; tick += 1) {
    await world.tick();
    world.clock.step(61_000);
  }

  expect((await world.leaseOf('A'))?.pending).toBeUndefined();
  expect(world.tracker.seen.stateOf('A')).toBe('Todo');
  expect(world.tracker.seen.writes()).toHaveLength(1);
});

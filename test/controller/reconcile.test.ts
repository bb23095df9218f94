import { describe, expect, test } from 'vitest';
import type { BoardId } from '../../lib/core/issue.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { boardId, buildWorld, completed, decisionsOf, failed, nothingDone } from '../support/world.ts';

const todo = { id: 'A', state: 'Todo' };

test('what a turn spent, and what repairs took, is told where an operator reads it', async () => {
  const world = await buildWorld({ issues: [todo] });
  await world.tick();
  await world.start('A');
  await world.result('A', { ...completed, usage: { usd: 0.42, tokens: 1_234 } });
  await world.exit('A');
  await world.stoppedEvent('A');
  await world.tick();
  const factsOf = (kind: string) => world.facts.filter(({ fact }) => fact === kind);
  expect(factsOf('settled')).toMatchObject([{ usd: 0.42, tokens: 1_234 }]);
  expect(factsOf('tick-ended')).toMatchObject([
    { repairMs: expect.any(Number) },
    { repairMs: expect.any(Number) },
  ]);
});

describe('the way of an issue', () => {
  test('leads from an active column through a turn to the hand-off with one comment', async () => {
    const world = await buildWorld({ issues: [todo] });

    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
    expect((await world.leaseOf('A'))?.phase).toBe('launching');
    expect(await world.start('A')).toMatchObject({
      answer: 'go',
      instructions: { prompt: 'Work on A.\n', attempt: 1 },
    });
    expect(await world.heartbeat('A', 1)).toEqual({ answer: 'go' });
    expect(await world.result('A', completed)).toEqual({ answer: 'go' });
    await world.exit('A');
    expect(await world.stoppedEvent('A')).toBe('settled');

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 1, seenState: 'In Review' });
    const [record] = await world.ledger.history(boardId as BoardId, undefined);
    expect(record).toMatchObject({
      outcome: 'handed-off',
      attempt: 1,
      state: 'In Review',
    });
    expect(record!.transitions.map(({ from, to }) => `${from}>${to}`)).toEqual([
      'none>claimed',
      'claimed>launching',
      'launching>running',
      'running>ending',
      'ending>idle',
    ]);
    expect(world.violations()).toEqual([]);
  });

  test('is the same when the event of the ended task is lost and the tick sees it', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');

    const report = await world.tick();

    expect(decisionsOf(report)).toEqual({ A: 'settle/ended' });
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('ends in nothing to do: three ticks without a change write nothing', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    const before = world.tracker.seen.writes().length;

    for (let tick = 0; tick < 3; tick += 1) expect(decisionsOf(await world.tick())).toEqual({});

    expect(world.tracker.seen.writes()).toHaveLength(before);
    expect(world.runner.tasks()).toHaveLength(1);
  });

  test('starts anew when a person moves the handed-off card back', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    world.person.move('A', 'Todo');

    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });

    expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching', attempt: 2, turns: 0 });
    expect(world.violations()).toEqual([]);
  });
});

describe('a terminal state that a person set', () => {
  test('stops the running turn and is kept', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    world.person.move('A', 'Done');

    expect(decisionsOf(await world.tick())).toEqual({ A: 'stop/terminal' });
    expect(await world.heartbeat('A')).toMatchObject({ answer: 'stop', reason: 'terminal', keepWork: true });
    expect(await world.result('A', completed)).toMatchObject({ answer: 'stop' });
    world.runner.finishStops();
    expect(decisionsOf(await world.tick())).toEqual({ A: 'release/ended' });

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(world.tracker.seen.comments('A')).toEqual([]);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.violations()).toEqual([]);
  });

  test('wins when it is set while the turn is being settled, between the read and the write', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.tracker.faults.before('transition', () => world.person.move('A', 'Done'));

    expect(await world.stoppedEvent('A')).toBe('settled');

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    const [record] = await world.ledger.history(boardId, undefined);
    expect(record).toMatchObject({ outcome: 'released', failureClass: 'cancelled', reason: 'terminal' });
  });

  test('is written back where the tracker cannot compare and our write slipped over it', async () => {
    const world = await buildWorld({ issues: [todo], compareAndSet: false });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.tracker.faults.before('transition', () => world.person.move('A', 'Done'));

    await world.stoppedEvent('A');

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(world.facts.map(({ fact }) => fact)).toContain('repaired');
  });

  test('wins when it is set between the list and the launch', async () => {
    const world = await buildWorld({ issues: [todo] });
    world.tracker.faults.after('list', () => world.person.move('A', 'Done'));

    await world.tick();

    expect(world.runner.tasks()).toEqual([]);
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
  });

  test('wins when it is set between the claim and the in-progress write', async () => {
    const world = await buildWorld({ issues: [todo], compareAndSet: false });
    world.ledger.faults.afterWrite = ({ operation }) => {
      if (operation === 'mark') world.person.move('A', 'Done');
    };

    await world.tick();

    expect(world.runner.tasks()).toEqual([]);
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect(world.violations()).toEqual([]);
  });
});

describe('a state that a person set during the turn', () => {
  test.each(['Backlog', 'Todo'])('is not replaced by the hand-off: %s', async (state) => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.person.move('A', state);

    await world.stoppedEvent('A');

    expect(world.tracker.seen.stateOf('A')).toBe(state);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 0 });
  });
});

describe('an error', () => {
  test('of the list starts nothing and stops nothing', async () => {
    const world = await buildWorld({
      issues: [todo, { id: 'B' }],
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 1 } }),
    });
    await world.run('A');
    world.tracker.faults.fail('list');

    const report = await world.tick();

    expect(decisionsOf(report)).toMatchObject({ A: 'keep/running' });
    expect(world.runner.tasks().map(({ phase }) => phase)).toEqual(['running']);
  });

  test('of the read at the end of a turn writes nothing, and the next tick hands off', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.result('A', completed);
    await world.exit('A');
    world.tracker.faults.fail('read', 1);

    expect(await world.stoppedEvent('A')).toBe('left');
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
    world.clock.step(60_000);
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.violations()).toEqual([]);
  });

  test('of the states is an invalid contract: nothing starts, running turns are settled', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    world.person.add({ id: 'B' });
    await world.result('A', completed);
    await world.exit('A');
    world.tracker.faults.fail('states', 10);

    const report = await world.tick();

    expect(decisionsOf(report)).toMatchObject({ B: 'wait/contract-invalid' });
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.runner.tasks()).toHaveLength(1);
  });

  test('of the runner ends no lease', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    world.runner.fail('describe', true);

    expect(decisionsOf(await world.tick())).toEqual({ A: 'keep/running' });
  });

  test('with one issue does not stop the others, and the tick says so', async () => {
    const world = await buildWorld({ issues: [todo, { id: 'B' }] });
    let poisoned = 0;
    world.ledger.faults.beforeWrite = ({ item }) => {
      if (item === 'turn') poisoned += 1;
      if (item === 'turn' && poisoned === 1) throw new Error('the store hiccuped');
    };
    const report = await world.tick();

    expect(world.runner.tasks()).toHaveLength(1);
    expect(report.kind).toBe('done');
  });
});

describe('an absence', () => {
  test('is believed on the second tick only', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    world.person.delete('A');

    expect(decisionsOf(await world.tick())).toEqual({ A: 'keep/gone' });
    world.clock.step(60_000);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'stop/gone' });
    world.runner.finishStops();
    world.clock.step(60_000);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'release/ended' });
    expect((await world.leaseOf('A'))?.phase).toBe('idle');
  });

  test('of a task from the runner ends its lease only after a long time without a heartbeat', async () => {
    const world = await buildWorld({ issues: [todo] });
    await world.run('A');
    await world.exit('A');
    world.runner.forget(await world.latestArn('A'));

    const story: string[] = [];
    for (let minute = 0; minute < 17; minute += 1) {
      story.push(decisionsOf(await world.tick()).A!);
      world.clock.step(60_000);
    }

    expect(story.slice(0, 15)).toEqual([...Array(10).fill('keep/running'), ...Array(5).fill('stop/stale')]);
    expect(story[15]).toBe('wait/breaker-open');
    const [record] = await world.ledger.history(boardId, undefined);
    expect(record).toMatchObject({ failureClass: 'infrastructure' });
  });
});

describe('caps', () => {
  test('hold over what is live, not per tick', async () => {
    const issues = ['A', 'B', 'C', 'D'].map((id) => ({ id }));
    const world = await buildWorld({
      issues,
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 2 } }),
    });

    for (let tick = 0; tick < 3; tick += 1) await world.tick();

    expect(world.runner.tasks()).toHaveLength(2);
    expect(decisionsOf(await world.tick())).toMatchObject({ C: 'wait/cap-board', D: 'wait/cap-board' });
  });

  test('of a deployment hold over all its boards', async () => {
    const world = await buildWorld({
      issues: [{ id: 'A' }, { id: 'B' }],
      settings: { maxConcurrentAgents: 1 },
    });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start', B: 'wait/cap-deployment' });
  });

  test('lowered below what runs stop nobody', async () => {
    const world = await buildWorld({ issues: [{ id: 'A' }, { id: 'B' }] });
    await world.tick();
    world.changeBoard({ workflow: buildWorkflow({ agent: { max_concurrent_agents: 0 } }) });
    world.person.add({ id: 'C' });

    expect(decisionsOf(await world.tick())).toEqual({
      A: 'repeat/claimed',
      B: 'repeat/claimed',
      C: 'wait/cap-board',
    });
  });

  test('of a column count turns that have moved on from it', async () => {
    const issues = ['A', 'B', 'C'].map((id) => ({ id }));
    const world = await buildWorld({
      issues,
      workflow: buildWorkflow({ agent: { max_concurrent_agents_by_state: { Todo: 1 } } }),
    });
    await world.tick();
    await world.tick();
    expect(world.runner.tasks()).toHaveLength(1);
  });
});

describe('failures', () => {
  const fail = async (world: Awaited<ReturnType<typeof buildWorld>>, result = failed('agent')) => {
    await world.run('A');
    await world.result('A', result);
    await world.exit('A', { exitCode: 1 });
    await world.stoppedEvent('A');
  };

  test('of the agent are retried with backoff, then handed over with the reason and parked', async () => {
    const world = await buildWorld({ issues: [todo] });

    await fail(world);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/retry-not-due' });
    world.clock.step(10_000);
    await fail(world);
    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/retry-not-due' });
    world.clock.step(20_000);
    await fail(world);

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await world.leaseOf('A')).toMatchObject({ parked: { reason: 'failures' } });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/parked' });
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.tracker.seen.comments('A')[0]).toContain('it failed (agent)');
    expect(world.violations()).toEqual([]);
  });

  test('that parked an issue are forgotten when a person moves the card', async () => {
    const world = await buildWorld({
      issues: [todo],
      workflow: buildWorkflow({ agent: { max_failures: 1 } }),
    });
    await fail(world);
    world.person.move('A', 'Todo');

    const report = await world.tick();

    expect(
      report.kind === 'done' &&
        report.boards[0]!.decisions.map(({ action, reason }) => `${action}/${reason}`),
    ).toEqual(['reset/moved-by-person', 'start/start']);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching', counters: { agent: 0 } });
    expect((await world.leaseOf('A'))?.parked).toBeUndefined();
  });

  test('that parked an issue are not forgotten when an automation moves the card', async () => {
    const world = await buildWorld({
      issues: [todo],
      workflow: buildWorkflow({ agent: { max_failures: 1 } }),
    });
    await fail(world);
    world.person.move('A', 'Todo', 'automation');

    expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/parked' });
  });

  test('of the platform use up no try, park nothing and slow launches down', async () => {
    const world = await buildWorld({ issues: [todo] });
    for (let round = 0; round < 5; round += 1) {
      await fail(world, failed('infrastructure'));
      expect(decisionsOf(await world.tick())).toEqual({ A: 'wait/breaker-open' });
      world.clock.step(15 * 60_000);
    }
    expect(await world.leaseOf('A')).toMatchObject({ turns: 0, counters: { agent: 0 } });
    expect((await world.leaseOf('A'))?.parked).toBeUndefined();
  });

  test('of the policy park the issue where it is', async () => {
    const world = await buildWorld({ issues: [todo] });
    await fail(world, failed('policy', false));
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
    expect(await world.leaseOf('A')).toMatchObject({ parked: { reason: 'policy' } });
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
  });

  test('to change anything are handed over as nothing to do after the second time', async () => {
    const world = await buildWorld({ issues: [todo] });
    await fail(world, nothingDone);
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
    await fail(world, nothingDone);
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.tracker.seen.comments('A')[0]).toContain('nothing to do');
  });
});

describe('a move that the tracker refuses', () => {
  const reject = async (world: Awaited<ReturnType<typeof buildWorld>>) => {
    const served = (await world.ports.boards())[0]!;
    const transition: typeof served.tracker.transition = async (issue, to) =>
      issue.key === ('BAD' as string)
        ? { kind: 'rejected', problem: 'it needs a plain line' }
        : served.tracker.transition(issue, to);
    world.changeBoard({ tracker: { ...served.tracker, transition } });
  };

  test('concerns its issue alone: others start, and it is parked in the end where it stands, with a comment', async () => {
    const world = await buildWorld({
      issues: [{ id: 'BAD', priority: 1 }, { id: 'OK' }],
      workflow: buildWorkflow({ agent: { max_concurrent_agents: 1 } }),
    });
    await reject(world);

    for (let tick = 0; tick < 6; tick += 1) {
      await world.tick();
      world.clock.step(60_000);
    }

    expect(world.runner.tasks().map(({ request }) => request.issueId)).toEqual(['OK']);
    expect(await world.leaseOf('BAD')).toMatchObject({ phase: 'idle', parked: { reason: 'policy' } });
    expect(world.tracker.seen.stateOf('BAD')).toBe('Todo');
    expect(world.tracker.seen.comments('BAD')[0]).toContain('was rejected: it needs a plain line');
    expect(world.violations()).toEqual([]);
  });
});

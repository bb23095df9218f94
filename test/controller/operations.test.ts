import { expect, test } from 'vitest';
import { portsOperations } from '../../lib/controller/ports-operations.ts';
import type { BoardId } from '../../lib/core/issue.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, completed, failed, type WorldOptions } from '../support/world.ts';

async function buildOperations(options: WorldOptions) {
  const world = await buildWorld(options);
  return { ...world, operations: portsOperations(world.ports, () => world.tick()) };
}

const three = [
  { id: 'A', state: 'Todo', priority: 1 },
  { id: 'B', state: 'Todo' },
  { id: 'C', state: 'Backlog' },
] as const;
const oneAtATime = buildWorkflow({ agent: { max_concurrent_agents: 1 } });

test('what a plan says is what the tick then does, and making it changes nothing', async () => {
  const world = await buildOperations({ issues: three, workflow: oneAtATime });
  const before = JSON.stringify([...world.ledger.items]);
  const told = world.facts.length;
  const plan = await world.operations.plan();
  expect(plan.boards[0]?.decisions.map(({ key, action, reason }) => `${key} ${action}/${reason}`)).toEqual([
    'A start/start',
    'B wait/cap-board',
  ]);
  expect(JSON.stringify([...world.ledger.items])).toBe(before);
  expect(world.facts).toHaveLength(told);
  expect(world.tracker.seen.stateOf('A')).toBe('Todo');

  expect(await world.operations.tick()).toMatchObject({
    kind: 'done',
    epoch: 1,
    complete: true,
    boards: plan.boards,
  });
  expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
});

test('a plan over a lost ledger adopts what is alive, once for each issue, and stops what nobody wants', async () => {
  const world = await buildOperations({ issues: [...three, { id: 'D', state: 'Todo' }] });
  await world.tick();
  await world.start('A');
  world.ledger.items.clear();
  world.person.move('B', 'Done');

  const decisions = (await world.operations.plan()).boards[0]!.decisions;
  expect(decisions.map(({ key, action, reason }) => `${key} ${action}/${reason}`).sort()).toEqual([
    'A adopt/ledger-lost',
    'B adopt/ledger-lost',
    'B stop/terminal',
    'D adopt/ledger-lost',
  ]);
  expect(world.ledger.items.size).toBe(0);
});

test('status tells what runs, since when, and why the others do not', async () => {
  const world = await buildOperations({ issues: three, workflow: oneAtATime });
  await world.run('A');
  await world.heartbeat('A', 1);
  const status = await world.operations.status();
  expect(status.running).toMatchObject([
    {
      board: 'board',
      key: 'A',
      attempt: 1,
      phase: 'running',
      state: 'In Progress',
      startedAt: expect.stringContaining('Z'),
    },
  ]);
  expect(status.waiting).toEqual([
    { board: 'board', key: 'B', reason: 'cap-board', until: null, toResume: null },
  ]);
  expect(status).toMatchObject({ paused: false, pausedBoards: [], retrying: [], parked: [], inReview: 0 });
  expect(status.lastTick).toMatchObject({
    complete: true,
    decisions: { 'start/start': 1, 'wait/cap-board': 1 },
  });
});

test('a failed issue is retried or parked, and in one list only', async () => {
  const world = await buildOperations({
    issues: [three[0]],
    workflow: buildWorkflow({ agent: { max_failures: 2 } }),
  });
  const fail = async () => {
    await world.run('A');
    await world.result('A', failed('agent'));
    await world.exit('A');
    await world.tick();
  };
  await fail();
  const retrying = await world.operations.status();
  expect(retrying.retrying).toMatchObject([{ key: 'A', failures: 1, class: 'agent' }]);
  expect(retrying.waiting).toEqual([]);

  world.clock.step(600_000);
  await fail();
  const parked = await world.operations.status();
  expect(parked.parked).toMatchObject([{ key: 'A', reason: 'failures' }]);
  expect([parked.retrying, parked.waiting]).toEqual([[], []]);
  expect(parked).toMatchObject({ inReview: 1, parkedInReview: 1 });
  expect(await world.operations.explain('A')).toMatchObject({
    state: 'In Review',
    parked: { reason: 'failures' },
    decisions: [{ action: 'wait', reason: 'parked' }],
    counters: { agent: 2 },
    lastTurn: { attempt: 2, outcome: 'parked', class: 'agent' },
  });

  world.person.move('A', 'Todo');
  const moved = await world.operations.status();
  expect(moved.parked).toEqual([]);
});

test('while the board cannot be read, what was last seen in review is in review and waits for nothing', async () => {
  const world = await buildOperations({ issues: [three[0], { ...three[1], state: 'In Progress' }] });
  await world.run('A');
  await world.result('A', completed);
  await world.exit('A');
  await world.run('B');
  await world.result('B', failed('agent'));
  await world.exit('B');
  await world.tick();
  const there = await world.operations.status();
  expect(there).toMatchObject({ inReview: 1, waiting: [] });
  for (const call of ['states', 'list', 'count', 'readMany', 'read'] as const)
    world.tracker.faults.fail(call, 99);
  const away = await world.operations.status();
  expect(away).toMatchObject({ inReview: 1, parkedInReview: 0, waiting: [], retrying: there.retrying });
  expect(away.problems).toMatchObject([
    {
      rule: 'board-read',
      message: expect.stringMatching(/^the board could not be read: .*what runs goes on$/),
    },
  ]);
  const [decision] = (await world.operations.explain('A')).decisions;
  expect(decision).toMatchObject({ action: 'ignore', reason: 'read-incomplete' });
  expect(decision?.detail).toContain('last seen in "In Review"');
});

test('an issue is explained in whatever column it is', async () => {
  const world = await buildOperations({
    issues: [...three, { id: 'D', state: 'Done' }],
    workflow: oneAtATime,
  });
  const why = async (key: string) =>
    (await world.operations.explain(key)).decisions.map(({ action, reason }) => `${action}/${reason}`);
  expect(await why('A')).toEqual(['start/start']);
  expect(await why('B')).toEqual(['wait/cap-board']);
  expect(await why('C')).toEqual(['ignore/not-active']);
  expect(await why('D')).toEqual(['ignore/terminal']);
  world.person.break('C', 'it has no title');
  expect(await why('C')).toEqual(['wait/unknown']);
  expect(await world.operations.explain('Z')).toMatchObject({
    board: null,
    title: null,
    decisions: [],
    phase: 'idle',
  });
  await world.run('A');
  world.person.delete('A');
  expect(await why('A')).toEqual(['keep/gone']);
  await world.tick();
  world.clock.step(1_000);
  expect(await why('A')).toEqual(['stop/gone']);
});

test('history tells a turn from its claim to its end', async () => {
  const world = await buildOperations({ issues: three });
  await world.run('A');
  await world.result('A', completed);
  await world.exit('A');
  await world.tick();
  const history = await world.operations.history('A');
  expect(history).toMatchObject([{ key: 'A', attempt: 1, outcome: 'handed-off', class: null, usage: null }]);
  expect(history[0]?.transitions.map(({ from, to }) => `${from}>${to}`)).toEqual([
    'none>claimed',
    'claimed>launching',
    'launching>running',
    'running>ending',
    'ending>idle',
  ]);
  expect(await world.operations.history('B')).toEqual([]);
  expect(await world.operations.history(undefined)).toHaveLength(1);
});

test('a paused board starts nothing, keeps since when it is paused, and starts again when resumed', async () => {
  const world = await buildOperations({ issues: three });
  expect(await world.operations.pause(undefined)).toEqual(['board']);
  const since = (await world.ledger.board('board' as BoardId))?.paused?.since;
  world.clock.step(1_000);
  expect(await world.operations.pause('board')).toEqual(['board']);
  expect((await world.ledger.board('board' as BoardId))?.paused?.since).toBe(since);
  expect(await world.operations.status()).toMatchObject({ paused: true, pausedBoards: ['board'] });
  await world.tick();
  expect(world.tracker.seen.stateOf('A')).toBe('Todo');

  expect(await world.operations.resume('board')).toEqual(['board']);
  expect(await world.operations.resume(undefined)).toEqual(['board']);
  await world.tick();
  expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
  await expect(world.operations.pause('other')).rejects.toThrow(
    'There is no board "other": the boards are board.',
  );
});

test('a pause that meets another writer of the board is made all the same', async () => {
  const world = await buildOperations({ issues: three });
  let met = 0;
  world.ledger.faults.beforeWrite = async ({ operation }) => {
    if (operation !== 'pause' || met > 0) return;
    met += 1;
    await world.tick();
  };
  expect(await world.operations.pause(undefined)).toEqual(['board']);
  expect(met).toBe(1);
  expect(await world.operations.status()).toMatchObject({ paused: true });
});

test('an issue that only one board has is on no other one', async () => {
  const world = await buildOperations({ issues: three });
  expect(await world.operations.explain('A')).toMatchObject({ board: 'board', alsoOn: [] });
  expect(await world.operations.explain('C', 'board')).toMatchObject({ board: 'board', alsoOn: [] });
  expect(await world.operations.explain('A', 'other')).toMatchObject({ board: null });
});

test("a person's move does not take turns out of today's cost, and the next day does", async () => {
  const world = await buildOperations({ issues: [three[0]] });
  await world.run('A');
  await world.result('A', failed('agent'));
  await world.exit('A');
  await world.tick();
  const spent = { usdToday: 0, turnsWithUnknownUsage: 1 };
  expect((await world.operations.status()).spent).toEqual(spent);
  world.person.move('A', 'Backlog');
  await world.tick();
  expect((await world.operations.explain('A')).turnsWithUnknownUsage).toBe(0);
  expect((await world.operations.status()).spent).toEqual(spent);
  world.clock.step(86_400_000);
  expect((await world.operations.status()).spent).toEqual({ usdToday: 0, turnsWithUnknownUsage: 0 });
});

test('a broken workflow file is a problem of the plan and of the status, with what is wrong', async () => {
  const world = await buildOperations({ issues: three });
  const broken = { rule: 'workflow-file', path: '', message: 'WORKFLOW.md is broken: no prompt' };
  world.changeBoard({ workflowProblem: { ...broken, toResume: 'mend it' } });
  expect((await world.operations.status()).problems).toEqual([{ board: 'board', ...broken }]);
  expect((await world.operations.plan()).boards).toMatchObject([
    {
      contract: {
        valid: false,
        problems: [broken],
      },
      decisions: [
        { key: 'A', action: 'wait', reason: 'contract-invalid', toResume: 'mend it' },
        { key: 'B', action: 'wait', reason: 'contract-invalid', toResume: 'mend it' },
      ],
    },
  ]);
});

import { describe, expect, test } from 'vitest';
import { portsOperations } from '../../lib/controller/ports-operations.ts';
import { branchName } from '../../lib/core/names.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { MemoryPullRequests } from '../support/memory-pull-requests.ts';
import {
  boardId,
  buildWorld,
  completed,
  decisionsOf,
  failed,
  type World,
  type WorldOptions,
} from '../support/world.ts';

const todo = { id: 'A', state: 'Todo', title: 'Say why' };
const branch = branchName('A' as never);
const first = { kind: 'open', number: 1, url: 'https://code.example/acme/web/pull/1' };
const delivered = { ...completed, git: { ...completed.git!, branch } };
const finishesMerged = buildWorkflow({
  tracker: { merged_state: 'Done', terminal_states: ['Done', 'Cancelled'] },
});

async function worldWith(options: WorldOptions = {}) {
  const host = new MemoryPullRequests('/repository.git');
  const world = await buildWorld({
    issues: [todo],
    workflow: finishesMerged,
    ...options,
    pullRequests: host,
  });
  host.now = () => world.clock.now();
  host.push(branch);
  return { host, world };
}

async function finishTurn(world: World, result = delivered): Promise<void> {
  await world.run('A');
  await world.result('A', result);
  await world.exit('A');
  await world.stoppedEvent('A');
}

const lastTurn = async (world: World) => (await world.ledger.history(boardId, undefined)).at(-1);

describe('the pull request of a turn that ended', () => {
  test('is there before the card waits for a person, and the comment names it', async () => {
    const { host, world } = await worldWith();
    await world.run('A');
    await world.result('A', delivered);
    let opened = 0;
    world.tracker.faults.before('transition', () => {
      opened = host.of(branch).length;
    });
    await world.exit('A');
    await world.stoppedEvent('A');

    expect(opened).toBe(1);
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(host.all).toMatchObject([{ branch, base: 'main', draft: true, title: 'Say why' }]);
    expect(await lastTurn(world)).toMatchObject({ outcome: 'handed-off', pullRequest: first });
    expect(world.tracker.seen.comments('A')[0]).toContain(`| Pull request | [1](${first.url}) |`);
    expect(JSON.stringify(world.facts)).not.toContain('Say why');
  });

  test('that cannot be is no matter', async () => {
    const { host, world } = await worldWith();
    host.pushNothing(branch);
    await finishTurn(world);

    expect((await lastTurn(world))?.pullRequest).toBeUndefined();
    expect(world.tracker.seen.comments('A')[0]).not.toContain('Pull request');
  });

  test('that is refused does not hold the hand-off up, and the comment says why', async () => {
    const { host, world } = await worldWith();
    host.refuse('the token may not');
    await finishTurn(world);

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.tracker.seen.comments('A')[0]).toContain('| Pull request | none: the token may not |');
    expect(world.facts).toContainEqual(
      expect.objectContaining({ fact: 'refused', reason: 'pull-request', problem: 'the token may not' }),
    );
  });

  test.each([
    ['was not put', (host: MemoryPullRequests) => host.fail('put')],
    ['was put', (host: MemoryPullRequests) => host.loseAnswer()],
  ])('of which nobody knows that it %s is there once after the next tick', async (_, goWrong) => {
    const { host, world } = await worldWith();
    goWrong(host);
    await finishTurn(world);
    expect(world.tracker.seen.stateOf('A')).toBe('In Progress');
    expect(await lastTurn(world)).toBeUndefined();

    world.clock.step(61_000);
    expect(decisionsOf(await world.tick())).toMatchObject({ A: 'settle/ended' });

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await lastTurn(world)).toMatchObject({ outcome: 'handed-off', pullRequest: first });
    expect(host.of(branch)).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('that fails in a way nobody foresaw leaves no text of the issue in the trace', async () => {
    const { host, world } = await worldWith();
    host.put = async () => Promise.reject(new Error('quotes the title: Say why'));
    await finishTurn(world);

    expect(world.facts).toContainEqual(expect.objectContaining({ reason: 'pull-request-unknown' }));
    expect(JSON.stringify(world.facts)).not.toContain('Say why');
  });

  test('is not waited for without end', async () => {
    const { host, world } = await worldWith();
    host.failAll(true);
    await finishTurn(world);
    for (let minute = 0; minute < 12; minute += 1) {
      world.clock.step(61_000);
      await world.tick();
    }

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle' });
    expect((await lastTurn(world))?.pullRequest).toMatchObject({ kind: 'refused' });
  });

  test.each(['Backlog', 'Done', 'Todo'])(
    'is waited for no longer when a person moves the card meanwhile (to %s), which stays there',
    async (to) => {
      const { host, world } = await worldWith();
      host.failAll(true);
      await finishTurn(world);
      world.person.move('A', to);
      host.failAll(false);
      world.clock.step(61_000);
      await world.tick();

      expect(await lastTurn(world)).toMatchObject({ outcome: 'released' });
      expect(host.all).toEqual([]);
      expect(world.tracker.seen.writes().map((write) => write.to)).not.toContain('In Review');
      if (to !== 'Todo') expect(world.tracker.seen.stateOf('A')).toBe(to);
      else expect(await world.leaseOf('A')).toMatchObject({ attempt: 2 });
      expect(world.violations()).toEqual([]);
    },
  );

  test('that is waited for keeps the slot of its own turn and no other', async () => {
    const { host, world } = await worldWith({
      issues: [todo, { id: 'B', state: 'Todo' }],
      settings: { maxConcurrentAgents: 2 },
    });
    await world.run('A');
    await world.start('B');
    host.failAll(true);
    for (const id of ['A', 'B']) {
      await world.result(id, delivered);
      await world.exit(id);
      await world.stoppedEvent(id);
    }
    world.person.add({ id: 'C', state: 'Todo' });
    for (let minute = 0; minute < 9; minute += 1) {
      world.clock.step(61_000);
      expect(decisionsOf(await world.tick())).toMatchObject({ C: 'wait/cap-deployment' });
    }
    world.clock.step(61_000);
    await world.tick();
    expect(await world.leaseOf('C')).toMatchObject({ phase: 'launching' });
    expect(['A', 'B'].map((id) => world.tracker.seen.stateOf(id))).toEqual(['In Review', 'In Review']);
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('is not put when a person has closed the issue meanwhile', async () => {
    const { host, world } = await worldWith();
    await world.run('A');
    await world.result('A', delivered);
    world.person.close('A');
    await world.exit('A');
    await world.stoppedEvent('A');

    expect(host.calls).toEqual([]);
    expect(await lastTurn(world)).toMatchObject({ outcome: 'released' });
  });

  test('that a person has closed is left alone by the next turn', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.close(branch);
    world.person.move('A', 'Todo');
    await finishTurn(world);

    expect(host.of(branch)).toHaveLength(1);
    expect(world.tracker.seen.comments('A').at(-1)).toContain(
      'was closed by a person and is not opened again',
    );
  });
});

describe('an issue whose pull request was merged', () => {
  test('is finished by the next tick, from where it waited for a person', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');

    host.merge(branch);
    expect(decisionsOf(await world.tick())).toMatchObject({ A: 'finish-write/merged' });

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', turns: 0, seenState: 'Done' });
    expect((await world.leaseOf('A'))?.pending).toBeUndefined();
    expect(world.violations()).toEqual([]);
    expect(decisionsOf(await world.tick())).toEqual({});
  });

  test('is finished also where the ledger has lost the memory of it', async () => {
    const { host, world } = await worldWith({ issues: [{ ...todo, state: 'In Review' }] });
    host.open(branch, 'main');
    host.merge(branch);
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', attempt: 0, seenState: 'Done' });
    expect(world.violations()).toEqual([]);
  });

  test('is parked no more', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world, { ...delivered, status: 'question', question: 'Which?' });
    expect((await world.leaseOf('A'))?.parked).toBeDefined();

    host.merge(branch);
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect((await world.leaseOf('A'))?.parked).toBeUndefined();
    expect(world.violations()).toEqual([]);
  });

  test('waits on where its branch has gone on since', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    host.push(branch);
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
  });

  test.each<readonly [string, Partial<typeof delivered>]>([
    ['asked a question', { status: 'question', question: 'Which?' }],
    ['failed for good', failed('delivery', false)],
  ])('is not finished by that merge after a later turn, which %s', async (_, change) => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    host.deleteBranch(branch);
    await world.tick();
    for (let turn = 0; turn < 2; turn += 1) {
      world.clock.step(61_000);
      world.person.move('A', 'Todo');
      await finishTurn(world, { ...delivered, ...change });
      for (let tick = 0; tick < 3; tick += 1) await world.tick();
    }

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.violations()).toEqual([]);
  });

  test('is finished by the merge of what a later turn did', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    await world.tick();
    world.clock.step(61_000);
    world.person.move('A', 'Todo');
    host.push(branch);
    await finishTurn(world);
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');

    host.open(branch, 'main');
    host.merge(branch);
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
  });

  test('waits where a person takes it back to be looked at again', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    world.person.move('A', 'In Review');
    for (let tick = 0; tick < 3; tick += 1) await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    const { explain } = portsOperations(world.ports, () => world.tick());
    const [decision] = (await explain('A')).decisions;
    expect(decision).toMatchObject({ action: 'ignore', reason: 'not-active' });
    expect(decision!.detail).toContain(
      'its pull request was merged, but a turn began after that or a person',
    );
  });

  test('starts anew when a person moves it back', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    await world.tick();
    world.person.move('A', 'Todo');

    expect(decisionsOf(await world.tick())).toMatchObject({ A: 'start/start' });
    expect(await world.leaseOf('A')).toMatchObject({ attempt: 2 });
  });

  test('stays where a person puts it between the look and the move', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    world.tracker.faults.before('read', () => world.person.move('A', 'Backlog'));
    await world.tick();

    expect(world.tracker.seen.stateOf('A')).toBe('Backlog');
    expect(world.violations()).toEqual([]);
  });

  test('stands as a person ended it, who did so between the read and the move', async () => {
    for (const ended of ['Done', 'Cancelled']) {
      const { host, world } = await worldWith({ compareAndSet: false });
      await finishTurn(world);
      host.merge(branch);
      world.tracker.faults.before('transition', () => world.person.move('A', ended));
      await world.tick();
      for (let tick = 0; tick < 3; tick += 1) {
        world.clock.step(61_000);
        await world.tick();
      }

      expect(world.tracker.seen.stateOf('A')).toBe(ended);
      expect(world.tracker.seen.writes().map(({ to }) => to)).toEqual(
        ended === 'Done'
          ? ['In Progress', 'In Review', 'Done']
          : ['In Progress', 'In Review', 'Done', 'Cancelled'],
      );
      expect((await world.leaseOf('A'))?.pending).toBeUndefined();
    }
  });

  test('is left alone while the code host does not answer, and moved when it does', async () => {
    const { host, world } = await worldWith();
    await finishTurn(world);
    host.merge(branch);
    host.fail('merged');
    const report = await world.tick();
    expect(report).toMatchObject({ kind: 'done', summary: { complete: true } });
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    const told = { fact: 'refused', reason: 'merges-unknown', board: boardId };
    const problem = 'The code host did not answer (merged).';
    expect(world.facts).toContainEqual(expect.objectContaining({ ...told, problem }));

    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('Done');
  });

  test('whose move was lost on the way is seen through by a later tick', async () => {
    const { host, world } = await worldWith({ lateWriteMs: 0 });
    await finishTurn(world);
    host.merge(branch);
    world.tracker.faults.after('transition', () => {
      throw new Error('the answer is lost');
    });
    await world.tick();
    expect((await world.leaseOf('A'))?.pending).toMatchObject({ to: 'Done' });
    for (let tick = 0; tick < 3; tick += 1) {
      world.clock.step(61_000);
      await world.tick();
    }

    expect(world.tracker.seen.stateOf('A')).toBe('Done');
    expect(world.tracker.seen.writes().filter(({ to }) => to === 'Done')).toHaveLength(1);
    expect((await world.leaseOf('A'))?.pending).toBeUndefined();
    expect(world.violations()).toEqual([]);
  });

  test('is looked for only where the workflow names a merged state and something waits', async () => {
    const without = await worldWith({ workflow: buildWorkflow() });
    await finishTurn(without.world);
    without.host.merge(branch);
    await without.world.tick();
    expect(without.host.calls.filter(({ call }) => call === 'merged')).toEqual([]);
    expect(without.world.tracker.seen.stateOf('A')).toBe('In Review');

    const empty = await worldWith({ issues: [] });
    await empty.world.tick();
    expect(empty.host.calls).toEqual([]);
  });

  test('is looked for the more seldom the more wait, and not forgotten', async () => {
    const issues = Array.from({ length: 250 }, (_, at) => ({ id: `I${at}`, state: 'In Review' }));
    const { host, world } = await worldWith({ issues, settings: { transitionsPerTick: 500 } });
    const looks = () => host.calls.filter(({ call }) => call === 'merged').length;
    for (let tick = 0; tick < 9; tick += 1) await world.tick();
    expect(looks()).toBe(3);

    const last = branchName('I249' as never);
    host.open(last, 'main');
    host.merge(last);
    for (let tick = 0; tick < 3; tick += 1) await world.tick();
    expect(world.tracker.seen.stateOf('I249')).toBe('Done');
  });

  test('is looked for at a price that the tick tells', async () => {
    const { host, world } = await worldWith({ issues: [{ ...todo, state: 'In Review' }], isPriced: true });
    const before = { requests: 7, points: 9 };
    host.quota = () => ({
      requests: before.requests + host.calls.length,
      points: before.points + 2 * host.calls.length,
      remaining: 12,
      limitedUntil: undefined,
    });
    const report = await world.tick();

    const asked = world.tracker.faults.calls().length;
    expect(report).toMatchObject({
      summary: { cost: { requests: asked + 1, points: asked + 2, remaining: 12 } },
    });
  });
});

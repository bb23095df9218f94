import { describe, expect, test } from 'vitest';
import { serveHeartbeat, serveResult, serveStart } from '../../lib/controller/serve-turn.ts';
import type { TurnId } from '../../lib/core/issue.ts';
import { putTickClosed } from '../../lib/core/tick-writes.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, completed, decisionsOf, type World, type WorldOptions } from '../support/world.ts';

const key = 'k'.repeat(40);
const issues = [{ id: 'A', state: 'Todo' }];

async function launched(options: WorldOptions = {}) {
  const world = await buildWorld({ issues, ...options });
  await world.tick();
  const { turnId } = (await world.leaseOf('A'))!;
  const arn = await world.latestArn('A');
  return {
    ...world,
    turnId: turnId!,
    arn,
    begin: (withKey = key, from: string = arn) =>
      serveStart(world.ports, turnId!, `ticket-${turnId}`, { arn: from, key: withKey }),
  };
}

describe('the start of a turn', () => {
  test('is answered go with all it needs and no more', async () => {
    const world = await launched({
      workflow: buildWorkflow(
        { verify: ['npm test'], hooks: { before_run: 'true' } },
        'Do {{ issue.title }}.',
      ),
    });
    expect(await world.begin()).toMatchObject({
      answer: 'go',
      instructions: {
        turnId: world.turnId,
        prompt: 'Do Title of A.\n',
        repository: '/repository.git',
        base: 'main',
        branch: expect.stringMatching(/^evenkeel\/issue\//),
        wipBranch: expect.stringMatching(/^evenkeel\/wip\//),
        verify: ['npm test'],
        hooks: { before_run: 'true' },
      },
    });
  });

  test('gets the same answer when the same program asks again', async () => {
    const world = await launched();
    expect(await world.begin()).toEqual(await world.begin());
  });

  test('brings what is for the agent alone beside the instructions, which are kept', async () => {
    const world = await launched();
    const given = { MODEL_KEY: 'secret' };
    const begin = (read: () => Promise<Record<string, string>>) =>
      serveStart({ ...world.ports, agentKeys: { read } }, world.turnId, `ticket-${world.turnId}`, {
        arn: world.arn,
        key,
      });
    // Before the gate: what cannot be had now is asked for again.
    expect(await begin(() => Promise.reject(new Error('the secret cannot be read')))).toBe('unavailable');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'launching' });

    const answer = await begin(async () => given);
    expect(answer).toMatchObject({ answer: 'go', agentEnvironment: given });
    expect(JSON.stringify(answer).split('secret')).toHaveLength(2);
    expect(await begin(async () => ({}))).not.toHaveProperty('agentEnvironment');
    expect(JSON.stringify(await world.leaseOf('A'))).not.toContain('secret');
  });

  test('is refused to a second container, and to another program in the same one', async () => {
    const world = await launched();
    await world.begin();
    expect(await world.begin('x'.repeat(40))).toMatchObject({ answer: 'stop' });
    expect(await world.begin(key, 'arn-other')).toMatchObject({ answer: 'stop' });
  });

  test('is refused without its ticket', async () => {
    const world = await launched();
    expect(await serveStart(world.ports, world.turnId, 'ticket-of-another', { arn: world.arn, key })).toBe(
      'unauthorised',
    );
    expect((await world.leaseOf('A'))?.phase).toBe('launching');
  });

  test('is refused when the issue was closed meanwhile', async () => {
    const world = await launched();
    world.person.move('A', 'Done');
    expect(await world.begin()).toMatchObject({ answer: 'stop', reason: 'terminal', keepWork: false });
  });

  test('is put off while the issue cannot be read or the ledger does not answer', async () => {
    const world = await launched();
    world.tracker.faults.fail('read');
    expect(await world.begin()).toBe('unavailable');
    world.ledger.faults.beforeWrite = () => {
      throw new Error('no answer');
    };
    expect(await world.begin()).toBe('unavailable');
    world.ledger.faults.beforeWrite = undefined;
    expect(await world.begin()).toMatchObject({ answer: 'go' });
  });

  test('is refused while the ledger is lost, and after it was lost in between', async () => {
    const world = await launched();
    const record = world.ledger.items.get('TICK')!;
    world.ledger.items.delete('TICK');
    expect(await world.begin()).toMatchObject({ answer: 'stop' });
    world.ledger.items.set('TICK', record);
    world.ledger.faults.afterWrite = ({ operation }) => {
      if (operation === 'gate') world.ledger.items.set('TICK', { ...record, gen: 'another' });
    };
    expect(await world.begin()).toMatchObject({ answer: 'stop', reason: 'the ledger was lost' });
  });

  test('with a template that does not render ends as a failure of the policy', async () => {
    const world = await launched({ workflow: buildWorkflow({}, 'Do {{ issue.nonsense }}.') });
    expect(await world.begin()).toMatchObject({ answer: 'stop' });
    await world.exit('A');
    await world.stoppedEvent('A');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', parked: { reason: 'policy' } });
    expect(world.tracker.seen.comments('A')[0]).toContain('issue.nonsense');
  });

  test('works on the text that was frozen at the claim', async () => {
    const world = await launched({ workflow: buildWorkflow({}, 'Do {{ issue.title }}.') });
    world.person.edit('A', { title: 'Something else' });
    expect(await world.begin()).toMatchObject({ instructions: { prompt: 'Do Title of A.\n' } });
  });

  test('of an unknown turn is refused', async () => {
    const world = await launched();
    const unknown = `9-${'z'.repeat(26)}` as TurnId;
    expect(await serveStart(world.ports, unknown, `ticket-${unknown}`, { arn: 'arn', key })).toMatchObject({
      answer: 'stop',
    });
  });
});

describe('a running turn', () => {
  test('is told to go on while it holds the lease, and its progress is noted', async () => {
    const world = await launched();
    await world.begin();
    world.clock.step(5_000);
    expect(await world.heartbeat('A', 1)).toEqual({ answer: 'go' });
    const first = (await world.leaseOf('A'))!;
    world.clock.step(5_000);
    await world.heartbeat('A', 1);
    const second = (await world.leaseOf('A'))!;
    expect(second.hb).toBe(first.hb! + 1);
    expect(second.progressAt).toBe(first.progressAt);
  });

  test('with a wrong key is told to stop', async () => {
    const world = await launched();
    await world.begin();
    const beat = { step: 'agent', progress: 0, arn: world.arn } as const;
    expect(await serveHeartbeat(world.ports, world.turnId, 'wrong', beat)).toMatchObject({ answer: 'stop' });
    expect(
      await serveResult(world.ports, world.turnId, 'wrong', { arn: world.arn, result: completed }),
    ).toMatchObject({ answer: 'stop' });
    expect((await world.leaseOf('A'))?.result).toBeUndefined();
  });

  test('whose issue was moved away is told to stop and may keep its work', async () => {
    const world = await launched();
    await world.begin();
    world.person.move('A', 'Backlog');
    await world.tick();
    expect(await world.heartbeat('A')).toEqual({ answer: 'stop', reason: 'not-active', keepWork: true });
  });

  test('that lost its lease is told to stop and keeps nothing', async () => {
    const world = await launched();
    await world.begin();
    world.person.move('A', 'Backlog');
    await world.tick();
    world.runner.finishStops();
    await world.tick();
    expect(await world.heartbeat('A')).toMatchObject({ answer: 'stop', keepWork: false });
  });

  test('goes on when its heartbeat was not stored but a look shows that the lease is its own', async () => {
    const world = await launched();
    await world.begin();
    world.ledger.faults.beforeWrite = () => {
      throw new Error('no answer');
    };
    expect(await world.heartbeat('A')).toEqual({ answer: 'go' });
  });

  test('is told nothing while the ledger cannot be read: it asks again', async () => {
    const world = await launched();
    await world.begin();
    const { turnId, arn, ports } = world;
    world.ledger.faults.beforeRead = () => {
      throw new Error('no answer');
    };
    await expect(serveHeartbeat(ports, turnId, key, { step: 'agent', progress: 0, arn })).rejects.toThrow(
      'no answer',
    );
  });
});

describe('a lost ledger', () => {
  const bootstrapped = ({ ledger }: Pick<World, 'ledger'>) => ledger.changeTick(putTickClosed('gen-2'));

  async function lost() {
    const world = await launched();
    await world.begin();
    const { turnId, arn } = world;
    world.ledger.items.clear();
    const beat = () => serveHeartbeat(world.ports, turnId, key, { step: 'agent', progress: 1, arn });
    const report = () => serveResult(world.ports, turnId, key, { arn, result: completed });
    return { ...world, beat, report };
  }

  test('lets running turns wait, starts nothing, and adopts them', async () => {
    const world = await lost();
    expect(await world.tick()).toMatchObject({ kind: 'closed', opened: false });
    expect(await world.beat()).toMatchObject({ answer: 'wait' });

    await bootstrapped(world);
    expect(await world.beat()).toMatchObject({ answer: 'wait' });
    expect(await world.tick()).toMatchObject({ kind: 'closed', opened: true });

    expect(await world.leaseOf('A')).toMatchObject({
      phase: 'running',
      turnId: world.turnId,
      liveArn: world.arn,
    });
    expect(await world.beat()).toEqual({ answer: 'go' });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'keep/running' });
    expect(world.runner.tasks()).toHaveLength(1);

    expect(await world.report()).toEqual({ answer: 'go' });
    world.runner.end(world.arn, { exitCode: 0 });
    await world.tick();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(world.runner.tasks()).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('does not open before the wait is over', async () => {
    const world = await buildWorld({ issues, closed: true, timing: { reopenAfterMs: 120_000 } });
    expect(await world.tick()).toMatchObject({ kind: 'closed', opened: false });
    world.clock.step(119_999);
    expect(await world.tick()).toMatchObject({ kind: 'closed', opened: false });
    world.clock.step(1);
    expect(await world.tick()).toMatchObject({ kind: 'closed', opened: true });
    expect(decisionsOf(await world.tick())).toEqual({ A: 'start/start' });
  });

  test('does not open while a second task of an issue is alive, and stops the older one', async () => {
    const world = await lost();
    await bootstrapped(world);
    const older = await world.runner.launch({
      ...world.runner.taskOf(world.turnId).request,
      attempt: 0,
      turnId: `1-${'o'.repeat(26)}` as TurnId,
    });
    if (older.kind !== 'launched') throw new Error('not launched');

    expect(await world.tick()).toMatchObject({ opened: false });
    world.runner.finishStops();
    expect(await world.tick()).toMatchObject({ opened: true });

    expect(world.runner.taskOf(world.turnId).phase).toBe('running');
    expect(await world.leaseOf('A')).toMatchObject({ turnId: world.turnId });
  });

  test('adopts, of several containers of one turn, the one whose program has begun', async () => {
    const world = await buildWorld({ issues });
    world.runner.holdBoots(true);
    await world.tick();
    const turnId = (await world.leaseOf('A'))!.turnId!;
    const { request } = world.runner.taskOf(turnId);
    world.runner.holdBoots(false);
    world.runner.forgetToken(turnId);
    const second = await world.runner.launch(request);
    if (second.kind !== 'launched') throw new Error('not launched');
    const start = { arn: second.arn, key };
    expect(await serveStart(world.ports, turnId, `ticket-${turnId}`, start)).toMatchObject({ answer: 'go' });

    world.ledger.items.clear();
    await bootstrapped(world);
    expect(await world.tick()).toMatchObject({ opened: false });
    world.runner.finishStops();
    expect(await world.tick()).toMatchObject({ opened: true });

    expect(await world.leaseOf('A')).toMatchObject({ phase: 'running', turnId, liveArn: second.arn });
    expect(world.runner.tasks().map(({ phase }) => phase)).toEqual(['stopped', 'running']);
    expect(world.violations()).toEqual([]);
  });

  test('does not open while the runner cannot be asked', async () => {
    const world = await buildWorld({ issues, closed: true });
    world.runner.fail('list', true);
    await expect(world.tick()).rejects.toThrow();
    world.runner.fail('list', false);
    expect(await world.tick()).toMatchObject({ opened: true });
  });
});

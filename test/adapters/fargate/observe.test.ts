import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Arn, TurnId } from '../../../lib/core/issue.ts';
import { launch, launchRequest, stateOf, turnOne, turnTwo } from '../../contracts/describe-runner.ts';
import { testCluster } from '../../support/ecs/ecs-server.ts';
import type { Ending } from '../../support/ecs/ecs-world.ts';
import { type FargateWorld, fargateWorld } from '../../support/ecs/fargate-world.ts';

let now = 1_800_000_000_000;
let world: FargateWorld;
beforeEach(async () => {
  world = await fargateWorld({ now: () => now, pageSize: 2 });
});
afterEach(() => world.dispose());

const turn = (n: number) => `${n}-${'abcdefghij'[n % 10]!.repeat(26)}` as TurnId;
async function ended(ending: Ending) {
  const arn = await launch(world.runner, launchRequest());
  await world.running(turnOne);
  world.server.world.end(world.server.world.tasksOf(turnOne)[0]!, ending);
  const state = await stateOf(world.runner, arn);
  return state?.kind === 'stopped' ? state.evidence : undefined;
}

describe('what is known of a task on Fargate', () => {
  it('a task right after its launch may be unknown by name, which is missing and no end', async () => {
    world.server.world.hold('names');
    const arn = await launch(world.runner, launchRequest());
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'missing' });
    world.server.world.release('names');
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
  });

  it('an end that is an hour old is forgotten, which is missing again', async () => {
    const arn = await launch(world.runner, launchRequest());
    await world.finish(turnOne, 0);
    now += 3_600_000;
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'missing' });
  });

  it.each(['PROVISIONING', 'PENDING', 'STOPPING', 'DEPROVISIONING'] as const)(
    'a task that is %s is running',
    async (status) => {
      const arn = await launch(world.runner, launchRequest());
      await world.running(turnOne);
      world.server.world.show(world.server.world.tasksOf(turnOne)[0]!, status);
      expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    },
  );

  it('what no task of the cluster can be called is missing, and fails nothing for the others', async () => {
    const arn = await launch(world.runner, launchRequest());
    const strangers = [
      'boot-id:4711:12345',
      `${testCluster}-other/x`.replace(':cluster/', ':task/'),
      '',
    ] as Arn[];
    const states = await world.runner.describe([...strangers, arn]);
    expect([...states.values()].map(({ kind }) => kind)).toEqual([
      'missing',
      'missing',
      'missing',
      'running',
    ]);
  });

  it('more tasks than one call takes are asked about in several', async () => {
    const arns: Arn[] = [];
    for (let n = 1; n <= 101; n += 1) arns.push(`${testCluster.replace(':cluster/', ':task/')}/${n}` as Arn);
    expect((await world.runner.describe(arns)).size).toBe(101);
    expect(world.server.heard.map(({ input }) => (input.tasks as unknown[]).length)).toEqual([100, 1]);
  });

  it.each(['lost', 'throttled', 'broken', 'answer-lost'] as const)(
    'a question that is %s tells nothing of any task',
    async (what) => {
      const arn = await launch(world.runner, launchRequest());
      world.server.trouble('DescribeTasks', what);
      await expect(world.runner.describe([arn])).rejects.toThrow();
      world.server.trouble('ListTasks', what);
      await expect(world.runner.list()).rejects.toThrow();
    },
  );
});

describe('the evidence of an end on Fargate', () => {
  it.each<readonly [string, Ending, object]>([
    ['its program', { exitCode: 0 }, { exitCode: 0, signal: undefined, cause: 'exit' }],
    ['its program, in error', { exitCode: 40 }, { exitCode: 40, signal: undefined, cause: 'exit' }],
    [
      'memory running out',
      { exitCode: 137, containerReason: 'OutOfMemoryError: Container killed due to memory usage' },
      {
        exitCode: undefined,
        signal: 'SIGKILL',
        cause: 'exit',
        detail: expect.stringContaining('OutOfMemoryError'),
      },
    ],
    [
      'the loss of spot capacity, whatever its program said then',
      { exitCode: 0, stopCode: 'SpotInterruption', reason: 'Your Spot Task was interrupted.' },
      { exitCode: 0, cause: 'platform', detail: expect.stringContaining('Spot') },
    ],
    ['the retirement of its host', { exitCode: 143, stopCode: 'TerminationNotice' }, { cause: 'platform' }],
    [
      'an image that cannot be pulled',
      { stopCode: 'TaskFailedToStart', reason: 'CannotPullContainerError: pull image manifest' },
      { exitCode: undefined, signal: undefined, cause: 'platform' },
    ],
    [
      'a container that never ran',
      { containerReason: 'CannotStartContainerError' },
      { exitCode: undefined, cause: 'platform', detail: expect.stringContaining('CannotStart') },
    ],
  ])('names %s', async (_, ending, evidence) => {
    expect(await ended(ending)).toMatchObject({ at: now, ...evidence });
  });

  it('tells an end that was asked for from one that a person asked for elsewhere', async () => {
    const arn = await launch(world.runner, launchRequest());
    await world.running(turnOne);
    await world.runner.stop(arn);
    await world.letStopsTakeEffect();
    expect(await stateOf(world.runner, arn)).toMatchObject({ evidence: { asked: true, signal: 'SIGTERM' } });

    const other = await launch(world.runner, launchRequest({ turnId: turnTwo }));
    const [task] = await world.running(turnTwo);
    world.server.world.end(task!, { exitCode: 143, stopCode: 'UserInitiated', reason: 'by hand' });
    const state = await stateOf(world.runner, other);
    expect(state).toMatchObject({ evidence: { signal: 'SIGTERM' } });
    expect(state).not.toHaveProperty('evidence.asked');
  });

  it('a task that was stopped before it had a container was asked to end, and says nothing of the platform', async () => {
    world.server.world.hold('starts');
    const arn = await launch(world.runner, launchRequest());
    await world.runner.stop(arn);
    await world.letStopsTakeEffect();
    expect(await stateOf(world.runner, arn)).toMatchObject({
      evidence: { exitCode: undefined, signal: 'SIGTERM', cause: 'exit', asked: true },
    });
  });
});

describe('the list of live tasks on Fargate', () => {
  it('has all pages of those that run and of those that were told to stop', async () => {
    const arns: Arn[] = [];
    for (const n of [1, 2, 3, 4, 5])
      arns.push(await launch(world.runner, launchRequest({ turnId: turn(n), attempt: n })));
    for (const arn of arns.slice(0, 3)) await world.runner.stop(arn);
    expect((await world.runner.list()).map(({ arn }) => arn).sort()).toEqual(arns);
  });

  it('says of each task whether its program has not begun yet', async () => {
    await launch(world.runner, launchRequest());
    await world.running(turnOne);
    const told: unknown[] = [];
    for (const status of ['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING', 'STOPPING'] as const) {
      world.server.world.show(world.server.world.tasksOf(turnOne)[0]!, status);
      const [task] = await world.runner.list();
      told.push([status, task!.isBooting]);
    }
    expect(told).toEqual([
      ['PROVISIONING', true],
      ['PENDING', true],
      ['ACTIVATING', true],
      ['RUNNING', undefined],
      ['STOPPING', undefined],
    ]);
  });

  it('fails while a listed task is not known by name, because it would not be complete', async () => {
    world.server.world.hold('names');
    await launch(world.runner, launchRequest());
    await expect(world.runner.list()).rejects.toThrow(/not complete/);
  });

  it('passes over tasks of another family and tasks that nobody started for a turn', async () => {
    const { world: tasks } = world.server;
    const arn = await launch(world.runner, launchRequest());
    const { input } = tasks.tasksOf(turnOne)[0]!;
    const elsewhere = input.taskDefinition!.replace('evenkeel-turn', 'evenkeel-turn-other');
    tasks.begin({ ...input, taskDefinition: elsewhere, startedBy: turnTwo });
    tasks.begin({ ...input, startedBy: 'somebody', overrides: {} });
    expect((await world.runner.list()).map((task) => task.arn)).toEqual([arn]);
  });

  it('fails over a turn that does not say of which issue it is, and names the task', async () => {
    const { world: tasks } = world.server;
    await launch(world.runner, launchRequest());
    const { input } = tasks.tasksOf(turnOne)[0]!;
    const stranger = tasks.begin({ ...input, startedBy: turnTwo, overrides: {} });
    await expect(world.runner.list()).rejects.toThrow(stranger.arn);
  });
});

describe('a stop on Fargate', () => {
  it('of a task that is forgotten, or of another kind of runner, asks nothing of anybody', async () => {
    await world.runner.stop(`${testCluster.replace(':cluster/', ':task/')}/gone` as Arn);
    await world.runner.stop('boot-id:4711:12345' as Arn);
    expect(world.server.heard.map(({ call }) => call)).toEqual(['StopTask']);
  });

  it('that does not arrive is an error', async () => {
    const arn = await launch(world.runner, launchRequest());
    world.server.trouble('StopTask', 'throttled');
    await expect(world.runner.stop(arn)).rejects.toThrow(/Rate exceeded/);
  });
});

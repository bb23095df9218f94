import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LaunchRequest, Runner, TaskState } from '../../lib/controller/ports.ts';
import type { Arn, BoardId, IssueId, StateKey, TurnId } from '../../lib/core/issue.ts';
import { eventually } from '../support/eventually.ts';

/** A runner together with the hands that reach into its world. */
export interface RunnerUnderTest {
  readonly runner: Runner;
  /** How many processes or containers ever began for this turn. */
  begun(turnId: TurnId): Promise<number>;
  /** Lets the turn's program end by itself with this exit code. */
  finish(turnId: TurnId, exitCode: number): Promise<void>;
  /** Until this is called, no task that was told to stop ends. */
  letStopsTakeEffect(): Promise<void>;
  dispose(): Promise<void>;
}

/** What every runner promises, whatever it runs turns on. */
export function describeRunner(name: string, make: () => Promise<RunnerUnderTest>): void {
  describe(name, () => {
    let world: RunnerUnderTest;
    beforeEach(async () => {
      world = await make();
    });
    afterEach(() => world.dispose());

    it('a repeated launch of a running turn names the first task and starts no second one', async () => {
      const first = await launch(world.runner, launchRequest());
      const second = await launch(world.runner, launchRequest());
      expect(second).toBe(first);
      await eventually(
        () => world.begun(turnOne),
        (begun) => begun > 0,
      );
      expect(await launch(world.runner, launchRequest())).toBe(first);
      expect(await world.begun(turnOne)).toBe(1);
    });

    it('launches of one turn at the same moment make one task', async () => {
      const arns = await Promise.all([1, 2, 3].map(() => launch(world.runner, launchRequest())));
      expect(new Set(arns).size).toBe(1);
      await eventually(
        () => world.begun(turnOne),
        (begun) => begun > 0,
      );
      expect(await world.runner.list()).toHaveLength(1);
    });

    it('a repeated launch of a turn that has ended names the ended task and starts no second one', async () => {
      const arn = await launch(world.runner, launchRequest());
      await world.finish(turnOne, 0);
      await untilStopped(world.runner, arn);
      expect(await launch(world.runner, launchRequest())).toBe(arn);
      expect(await stateOf(world.runner, arn)).toMatchObject({ kind: 'stopped' });
      expect(await world.begun(turnOne)).toBe(1);
    });

    it('different turns are different tasks, also of one issue', async () => {
      const first = await launch(world.runner, launchRequest());
      const second = await launch(world.runner, launchRequest({ turnId: turnTwo, attempt: 2 }));
      expect(second).not.toBe(first);
      expect((await world.runner.list()).map((task) => task.turnId).sort()).toEqual([turnOne, turnTwo]);
    });

    it('describe answers for each task it is asked about, and knows nothing of a stranger', async () => {
      const running = await launch(world.runner, launchRequest());
      const ended = await launch(world.runner, launchRequest({ turnId: turnTwo }));
      await world.finish(turnTwo, 0);
      await untilStopped(world.runner, ended);
      const stranger = 'nobody-knows-this-one' as Arn;
      const states = await world.runner.describe([running, ended, stranger]);
      expect([...states].map(([arn, state]) => [arn, state.kind])).toEqual([
        [running, 'running'],
        [ended, 'stopped'],
        [stranger, 'missing'],
      ]);
      expect(await world.runner.describe([])).toEqual(new Map());
    });

    it('list tells of each live task whose it is', async () => {
      const request = launchRequest();
      const arn = await launch(world.runner, request);
      const { turnId, board, issueId, attempt, capStates } = request;
      expect(await world.runner.list()).toMatchObject([{ arn, turnId, board, issueId, attempt, capStates }]);
    });

    it('a task that ended is in the list no more', async () => {
      const arn = await launch(world.runner, launchRequest());
      await world.finish(turnOne, 0);
      await untilStopped(world.runner, arn);
      expect(await world.runner.list()).toEqual([]);
    });

    it('the evidence of an end names the task, the time and the exit code', async () => {
      const arn = await launch(world.runner, launchRequest());
      await world.finish(turnOne, 3);
      const state = await untilStopped(world.runner, arn);
      expect(state).toMatchObject({
        evidence: { arn, exitCode: 3, signal: undefined, cause: 'exit' },
      });
      expect(state.evidence).not.toHaveProperty('asked');
      expect(state.evidence.at).toBeGreaterThan(0);
    });

    it('the evidence of an end does not change when it is asked for again', async () => {
      const arn = await launch(world.runner, launchRequest());
      await world.finish(turnOne, 0);
      const state = await untilStopped(world.runner, arn);
      expect(await stateOf(world.runner, arn)).toEqual(state);
    });

    it('a stop is only asked for: until the end is seen, the task is running and listed', async () => {
      const arn = await launch(world.runner, launchRequest());
      await eventually(
        () => world.begun(turnOne),
        (begun) => begun > 0,
      );
      await world.runner.stop(arn);
      await world.runner.stop(arn);
      expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
      expect((await world.runner.list()).map((task) => task.arn)).toEqual([arn]);
      await world.letStopsTakeEffect();
      const state = await untilStopped(world.runner, arn);
      expect(state).toMatchObject({ evidence: { exitCode: undefined, signal: 'SIGTERM', asked: true } });
      expect(await world.runner.list()).toEqual([]);
    });

    it('a stop of a task that has ended, or of a stranger, is harmless', async () => {
      const arn = await launch(world.runner, launchRequest());
      await world.finish(turnOne, 0);
      const state = await untilStopped(world.runner, arn);
      await world.runner.stop(arn);
      await world.runner.stop('nobody-knows-this-one' as Arn);
      expect(await stateOf(world.runner, arn)).toEqual(state);
    });
  });
}

export const turnOne = `1-${'a'.repeat(26)}` as TurnId;
export const turnTwo = `2-${'b'.repeat(26)}` as TurnId;

export function launchRequest(by: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    turnId: turnOne,
    board: 'local:board' as BoardId,
    issueId: 'issue/with any: name' as IssueId,
    attempt: 1,
    capStates: ['todo', 'in progress'] as StateKey[],
    ticket: 'one-time-ticket',
    task: { cpu: 1024, memory: 4096, spot: false, disk_gib: 21 },
    ...by,
  };
}

/** The task's arn; fails when the launch was refused. */
export async function launch(runner: Runner, request: LaunchRequest): Promise<Arn> {
  const launched = await runner.launch(request);
  if (launched.kind === 'refused') throw new Error(`the launch was refused: ${launched.problem}`);
  return launched.arn;
}

export async function stateOf(runner: Runner, arn: Arn): Promise<TaskState | undefined> {
  return (await runner.describe([arn])).get(arn);
}

export async function untilStopped(runner: Runner, arn: Arn) {
  const state = await eventually(
    () => stateOf(runner, arn),
    (seen) => seen?.kind === 'stopped',
  );
  if (state?.kind !== 'stopped') throw new Error('a stopped task was seen');
  return state;
}

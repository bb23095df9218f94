import { afterEach, describe, expect, test } from 'vitest';
import type { HeartbeatAnswer } from '../../lib/core/turn-protocol.ts';
import { makeTurnWorld, type RunningTurn, type TurnWorld, until } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const wip = 'evenkeel/wip/web-1';
/** Commits something, and then works until it is ended. */
const endless = 'echo part > part.txt; git add .; git commit -q -m part; echo ready; sleep 60';
const stop = (keepWork: boolean): HeartbeatAnswer => ({ answer: 'stop', reason: 'moved', keepWork });
const wait: HeartbeatAnswer = { answer: 'wait', reason: 'the ledger is lost' };

describe('the gate', () => {
  test('a turn that is told to stop there does nothing at all', async () => {
    world = await makeTurnWorld({ command: endless });
    world.api.says.start = () => ({ answer: 'stop', reason: 'superseded', keepWork: false });
    const { exitCode, outcome } = await world.run();
    expect(exitCode).not.toBe(0);
    expect(outcome).toBeUndefined();
    expect(world.api.heard.heartbeat).toEqual([]);
  });

  test('asks again with the same key until somebody answers', async () => {
    world = await makeTurnWorld({ command: 'true' });
    const go = world.api.says.start;
    let calls = 0;
    world.api.says.start = () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return go();
    };
    expect((await world.run()).result).toMatchObject({ status: 'completed' });
    expect(new Set(world.api.heard.start.map(({ key }) => key)).size).toBe(1);
  });

  test('gives up when nobody answers', async () => {
    world = await makeTurnWorld({ command: endless });
    await world.api.goAway();
    const { exitCode, outcome } = await world.run({ hasty: { startPatienceMs: 600 } });
    expect(exitCode).not.toBe(0);
    // It may have been let in, by an answer that was lost.
    expect(outcome).toMatchObject({ status: 'stopped', cause: 'no-answer' });
  });

  test('leaves behind that it was asked to end while it waited there', async () => {
    world = await makeTurnWorld({ command: endless });
    let asked = false;
    world.api.says.start = () => {
      asked = true;
      throw new Error('not yet');
    };
    const running = world.start();
    await until('it asks at the gate', () => asked);
    running.signal('SIGTERM');
    const { exitCode, outcome } = await running.ended;
    expect(exitCode).not.toBe(0);
    expect(outcome).toMatchObject({ status: 'stopped', cause: 'signal' });
  });

  test('names the process by boot, pid and start', async () => {
    world = await makeTurnWorld({ command: 'true' });
    const running = world.start();
    await running.ended;
    expect(world.api.heard.start[0]?.arn).toMatch(new RegExp(`^[0-9a-f-]{36}:${running.pid}:[0-9]+$`));
  });
});

describe('told to stop while the agent works', () => {
  test('it ends the agent and keeps the commits aside, if the lease is still its own', async () => {
    world = await makeTurnWorld({ command: endless });
    const running = await startWorking();
    world.api.says.heartbeat = () => stop(true);
    world.api.says.result = () => stop(true);
    const { outcome } = await running.ended;
    expect(outcome).toMatchObject({
      status: 'stopped',
      cause: 'asked',
      git: { pushed: false, wipBranch: wip, commits: 1 },
    });
    expect(world.host.read(wip, 'part.txt')).toBe('part');
    expect(world.host.branch(branch)).toBeUndefined();
    expect(world.alive()).toEqual([]);
  });

  test('it pushes nothing when the lease is not its own any more', async () => {
    world = await makeTurnWorld({ command: endless });
    const running = await startWorking();
    world.api.says.heartbeat = () => stop(false);
    world.api.says.result = () => stop(false);
    const { outcome } = await running.ended;
    expect(outcome).toMatchObject({ status: 'stopped', cause: 'asked' });
    expect(outcome?.git?.bundle).toContain('work.bundle');
    expect(world.host.branch(wip)).toBeUndefined();
  });
});

describe('told to stop before the delivery', () => {
  test('it delivers nothing', async () => {
    world = await makeTurnWorld({ command: 'echo new > new.txt' });
    world.api.says.heartbeat = ({ step }) => (step === 'deliver' ? stop(true) : { answer: 'go' });
    world.api.says.result = () => stop(true);
    const { outcome } = await world.run();
    expect(outcome).toMatchObject({
      status: 'stopped',
      cause: 'asked',
      git: { pushed: false, wipBranch: wip },
    });
    expect(world.host.branch(branch)).toBeUndefined();
  });
});

describe('while nobody can say whether the lease is its own', () => {
  test('the agent works on, nothing is pushed, and the work is delivered as soon as it may', async () => {
    world = await makeTurnWorld({ command: 'echo new > new.txt' });
    const seen: (string | undefined)[] = [];
    world.api.says.heartbeat = ({ step }) => {
      if (step === 'deliver') seen.push(world.host.branch(branch));
      return seen.length < 6 ? wait : { answer: 'go' };
    };
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(seen.slice(0, 6)).toEqual(Array(6).fill(undefined));
  });

  test('a host that was away and came back at another port is found again', async () => {
    world = await makeTurnWorld({ command: 'echo ready; sleep 1; echo new > new.txt' });
    const running = await startWorking();
    await world.api.goAway();
    const heard = world.api.heard.heartbeat.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(world.host.branch(branch)).toBeUndefined();
    await world.api.comeBack();
    expect((await running.ended).result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(world.api.heard.heartbeat.length).toBeGreaterThan(heard);
  });

  test('a result is told again until it can be recorded', async () => {
    world = await makeTurnWorld({ command: 'true' });
    let calls = 0;
    world.api.says.result = () => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return calls === 2 ? wait : { answer: 'go' };
    };
    const { exitCode, result, outcome } = await world.run();
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ status: 'completed' });
    expect(outcome).toEqual(result);
  });

  test.each([
    ['wait', async () => Object.assign(world.api.says, { heartbeat: () => wait })],
    ['silence', () => world.api.goAway()],
  ])('too long a %s ends the turn by itself, with the work in a bundle', async (_, begin) => {
    world = await makeTurnWorld({ command: endless });
    world.api.says.result = () => wait;
    const running = await startWorking({ hasty: { silencePatienceMs: 800, stopBudgetMs: 5_000 } });
    await begin();
    const { outcome, exitCode } = await running.ended;
    expect(exitCode).not.toBe(0);
    expect(outcome).toMatchObject({
      status: 'stopped',
      cause: 'no-answer',
      git: { pushed: false, commits: 1 },
    });
    expect(outcome?.git?.bundle).toContain('work.bundle');
    expect(world.host.branch(wip)).toBeUndefined();
  });
});

describe('a signal', () => {
  test('ends the turn in good time, with the work kept aside', async () => {
    world = await makeTurnWorld({ command: endless });
    const running = await startWorking();
    running.signal('SIGTERM');
    const began = Date.now();
    const { result, exitCode } = await running.ended;
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ status: 'stopped', cause: 'signal', git: { wipBranch: wip, commits: 1 } });
    expect(world.host.read(wip, 'part.txt')).toBe('part');
    expect(world.alive()).toEqual([]);
  });

  test('that the turn API explains by a stop keeps the work aside too, because the lease is still its own', async () => {
    world = await makeTurnWorld({ command: `trap 'sleep 1; exit' TERM; ${endless} & wait` });
    const running = await startWorking();
    running.signal('SIGTERM');
    world.api.says.heartbeat = () => stop(true);
    world.api.says.result = () => stop(true);
    const { outcome } = await running.ended;
    expect(outcome).toMatchObject({ status: 'stopped', git: { wipBranch: wip, commits: 1 } });
    expect(world.host.read(wip, 'part.txt')).toBe('part');
  });

  test('that the turn API explains by a lost lease pushes nothing', async () => {
    world = await makeTurnWorld({ command: `trap 'sleep 1; exit' TERM; ${endless} & wait` });
    const running = await startWorking();
    running.signal('SIGTERM');
    world.api.says.heartbeat = () => stop(false);
    world.api.says.result = () => stop(false);
    const { outcome } = await running.ended;
    expect(outcome?.git?.bundle).toContain('work.bundle');
    expect(world.host.branch(wip)).toBeUndefined();
  });

  test('stays within its time when agent and code host do not hurry', async () => {
    world = await makeTurnWorld({ command: `trap "" TERM; ${endless}` });
    world.host.check('trap "" TERM; while :; do sleep 1; done');
    const running = await startWorking();
    running.signal('SIGTERM');
    const began = Date.now();
    const { result, outcome } = await running.ended;
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(result).toMatchObject({ status: 'stopped', cause: 'signal' });
    expect(outcome?.git?.bundle).toContain('work.bundle');
    expect(world.alive()).toEqual([]);
  });

  test('that comes a second time gives up what takes time', async () => {
    world = await makeTurnWorld({ command: `trap "" TERM; ${endless}` });
    world.host.check('sleep 60');
    const running = await startWorking();
    running.signal('SIGTERM');
    const began = Date.now();
    await until('it stops', () => world.api.heard.heartbeat.some(({ step }) => step === 'stopping'));
    running.signal('SIGTERM');
    const { outcome } = await running.ended;
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(outcome).toMatchObject({ status: 'stopped', cause: 'signal' });
    expect(world.host.branch(wip)).toBeUndefined();
    expect(world.alive()).toEqual([]);
  });

  test('during the fetch leaves nothing behind', async () => {
    world = await makeTurnWorld({ command: endless, hooks: { after_create: 'sleep 60' } });
    const running = world.start();
    await until('the hook runs', () => world.api.heard.heartbeat.some(({ step }) => step === 'hooks'));
    running.signal('SIGINT');
    expect((await running.ended).result).toMatchObject({ status: 'stopped', cause: 'signal' });
    expect(world.alive()).toEqual([]);
  });
});

/** Starts a turn and waits until its agent has done something. */
async function startWorking(options?: Parameters<TurnWorld['start']>[0]): Promise<RunningTurn> {
  const running = world.start(options);
  await until('the agent works', () =>
    world.api.heard.heartbeat.some(({ step, progress }) => step === 'agent' && progress > 0),
  );
  return running;
}

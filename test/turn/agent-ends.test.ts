import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isRunning, makeTurnWorld, type TurnWorld, until } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const wip = 'evenkeel/wip/web-1';
const agentLog = () => readFileSync(join(world.dir, 'out', 'agent.log'));

describe('the verdict on the agent', () => {
  test('an exit code other than zero is a crash, and what was committed is kept aside', async () => {
    world = await makeTurnWorld({ command: 'echo half > half.txt; exit 3' });
    const { result } = await world.run();
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'agent', kind: 'crash', retryable: true },
      exitCode: 3,
      git: { pushed: false, commits: 1, wipBranch: wip },
    });
    expect(world.host.branch('evenkeel/issue/web-1')).toBeUndefined();
    expect(world.host.read(wip, 'half.txt')).toBe('half');
  });

  test('a program that is missing is the policy’s fault, and trying again cannot help', async () => {
    world = await makeTurnWorld({ command: 'no-such-agent --now' });
    expect((await world.run()).result).toMatchObject({
      failure: { class: 'policy', kind: 'command-not-found', retryable: false },
      exitCode: 127,
    });
  });

  test('a kind of agent that is not there is said so before anything is fetched', async () => {
    world = await makeTurnWorld({ command: 'true', agent: { kind: 'codex' } });
    const { result } = await world.run();
    expect(result?.failure).toMatchObject({ class: 'policy', kind: 'agent-not-supported', retryable: false });
    expect(result?.failure?.detail).toContain('agent.kind codex is not supported on this version');
    expect(result?.git).toBeUndefined();
  });

  test('an agent that does not read its prompt may do so', async () => {
    world = await makeTurnWorld({ command: 'exec 0<&-; echo new > new.txt', prompt: 'x'.repeat(200_000) });
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
  });

  test('the prompt arrives whole and ends', async () => {
    world = await makeTurnWorld({ command: 'wc -c > size.txt', prompt: 'ä'.repeat(100_000) });
    await world.run();
    expect(world.host.read('evenkeel/issue/web-1', 'size.txt')?.trim()).toBe('200000');
  });
});

describe('an agent that does not come to an end', () => {
  test('is ended when it hangs without a sign of work', async () => {
    world = await makeTurnWorld({ command: 'sleep 60', agent: { stall_timeout_ms: 1_000 } });
    const { result } = await world.run();
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'agent', kind: 'stall', retryable: true },
    });
    expect(world.alive()).toEqual([]);
  });

  test('is not called stalled while it computes quietly', async () => {
    const busy = 'end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do :; done; echo new > new.txt';
    world = await makeTurnWorld({ command: busy, agent: { stall_timeout_ms: 1_000 } });
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { commits: 1 } });
  });

  test('is not called stalled while files change', async () => {
    const slow = 'for i in 1 2 3 4 5; do sleep 0.6; echo $i >> notes.txt; done';
    world = await makeTurnWorld({ command: slow, agent: { stall_timeout_ms: 1_200 } });
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { commits: 1 } });
    expect(Math.max(...world.api.heard.heartbeat.map(({ progress }) => progress))).toBeGreaterThan(1);
  });

  test('is ended when its time is up, however busy it is', async () => {
    world = await makeTurnWorld({
      command: 'echo part > part.txt; while :; do echo working; sleep 0.1; done',
      agent: { turn_timeout_ms: 3_000 },
    });
    const { result } = await world.run();
    expect(result).toMatchObject({
      failure: { class: 'agent', kind: 'timeout', retryable: true },
      git: { wipBranch: wip, commits: 1 },
    });
    expect(world.host.read(wip, 'part.txt')).toBe('part');
  });

  test('is ended by force when it ignores being asked', async () => {
    world = await makeTurnWorld({
      command: 'trap "" TERM; while :; do sleep 1; done',
      agent: { turn_timeout_ms: 2_000 },
    });
    expect((await world.run({ hasty: { killGraceMs: 300 } })).result).toMatchObject({
      failure: { kind: 'timeout' },
    });
    expect(world.alive()).toEqual([]);
  });

  test('does not go on to its next command when it is told to stop', async () => {
    const line = 'echo part > part.txt; echo ready; sleep 40; echo after > after.txt; echo went on';
    for (let round = 0; round < 4; round += 1) {
      world = await makeTurnWorld({ command: line });
      const running = world.start();
      await until('it works', () => world.api.heard.heartbeat.some(({ progress }) => progress > 0));
      running.signal('SIGTERM');
      expect((await running.ended).result).toMatchObject({ status: 'stopped', git: { wipBranch: wip } });
      expect(agentLog().toString()).toBe('ready\n');
      expect(world.host.read(wip, 'part.txt')).toBe('part');
      expect(world.host.read(wip, 'after.txt')).toBeUndefined();
      await world.end();
    }
  });

  test('takes its children in sessions of their own with it, also those that ignore being asked', async () => {
    const stubborn = `setsid sh -c 'trap "" TERM; while :; do sleep 1; done' > /dev/null 2>&1 &`;
    world = await makeTurnWorld({ command: `${stubborn} echo new > new.txt` });
    const { result } = await world.run({ hasty: { killGraceMs: 300 } });
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(world.alive()).toEqual([]);
  });

  test('takes a child with it that dropped the cookie and left for a session of its own', async () => {
    const leave = `env -i PATH="$PATH" setsid sh -c 'echo $$ > pid; exec sleep 60' > /dev/null 2>&1 &`;
    world = await makeTurnWorld({ command: `${leave} sleep 1.5`, agent: { stall_timeout_ms: 5_000 } });
    await world.run();
    const pid = Number(world.host.read('evenkeel/issue/web-1', 'pid'));
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  test('takes a child that dropped the cookie with it', async () => {
    world = await makeTurnWorld({
      command: `env -i PATH="$PATH" sh -c 'echo $$ > pid; exec sleep 60' & sleep 0.5`,
    });
    await world.run();
    const pid = Number(world.host.read('evenkeel/issue/web-1', 'pid'));
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });
});

describe('output that is hard to read', () => {
  test('one line of 8 MB is no trouble', async () => {
    world = await makeTurnWorld({ command: `head -c 8388608 /dev/zero | tr '\\0' x; echo new > new.txt` });
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(statSync(join(world.dir, 'out', 'agent.log')).size).toBe(8_388_608);
  });

  test('bytes that are no text are kept as they came', async () => {
    world = await makeTurnWorld({
      command: `printf '\\303'; sleep 0.2; printf '\\050\\377\\n'; echo new > new.txt`,
    });
    expect((await world.run()).result).toMatchObject({ status: 'completed' });
    expect([...agentLog()]).toEqual([0o303, 0o050, 0o377, 0x0a]);
  });

  test('the last words of an agent that dies are not lost', async () => {
    world = await makeTurnWorld({ command: 'echo "the reason" >&2; kill -9 $$' });
    expect((await world.run()).result).toMatchObject({ failure: { kind: 'crash' } });
    expect(agentLog().toString()).toBe('the reason\n');
  });
});

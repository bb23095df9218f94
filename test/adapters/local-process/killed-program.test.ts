import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Arn } from '../../../lib/core/issue.ts';
import { instructionsSchema } from '../../../lib/core/turn-protocol.ts';
import { launch, launchRequest, stateOf, turnOne, untilStopped } from '../../contracts/describe-runner.ts';
import { makeCodeHost } from '../../support/code-host.ts';
import { eventually } from '../../support/eventually.ts';
import { launchFromKilledHost } from '../../support/killed-host.ts';
import { isAlive, localRunner } from '../../support/local-runner.ts';
import { startTurnApiServer, type TurnApiServer } from '../../support/turn-api-server.ts';

/** Whatever the runner does, no process outlives its test. */
const leftToKill: number[] = [];
let dir: string;
let api: TurnApiServer;
let world: Awaited<ReturnType<typeof localRunner>>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'killed-'));
});
afterEach(async () => {
  for (const pid of leftToKill.splice(0)) if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
  await world.dispose();
  await api.goAway();
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

const turnProgram = fileURLToPath(new URL('../../../dist/turn.js', import.meta.url));

/** The agent is three processes: itself, a child in a session of its own, and one that keeps nothing of its making. */
const agents = ['agent', 'child', 'stray'] as const;

/** The real turn program with an agent at work; tells the pids of the agent's processes. */
async function beginTurn(start: () => Promise<Arn>) {
  const pidOf = (name: string) => join(dir, name);
  const host = makeCodeHost(dir);
  const wait = (name: string) => `echo $$ > ${pidOf(name)}; exec sleep 300`;
  const instructions = instructionsSchema.parse({
    board: 'local:board',
    key: 'web-1',
    turnId: turnOne,
    attempt: 1,
    repository: host.address,
    base: 'main',
    branch: 'evenkeel/issue/web-1',
    wipBranch: 'evenkeel/wip/web-1',
    prompt: 'Please do what the issue says.\n',
    agent: {
      kind: 'command',
      command: [
        `setsid sh -c '${wait('child')}' &`,
        `(cd / && env -i PATH="$PATH" setsid sh -c '${wait('stray')}' &) > /dev/null 2>&1`,
        `echo work > work.txt; ${wait('agent')}`,
      ].join('\n'),
      turn_timeout_ms: 600_000,
      stall_timeout_ms: 600_000,
    },
    hooks: { timeout_ms: 10_000 },
    verify: [],
    deny_paths: [],
    heartbeatMs: 1_000,
  });
  api = await startTurnApiServer(dir, () => ({ answer: 'go', instructions }));
  world = await localRunner([], { program: [process.execPath, turnProgram], hostFile: api.hostFile });
  const arn = await start();
  const hasBegun = (name: string) =>
    existsSync(pidOf(name)) && readFileSync(pidOf(name), 'utf8').endsWith('\n');
  await eventually(() => agents.every(hasBegun), Boolean);
  const pids = agents.map((name) => Number(readFileSync(pidOf(name), 'utf8')));
  leftToKill.push(...pids);
  return { arn, pids, program: Number(arn.split(':')[1]) };
}

async function living(pids: readonly number[]) {
  const alive = await Promise.all(pids.map(isAlive));
  return agents.filter((_, n) => alive[n]);
}

describe('a turn program that is killed while its agent works', () => {
  it('leaves nobody behind, and evidence that names the signal and the folder', async () => {
    const { arn, pids, program } = await beginTurn(() => launch(world.runner, launchRequest()));
    process.kill(program, 'SIGKILL');
    const { evidence } = (await untilStopped(world.runner, arn)) as { evidence: { detail: string } };
    const folder = join(world.dataDir, 'turns', turnOne);
    expect(evidence).toMatchObject({
      signal: 'SIGKILL',
      exitCode: undefined,
      cause: 'exit',
      result: undefined,
    });
    expect(evidence.detail).toContain('SIGKILL');
    expect(evidence.detail).toContain(folder);
    expect(readFileSync(join(folder, 'ws', 'work.txt'), 'utf8')).toBe('work\n');
    expect(await living(pids)).toEqual([]);
  });

  it('while no host runs leaves nobody behind once the next one has looked, and the folder is named', async () => {
    const { arn, pids, program } = await beginTurn(() =>
      launchFromKilledHost(world.options, launchRequest()),
    );
    process.kill(program, 'SIGKILL');
    await eventually(
      () => isAlive(program),
      (alive) => !alive,
    );
    // What the turn left counts as still running until it is ended.
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'running' });
    await world.runner.reapLeftovers();
    expect(await living(pids)).toEqual([]);
    const detail = expect.stringContaining(join(world.dataDir, 'turns', turnOne));
    expect(await stateOf(world.runner, arn)).toMatchObject({ kind: 'stopped', evidence: { detail } });
  });
});

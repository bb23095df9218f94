import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentAdapter, AgentVerdict } from './agent.ts';
import { agentEnvironment } from './child-environment.ts';
import { failure } from './failure.ts';
import { keepOutput } from './keep-output.ts';
import { reap } from './reap.ts';
import { splitLines } from './split-lines.ts';
import { type ProcessEnd, startProcess } from './start-process.ts';
import type { Turn } from './turn.ts';
import { waitForStall } from './wait-for-stall.ts';

export interface AgentRun {
  readonly verdict: AgentVerdict;
  readonly exitCode: number | undefined;
}

const logCapBytes = 64 * 1024 * 1024;

/**
 * Runs the agent until it ends, its time is up, it shows no sign of work, or the turn is to stop; then ends whatever of
 * its processes is left, in every case.
 */
export async function runAgent(turn: Turn, adapter: AgentAdapter): Promise<AgentRun> {
  const lines = splitLines(adapter.onLine);
  let outputBytes = 0;
  const running = await startProcess(
    {
      ...adapter.command,
      cwd: turn.folder.workspace,
      env: agentEnvironment(turn),
      stdin: turn.instructions.prompt,
      log: keepOutput(turn, 'agent', logCapBytes),
      onOutput(chunk, from) {
        outputBytes += chunk.length;
        turn.doing.progress += 1;
        if (from === 'stdout') lines.push(chunk);
      },
    },
    turn.family,
  );
  const end = await waitForEnd(turn, running.ended, () => outputBytes);
  await reap(turn.family, { graceMs: turn.timing.killGraceMs, hurry: turn.stop.hurry });
  await running.drain();
  lines.end();
  return judge(turn, adapter, end);
}

type AgentEnding = ProcessEnd | { readonly kind: 'timeout' | 'stall' | 'stopped' };

async function waitForEnd(
  turn: Turn,
  ended: Promise<ProcessEnd>,
  outputBytes: () => number,
): Promise<AgentEnding> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, turn.stop.stopping]);
  const leftMs = Math.max(0, turn.deadline - performance.now());
  const cut = { kind: 'stopped' as const };
  const end = await Promise.race([
    ended,
    sleep(leftMs, { kind: 'timeout' as const }, { signal }).catch(() => cut),
    waitForStall(turn, outputBytes, signal).then((stalled) => (stalled ? { kind: 'stall' as const } : cut)),
  ]);
  settled.abort();
  return end;
}

function judge({ instructions }: Turn, adapter: AgentAdapter, end: AgentEnding): AgentRun {
  const { turn_timeout_ms: turnMs, stall_timeout_ms: stallMs } = instructions.agent;
  if (end.kind === 'exited') return { verdict: adapter.finish(end), exitCode: end.code ?? undefined };
  const { usage } = adapter.finish({ code: null, signal: 'SIGKILL' });
  const why = {
    timeout: failure('agent', 'timeout', `The turn took longer than turn_timeout_ms (${turnMs} ms).`),
    stall: failure(
      'agent',
      'stall',
      `The agent showed no sign of work for stall_timeout_ms (${stallMs} ms).`,
    ),
    stopped: undefined,
    'not-started': failure(
      'agent',
      'not-started',
      'The agent could not be started: its workspace or the shell is missing.',
    ),
  }[end.kind];
  return { verdict: { failure: why, usage }, exitCode: undefined };
}

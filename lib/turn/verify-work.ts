import { rm } from 'node:fs/promises';
import { limits, type TurnResult } from '../core/turn-protocol.ts';
import { runAgentGit } from './agent-git.ts';
import { childEnvironment } from './child-environment.ts';
import type { Work } from './collect-work.ts';
import { type Failure, failure, GitFault, lastingFailure } from './failure.ts';
import { keepOutput } from './keep-output.ts';
import { keepTail } from './keep-tail.ts';
import { reap } from './reap.ts';
import { type BoundedEnd, planShell, runBounded } from './run-bounded.ts';
import type { Turn } from './turn.ts';
import { lendFolder } from './turn-folder.ts';

export type Verification = TurnResult['verify'][number];

export interface Verified {
  readonly gates: readonly Verification[];
  /** Undefined when every gate passed, and when the turn is to stop. */
  readonly failure: Failure | undefined;
  readonly feedback: Feedback | undefined;
}

/** What the next turn is told about the gate that failed. */
export interface Feedback {
  readonly says: string;
  /** The end of the gate's output. */
  readonly output: string;
}

/**
 * Runs the gates, one after the other, in one fresh checkout of the finished work: no variable, no process and no ignored
 * file of the agent's is there. The first one that does not pass ends it.
 */
export async function verifyWork(turn: Turn, work: Work): Promise<Verified> {
  const commands = turn.instructions.verify;
  const gates: Verification[] = [];
  if (commands.length > 0) await checkOut(turn, work);
  for (const [at, command] of commands.entries()) {
    turn.log('gate begins', { number: at + 1 });
    const { end, durationMs, tail } = await runGate(turn, command, at + 1);
    const gate = { ...describeGate(command, end), durationMs };
    turn.log('gate ended', { number: at + 1, status: gate.status });
    gates.push(gate);
    if (end.kind === 'exited' && end.code === 0) continue;
    const rest = commands.slice(at + 1).map(notRun);
    const broken = end.kind === 'stopped' ? undefined : judge(command, end, durationMs);
    return {
      gates: [...gates, ...rest],
      failure: broken,
      feedback: broken && { says: broken.detail, output: tail },
    };
  }
  return { gates, failure: undefined, feedback: undefined };
}

/** A gate that is not run, for the record. */
export function notRun(command: string): Verification {
  return { command: command.slice(0, limits.text), status: 'not-run', durationMs: 0 };
}

/** By way of a bundle and with the agent's authority, like the agent's checkout: gates run what the agent wrote. */
async function checkOut(turn: Turn, { headSha }: Work): Promise<void> {
  const { git, folder, timing, user } = turn;
  const options = { timeoutMs: timing.fetchMs };
  // Whatever lies there was not checked out by us.
  for (const path of [folder.gates, folder.handover]) await rm(path, { recursive: true, force: true });
  await lendFolder(folder.gates, user);
  const ends = [
    await git.run(['update-ref', gatesRef, headSha]),
    await git.run(['bundle', 'create', '--quiet', folder.handover, gatesRef], options),
    await runAgentGit(turn, ['init', '--quiet', '--template=', folder.gates]),
    await runAgentGit(
      turn,
      ['-C', folder.gates, 'fetch', '--quiet', '--no-tags', folder.handover, gatesRef],
      options,
    ),
    await runAgentGit(turn, ['-C', folder.gates, 'checkout', '--quiet', '--detach', headSha], options),
  ];
  const broken = ends.find(({ ok }) => !ok);
  if (broken !== undefined) throw new GitFault('the work could not be checked out for its gates', broken);
}

const gatesRef = 'refs/evenkeel/gates';
const logCapBytes = 16 * 1024 * 1024;

async function runGate(turn: Turn, command: string, number: number) {
  const { timing, folder } = turn;
  const tail = keepTail(limits.logTail);
  const began = performance.now();
  const timeoutMs = Math.max(0, Math.min(timing.gateMs, turn.deadline + timing.gatesMs - began));
  const plan = planShell(command, {
    cwd: folder.gates,
    env: childEnvironment(turn),
    log: keepOutput(turn, `verify-${number}`, logCapBytes),
    onOutput: (chunk) => tail.push(chunk),
  });
  const { end, running } = await runBounded(plan, timeoutMs, turn);
  const durationMs = Math.round(performance.now() - began);
  await reap(turn.family, { graceMs: timing.killGraceMs, hurry: turn.stop.hurry });
  await running.drain();
  return { end, durationMs, tail: tail.text() };
}

function describeGate(command: string, end: BoundedEnd): Omit<Verification, 'durationMs'> {
  const name = command.slice(0, limits.text);
  if (end.kind === 'timeout') return { command: name, status: 'timeout' };
  if (end.kind !== 'exited') return { command: name, status: 'not-run' };
  const exitCode = end.code === null ? {} : { exitCode: end.code };
  return { command: name, status: end.code === 0 ? 'passed' : 'failed', ...exitCode };
}

function judge(command: string, end: Exclude<BoundedEnd, { kind: 'stopped' }>, durationMs: number): Failure {
  const gate = `The gate "${command.slice(0, 200)}"`;
  if (end.kind === 'timeout')
    return failure(
      'verification',
      'gate-timeout',
      `${gate} took too long: it was ended after ${Math.round(durationMs / 1_000)} s.`,
    );
  if (end.kind === 'not-started')
    return failure('infrastructure', 'gate-not-started', `${gate} could not be started.`);
  // A gate whose program is missing says nothing about the work, today or tomorrow.
  if (end.code === 126 || end.code === 127) {
    return lastingFailure(
      'policy',
      'gate-inert',
      `${gate} cannot run: its program is missing (exit code ${end.code}).`,
    );
  }
  return failure(
    'verification',
    'gate-failed',
    `${gate} failed with ${end.signal ?? `exit code ${end.code}`}.`,
  );
}

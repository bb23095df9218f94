import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCappedLog } from './capped-log.ts';
import type { KeptOutput } from './keep-output.ts';
import type { Command } from './mark-command.ts';
import type { ProcessFamily } from './process-family.ts';
import { splitLines } from './split-lines.ts';

export interface ProcessPlan extends Command {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written and closed at once; without it standard input is empty. */
  readonly stdin?: string | undefined;
  readonly log: KeptOutput;
  readonly onOutput?: ((chunk: Uint8Array, from: 'stdout' | 'stderr') => void) | undefined;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'not-started'; readonly problem: string };

export interface RunningProcess {
  /** When the started process has ended; its children may live on. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Waits for the last of the output and closes the log; only for a moment, since a living child can hold the output open
   * for ever. Without it the output is recorded for as long as anybody writes.
   */
  drain(): Promise<void>;
}

/** Starts a program with the agent's authority, in a group and a session of its own, and keeps its output in the log. Never throws. */
export async function startProcess(plan: ProcessPlan, family: ProcessFamily): Promise<RunningProcess> {
  const log = await openCappedLog(plan.log.path, plan.log.capBytes);
  const { file, args, uid, gid } = family.mark(plan);
  const child = spawn(file, args, {
    cwd: plan.cwd,
    env: { ...plan.env },
    uid,
    gid,
    detached: true,
    stdio: [plan.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  family.adopt(child);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.on('error', ({ message }) => resolve({ kind: 'not-started', problem: message }));
    child.on('exit', (code, signal) => resolve({ kind: 'exited', code, signal }));
  });
  // A program that ends without reading its input breaks the pipe, and may do so.
  child.stdin?.on('error', () => undefined).end(plan.stdin);

  async function record(stream: Readable | null, from: 'stdout' | 'stderr'): Promise<void> {
    if (stream === null) return;
    const lines = plan.log.onLine && splitLines(plan.log.onLine);
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        plan.onOutput?.(chunk, from);
        lines?.push(chunk);
        await log.write(chunk);
      }
    } catch {
      // The stream was given up while a child still held it open.
    }
    lines?.end();
  }

  const recorded = Promise.all([record(child.stdout, 'stdout'), record(child.stderr, 'stderr')]).then(
    log.close,
  );
  return {
    ended,
    async drain() {
      await Promise.race([recorded, sleep(drainMs)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
      await recorded;
    },
  };
}

const drainMs = 1_000;

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The bundled command line, as users run it. */
export const evenkeel = fileURLToPath(new URL('../../dist/evenkeel.js', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSurroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** For a command that takes its time: `start` until it is idle. */
  readonly patienceMs?: number;
}

/** Runs one command to its end; one that hangs is killed, usually after half a minute, and then has no exit code. */
export async function runCli(
  args: readonly string[],
  { cwd, env = {}, input = '', patienceMs = 30_000 }: CliSurroundings,
): Promise<CliResult> {
  const child = spawn(process.execPath, [evenkeel, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

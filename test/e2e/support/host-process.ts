import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { evenkeel } from '../../support/run-cli.ts';

/** `evenkeel start` as a process. */
export interface HostProcess {
  readonly pid: number;
  readonly ended: Promise<HostEnding>;
  /** What it wrote on stderr so far. */
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Waits until it listens; fails when it ended instead. */
  listening(): Promise<void>;
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<void>;
}

export interface HostEnding {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostStart {
  readonly cwd: string;
  readonly dataDir: string;
  readonly args: readonly string[];
  /** A shell line before the program: `ulimit -f 100`. */
  readonly shell?: string | undefined;
}

export function startHostProcess({ cwd, dataDir, args, shell }: HostStart): HostProcess {
  const command = [evenkeel, 'start', '--data', dataDir, ...args];
  const env = { PATH: process.env.PATH, HOME: cwd };
  const child =
    shell === undefined
      ? spawn(process.execPath, command, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn('bash', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...command], {
          cwd,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let hasEnded = false;
  const ended = new Promise<HostEnding>((resolve) => {
    child.once('close', (code, signal) => {
      hasEnded = true;
      resolve({ code, signal, stdout, stderr });
    });
  });
  const host: HostProcess = {
    pid: child.pid!,
    ended,
    stderr: () => stderr,
    signal: (name) => void child.kill(name),
    async listening() {
      await eventually(
        () => hasEnded || pidOfHost(dataDir) === child.pid,
        (is) => is,
        30_000,
      );
      if (hasEnded) throw new Error(`The host ended instead of listening:\n${stderr}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  return host;
}

function pidOfHost(dataDir: string): number | undefined {
  const path = join(dataDir, 'host.json');
  if (!existsSync(path)) return undefined;
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly pid: number }).pid;
  } catch {
    return undefined;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';

export interface HostProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stderr(): string;
}

/** Whom a host runs as, where that is not who runs the tests. */
export interface MachineUser {
  readonly uid: number;
  readonly gid: number;
}

/** `evenkeel start` from the bundle, on one board and often. */
export function spawnHost(
  {
    root,
    dataDir,
    workflowFile,
  }: { readonly root: string; readonly dataDir: string; readonly workflowFile: string },
  args: readonly string[],
  user: MachineUser | undefined,
): HostProcess {
  const child = spawn(
    process.execPath,
    [
      'dist/evenkeel.js',
      'start',
      '--data',
      dataDir,
      '--workflow',
      workflowFile,
      '--interval',
      '0.3',
      ...args,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(user && { ...user, env: { PATH: process.env.PATH, HOME: root } }),
    },
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<Awaited<HostProcess['ended']>>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, ended, stderr: () => stderr };
}

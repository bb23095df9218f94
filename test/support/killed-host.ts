import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LocalProcessOptions } from '../../lib/adapters/local-process/local-process.ts';
import type { Launch, LaunchRequest } from '../../lib/controller/ports.ts';
import type { Arn } from '../../lib/core/issue.ts';

const program = fileURLToPath(new URL('./launching-host.ts', import.meta.url));

/** Launches a turn from a host process of its own and kills that host: the turn runs on, and nobody will reap it. */
export async function launchFromKilledHost(
  options: LocalProcessOptions,
  request: LaunchRequest,
): Promise<Arn> {
  const argv = ['--import', 'tsx', program, JSON.stringify({ options, request })];
  const host = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface(host.stdout), 'line');
    const launched = JSON.parse(String(line)) as Launch;
    if (launched.kind === 'refused') throw new Error(launched.problem);
    return launched.arn;
  } finally {
    host.kill('SIGKILL');
    await once(host, 'exit');
  }
}

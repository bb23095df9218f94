import { spawn } from 'node:child_process';
import type { AgentUser } from './agent-user.ts';

/**
 * Kills every process of this user in one call of the system, which none of them can run away from: one that starts the
 * next and ends at once is gone from every list before it can be signalled by its number. Only for a user that has nothing
 * but the turn's processes.
 */
export async function killAll({ uid, gid }: AgentUser): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    // No other shell: the agent may have put one where programs are looked for.
    const killer = spawn('/bin/sh', ['-c', 'kill -KILL -1'], {
      uid,
      gid,
      cwd: '/',
      env: {},
      stdio: 'ignore',
    });
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
      killer.on('error', () => resolve(null));
      killer.on('exit', (_, by) => resolve(by));
    });
    // Somebody of that user was faster, and may be alive.
    if (signal === null) return;
  }
}

const mostTries = 20;

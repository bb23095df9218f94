import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { machineProcesses } from './process-table.ts';

/**
 * The name of this process, never used twice: `<boot id>:<pid>:<start>`. The runner makes the same text from outside, and
 * tells by it whether the process still runs or a later one has got its pid.
 */
export function readOwnArn(): string {
  return `${readBootId()}:${process.pid}:${machineProcesses.startOf(process.pid) ?? ''}`;
}

function readBootId(): string {
  const linux = '/proc/sys/kernel/random/boot_id';
  if (existsSync(linux)) return readFileSync(linux, 'utf8').trim();
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };
  return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { env, encoding: 'utf8' }).trim();
}

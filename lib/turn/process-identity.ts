import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * The name of this process, never used twice: `<boot id>:<pid>:<start>`. The runner makes the same text from outside, and
 * tells by it whether the process still runs or a later one has got its pid.
 */
export function readOwnArn(): string {
  const [bootId, start] = existsSync('/proc/self/stat') ? readProc() : askPs();
  return `${bootId}:${process.pid}:${start}`;
}

function readProc(): readonly [bootId: string, start: string] {
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The program's name stands in parentheses and may hold spaces; the start is the 20th field after it.
  return [bootId, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''];
}

/** Read as UTC and in English, so that a change of time zone changes no start. */
function askPs(): readonly [bootId: string, start: string] {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
  const bootId = execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { env, encoding: 'utf8' }).trim();
  const began = execFileSync('ps', ['-o', 'lstart=', '-p', String(process.pid)], { env, encoding: 'utf8' });
  return [bootId, String(Date.parse(`${began.trim()} UTC`) / 1000)];
}

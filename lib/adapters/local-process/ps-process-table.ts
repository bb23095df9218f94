import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Process, ProcessTable } from './process-table.ts';

/**
 * The process table as `ps` tells it, for machines without `/proc`. Start times have a resolution of one second, and
 * macOS hides the environment of the programs it ships itself (`/bin/sleep`, `/bin/sh`): such a process is found by its
 * parent while that lives, and not by its cookie afterwards.
 */
export function psProcessTable(): ProcessTable {
  return { bootId: readBootId(), read: readAll, startOf };
}

const run = promisify(execFile);
/** Times are read as UTC and in English, so that a change of time zone changes no start time. */
const options = {
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
  maxBuffer: 256 * 1024 * 1024,
};

function readBootId(): string {
  const linux = '/proc/sys/kernel/random/boot_id';
  if (existsSync(linux)) return readFileSync(linux, 'utf8').trim();
  return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { ...options, encoding: 'utf8' }).trim();
}

/** The processes are listed after the environments: one that began in between has no cookie, but a parent. */
async function readAll(): Promise<readonly Process[]> {
  const environments = await run('ps', ['axeww', '-o', 'pid=,command='], options);
  const listed = await run('ps', ['-axo', 'pid=,ppid=,stat=,lstart='], options);
  const cookies = new Map(environments.stdout.split('\n').flatMap(parseEnvironment));
  return listed.stdout
    .split('\n')
    .flatMap((line) => parseProcess(line))
    .filter(({ alive }) => alive)
    .map(({ pid, ppid, start }) => ({ pid, ppid, start, cookie: cookies.get(pid), mark: undefined }));
}

function startOf(pid: number): string | undefined {
  try {
    const argv = ['-o', 'pid=,ppid=,stat=,lstart=', '-p', String(pid)];
    return parseProcess(execFileSync('ps', argv, { ...options, encoding: 'utf8' }).trim())[0]?.start;
  } catch {
    return undefined;
  }
}

function parseEnvironment(line: string): ReadonlyArray<readonly [number, string]> {
  const pid = /^\s*([0-9]+)\s/.exec(line)?.[1];
  // The arguments come first and may quote anything; the environment's own entry is the last one.
  const cookie = [...line.matchAll(/\sEVENKEEL_COOKIE=(\S+)/g)].at(-1)?.[1];
  return pid === undefined || cookie === undefined ? [] : [[Number(pid), cookie]];
}

function parseProcess(line: string) {
  const [, pid, ppid, state = '', began = ''] =
    /^\s*([0-9]+)\s+([0-9]+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  if (pid === undefined) return [];
  const start = String(Date.parse(`${began} UTC`) / 1000);
  return [{ pid: Number(pid), ppid: Number(ppid), start, alive: !state.startsWith('Z') }];
}

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { markOf, readMark } from '../core/process-mark.ts';

/** A process; pid and start together are never used twice. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  readonly start: string;
  /** It has ended, and its parent has not taken note of it: its number is still its own. */
  readonly isZombie: boolean;
  /** Time on a processor, with that of its ended children. */
  readonly cpuMs: number;
  /** Whether it was started with the cookie in its environment, has the mark of the cookie among its limits, or is of the user asked for. */
  readonly isMarked: boolean;
}

/** Where processes are looked up. */
export interface Processes {
  /** Every process that this user may see; those of the user `uid` are marked by that alone, where there is a `/proc`. */
  read(cookie: string, uid?: number): Promise<readonly ProcessEntry[]>;
  /** When this process began, also if it is a zombie; undefined when there is none. */
  startOf(pid: number): string | undefined;
}

/** `/proc`, or `ps` where there is none. */
export const machineProcesses: Processes = existsSync('/proc/self/environ')
  ? { read: readProc, startOf: (pid) => readStat(pid)?.start }
  : psProcesses();

async function readProc(cookie: string, uid?: number): Promise<readonly ProcessEntry[]> {
  const entry = cookieEntry(cookie);
  const mark = markOf(cookie);
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.flatMap((name) => {
    const pid = Number(name);
    const stat = readStat(pid);
    if (stat === undefined) return [];
    const carriesCookie = () => readOrNothing(`/proc/${pid}/environ`)?.split('\0').includes(entry) ?? false;
    const carriesMark = () => readMark(readOrNothing(`/proc/${pid}/limits`) ?? '') === mark;
    return { pid, ...stat, isMarked: isOf(pid, uid) || carriesCookie() || carriesMark() };
  });
}

/** Whether a process has that user in any of its parts; the owner of its folder is root's where it cannot be looked into. */
function isOf(pid: number, uid: number | undefined): boolean {
  if (uid === undefined) return false;
  const [, users = ''] = /^Uid:\s+(.*)$/m.exec(readOrNothing(`/proc/${pid}/status`) ?? '') ?? [];
  return users.split(/\s+/).includes(String(uid));
}

function readStat(pid: number): Omit<ProcessEntry, 'pid' | 'isMarked'> | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The program's name stands in parentheses and may hold anything, also further parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state = '', ppid, group] = fields;
  if (stat === undefined || state.toLowerCase() === 'x') return undefined;
  return {
    ppid: Number(ppid),
    group: Number(group),
    start: fields[19] ?? '',
    isZombie: state === 'Z',
    cpuMs: fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0) * msPerTick,
  };
}

function cookieEntry(cookie: string): string {
  return `EVENKEEL_COOKIE=${cookie}`;
}

/** Linux shows times to programs in hundredths of a second, whatever its own clock is. */
const msPerTick = 10;

/** Processes end at any moment, and those of other users are closed to us: neither is an error. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Times are read as UTC and in English, so that a change of time zone changes no start. */
const psOptions = {
  env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
  maxBuffer: 256 * 1024 * 1024,
};

/**
 * What `ps` tells on machines without `/proc`. macOS hides the environment of the programs it ships itself; those are
 * found by their group and by their parent only.
 */
export function psProcesses(): Processes {
  return {
    async read(cookie) {
      const argv = ['axeww', '-o', 'pid=,ppid=,pgid=,stat=,time=,lstart=,command='];
      const { stdout } = await promisify(execFile)('ps', argv, psOptions);
      return stdout.split('\n').flatMap((line) => parsePs(line, cookieEntry(cookie)));
    },
    startOf(pid) {
      try {
        const argv = ['-o', 'lstart=', '-p', String(pid)];
        return readStart(execFileSync('ps', argv, { ...psOptions, encoding: 'utf8', stdio: 'pipe' }));
      } catch {
        return undefined;
      }
    },
  };
}

/** One line of `ps`; empty when it tells of no process. */
export function parsePs(line: string, cookie: string): readonly ProcessEntry[] {
  const [, pid, ppid, group, state = '', time = '', start = '', command = ''] = psLine.exec(line) ?? [];
  if (pid === undefined) return [];
  return [
    {
      pid: Number(pid),
      ppid: Number(ppid),
      group: Number(group),
      start: readStart(start),
      isZombie: state.startsWith('Z'),
      cpuMs: parseClock(time),
      isMarked: command.split(' ').includes(cookie),
    },
  ];
}

/** Seconds since the epoch, as text. */
function readStart(lstart: string): string {
  return String(Date.parse(`${lstart.trim()} UTC`) / 1000);
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/;

/** `[[days-]hours:]minutes:seconds[.hundredths]`. */
function parseClock(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** A live process; pid and start together are never used twice. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  readonly start: string;
  /** Time on a processor, with that of its ended children. */
  readonly cpuMs: number;
  readonly carriesCookie: boolean;
}

/** Every live process that this user may see, and whether the cookie stands in the environment it was started with. */
export async function readProcessTable(cookie: string): Promise<readonly ProcessEntry[]> {
  const mark = `EVENKEEL_COOKIE=${cookie}`;
  return existsSync('/proc/self/environ') ? readProc(mark) : parsePs(await askPs(), mark);
}

function readProc(mark: string): readonly ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  return pids.flatMap((pid) => {
    const stat = readOrNothing(`/proc/${pid}/stat`);
    // The program's name stands in parentheses and may hold anything, also further parentheses.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const [state = '', ppid, group] = fields;
    if (stat === undefined || ['Z', 'X', 'x'].includes(state)) return [];
    const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
    const environment = readOrNothing(`/proc/${pid}/environ`)?.split('\0');
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      group: Number(group),
      start: fields[19] ?? '',
      cpuMs: ticks * msPerTick,
      carriesCookie: environment?.includes(mark) ?? false,
    };
  });
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

async function askPs(): Promise<string> {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
  const argv = ['axeww', '-o', 'pid=,ppid=,pgid=,stat=,time=,lstart=,command='];
  return (await promisify(execFile)('ps', argv, { env, maxBuffer: 256 * 1024 * 1024 })).stdout;
}

/**
 * What `ps` tells on machines without `/proc`. macOS hides the environment of the programs it ships itself; those are
 * found by their group and by their parent only.
 */
export function parsePs(text: string, mark: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, group, state = '', time = '', start = '', command = ''] = psLine.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      group: Number(group),
      start,
      cpuMs: parseClock(time),
      carriesCookie: command.split(' ').includes(mark),
    };
  });
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/;

/** `[[days-]hours:]minutes:seconds[.hundredths]`. */
function parseClock(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

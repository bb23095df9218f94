import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMark } from '../../core/process-mark.ts';
import { cookieName } from './cookie.ts';
import type { Process, ProcessTable } from './process-table.ts';

/** Linux: everything stands in `/proc`. */
export function procProcessTable(): ProcessTable {
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    read: readAll,
    startOf: (pid) => readStat(pid)?.start,
  };
}

/** A table that never comes to rest is taken as it is after so many rounds. */
const mostRounds = 5;

/**
 * One walk through `/proc` is no snapshot. A process that ends during the walk may have left a child that was not listed
 * yet, so the walk is repeated for what is new until none ended; and in the middle of an `exec` an environment reads as
 * empty for a moment, so empty ones are read again.
 */
async function readAll(): Promise<readonly Process[]> {
  const looks = new Map<number, Look>();
  for (let round = 1; ; round += 1) {
    const open = listPids().filter((pid) => !isJudged(looks.get(pid)));
    for (const pid of open) looks.set(pid, lookAt(pid));
    if (round === mostRounds || open.every((pid) => looks.get(pid)?.kind === 'alive')) break;
    await sleep(1);
  }
  return [...looks.values()].flatMap((look) =>
    look.kind === 'alive' || look.kind === 'blank' ? [look.process] : [],
  );
}

type Look =
  | { readonly kind: 'alive' | 'blank'; readonly process: Process }
  | { readonly kind: 'vanished' }
  | { readonly kind: 'dead' };

function listPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

function isJudged(look: Look | undefined): boolean {
  return look?.kind === 'alive' || look?.kind === 'dead';
}

function lookAt(pid: number): Look {
  const stat = readStat(pid);
  if (stat === undefined) return { kind: 'vanished' };
  if (!stat.alive) return { kind: 'dead' };
  const environment = readEnvironment(pid);
  const mark = stat.ownsMemory ? readMark(readOrNothing(`/proc/${pid}/limits`) ?? '') : undefined;
  const process = { pid, ppid: stat.ppid, start: stat.start, cookie: cookieIn(environment), mark };
  return { kind: environment === '' && stat.ownsMemory ? 'blank' : 'alive', process };
}

function readStat(pid: number) {
  const text = readOrNothing(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The program's name stands in parentheses and may hold anything, also spaces and further parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', ppid = ''] = fields;
  return {
    alive: !['Z', 'X', 'x'].includes(state),
    ppid: Number(ppid),
    start: fields[19] ?? '',
    /** Kernel threads have no memory of their own and never an environment. */
    ownsMemory: fields[20] !== '0',
  };
}

function readEnvironment(pid: number): string | undefined {
  return readOrNothing(`/proc/${pid}/environ`);
}

function cookieIn(environment: string | undefined): string | undefined {
  const prefix = `${cookieName}=`;
  return environment
    ?.split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Processes end at any moment, and those of other users are closed to us: neither is an error. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return undefined;
    throw error;
  }
}

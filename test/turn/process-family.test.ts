import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processFamily } from '../../lib/turn/process-family.ts';
import type { ProcessEntry, Processes } from '../../lib/turn/process-table.ts';
import { reap } from '../../lib/turn/reap.ts';
import { startProcess } from '../../lib/turn/start-process.ts';
import { isRunning } from '../support/turn-world.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'family-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A process table that changes only by hand. */
function table(...rows: ReadonlyArray<Partial<ProcessEntry>>) {
  const blank = { ppid: 1, isZombie: false, cpuMs: 0, isMarked: false };
  const at = { rows: rows as ReadonlyArray<Partial<ProcessEntry>> };
  const entries = () => at.rows.map((row) => ({ ...blank, ...row }) as ProcessEntry);
  const processes: Processes = {
    read: async () => entries(),
    startOf: (pid) => entries().find((entry) => entry.pid === pid)?.start,
  };
  const family = processFamily('cookie', processes);
  return {
    family,
    set: (...next: ReadonlyArray<Partial<ProcessEntry>>) => {
      at.rows = next;
    },
    seen: async () => (await family.look()).map(({ pid }) => pid).sort((a, b) => a - b),
  };
}

const leader = { pid: 10, group: 10, start: '100' };
const member = { pid: 11, group: 10, start: '101' };

function adopt(family: ReturnType<typeof processFamily>) {
  const child = Object.assign(new EventEmitter(), { pid: 10 });
  family.adopt(child as never);
  return child;
}

describe('a group of the turn', () => {
  test('holds members that hide whose they are, while its first process is there', async () => {
    const { family, seen, set } = table(leader);
    adopt(family);
    set(leader, member);
    expect(await seen()).toEqual([10, 11]);
    set({ ...leader, isZombie: true }, { ...member, pid: 12 });
    expect(await seen()).toEqual([12]);
  });

  test('outlives its first process by those who were in it at that moment, and by whom they start', async () => {
    const { family, seen, set } = table(leader);
    const child = adopt(family);
    set(member);
    child.emit('exit');
    expect(await seen()).toEqual([11]);
    set(member, { ...member, pid: 12, start: '102' });
    expect(await seen()).toEqual([11, 12]);
    set({ ...member, pid: 12, start: '102' }, { ...member, pid: 13, start: '103' });
    expect(await seen()).toEqual([12, 13]);
  });

  test.each<{ readonly who: string; readonly strangers: ReadonlyArray<Partial<ProcessEntry>> }>([
    { who: 'is its first process', strangers: [{ ...leader, start: '900' }] },
    { who: 'was left there by its first process', strangers: [{ ...member, start: '900' }] },
    {
      who: 'got the number of a member',
      strangers: [
        { ...leader, start: '899' },
        { ...member, start: '900' },
      ],
    },
  ])('is forgotten when its number has come to a stranger, who $who', async ({ strangers }) => {
    const { family, seen, set } = table(leader);
    adopt(family);
    set(leader, member);
    expect(await seen()).toEqual([10, 11]);
    set(...strangers);
    expect(await seen()).toEqual([]);
  });

  test('is forgotten when it was seen empty', async () => {
    const { family, seen, set } = table(leader);
    adopt(family);
    set();
    expect(await seen()).toEqual([]);
    // Whoever is there now has got the number anew, whatever it calls its own.
    set({ ...member, start: '900' });
    expect(await seen()).toEqual([]);
  });
});

/** Root may say which number the next process gets. */
const lastPid = '/proc/sys/kernel/ns_last_pid';
const mayChoose = process.getuid?.() === 0 && canWrite(lastPid);
if (!mayChoose)
  console.warn('a stranger with a number of ours: skipped, only root on Linux may choose numbers');

test.skipIf(!mayChoose)('a stranger that has got the number of an ended group is not reaped', async () => {
  const cookie = randomBytes(16).toString('hex');
  const family = processFamily(cookie);
  const env = { PATH: process.env.PATH ?? '', EVENKEEL_COOKIE: cookie };
  const log = { path: join(dir, 'log'), capBytes: 1_000 };
  const plan = { file: 'sh', args: ['-c', 'echo $$ > pid'], cwd: dir, env, log };
  const running = await startProcess(plan, family);
  await running.ended;
  await running.drain();

  const stranger = await startAs(Number(readFileSync(join(dir, 'pid'), 'utf8')));
  try {
    await reap(family, { graceMs: 50, hurry: new AbortController().signal });
    expect(isRunning(stranger.pid!)).toBe(true);
  } finally {
    stranger.kill('SIGKILL');
  }
});

/** Others on this machine start processes too, so that it takes a few tries. */
async function startAs(pid: number) {
  for (let tries = 0; tries < 200; tries += 1) {
    writeFileSync(lastPid, String(pid - 1));
    const child = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
    if (child.pid === pid) return child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  throw new Error(`no process got the number ${pid}`);
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

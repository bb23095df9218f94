import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processFamily } from '../../lib/turn/process-family.ts';
import { type ProcessEntry, type Processes, psProcesses } from '../../lib/turn/process-table.ts';
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

const hasPs = existsSync('/bin/ps') || existsSync('/usr/bin/ps');
if (!hasPs) console.warn('a machine that has only ps: skipped, this one has none');

test.skipIf(!hasPs)('a machine that has only ps tells who was left in a group without a cookie', async () => {
  const cookie = randomBytes(16).toString('hex');
  const family = processFamily(cookie, psProcesses());
  const args = ['-c', 'env -i sleep 300 & echo $! > pid'];
  const env = { PATH: process.env.PATH ?? '', EVENKEEL_COOKIE: cookie };
  const log = { path: join(dir, 'log'), capBytes: 1_000 };
  const running = await startProcess({ file: 'sh', args, cwd: dir, env, log }, family);
  await running.ended;
  const left = Number(readFileSync(join(dir, 'pid'), 'utf8'));
  expect((await family.look()).map(({ pid }) => pid)).toEqual([left]);
  expect(await reap(family, { graceMs: 5_000, hurry: new AbortController().signal })).toBe(0);
  await running.drain();
  expect(isRunning(left)).toBe(false);
});

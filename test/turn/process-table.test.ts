import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { markCommand } from '../../lib/turn/mark-command.ts';
import { machineProcesses, type Processes, parsePs, psProcesses } from '../../lib/turn/process-table.ts';
import { eventually } from '../support/eventually.ts';

const pids: number[] = [];
afterEach(() => {
  for (const pid of pids.splice(0)) process.kill(pid, 'SIGKILL');
});

function start(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    detached: true,
    stdio: 'ignore',
  });
  pids.push(child.pid!);
  return child.pid!;
}

const sources: ReadonlyArray<readonly [name: string, source: Processes, exists: boolean]> = [
  ['/proc', machineProcesses, existsSync('/proc/self/environ')],
  ['ps', psProcesses(), existsSync('/bin/ps') || existsSync('/usr/bin/ps')],
];

describe.each(sources)('the processes of %s', (name, source, exists) => {
  if (!exists) console.warn(`the processes of ${name}: skipped, this machine has none`);
  const cookie = randomBytes(16).toString('hex');
  const find = (pid: number) => async () => (await source.read(cookie)).find((entry) => entry.pid === pid);

  test.skipIf(!exists)('tell parent, group, start and cookie of a process', async () => {
    const pid = start(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      EVENKEEL_COOKIE: cookie,
      Z: '2',
    });
    const found = await eventually(find(pid), (entry) => entry?.isMarked === true);
    const began = source.startOf(pid);
    expect(found).toMatchObject({ pid, ppid: process.pid, group: pid, start: began, isZombie: false });
    expect(Number(began)).toBeGreaterThan(0);
  });

  test.skipIf(!exists)('tell a process with another cookie from one of ours', async () => {
    const pid = start('sleep', ['30'], { EVENKEEL_COOKIE: `${cookie}0`, NO_EVENKEEL_COOKIE: cookie });
    expect(await eventually(find(pid), Boolean)).toMatchObject({ isMarked: false });
  });

  test.skipIf(!exists)('tell the time that a process has computed', async () => {
    const pid = start(process.execPath, ['-e', 'for (;;);']);
    await eventually(find(pid), (entry) => (entry?.cpuMs ?? 0) >= 1_000);
    expect((await find(pid)())?.cpuMs).toBeLessThan(600_000);
  });

  test.skipIf(!exists)('tell a zombie, which still has its number', async () => {
    // The shell becomes a program that never asks for its child, and the child becomes a zombie.
    const pid = start('sh', ['-c', 'true & exec sleep 30']);
    const children = async () => (await source.read(cookie)).filter(({ ppid }) => ppid === pid);
    const [zombie] = await eventually(children, (found) => found.some(({ isZombie }) => isZombie));
    expect(zombie).toMatchObject({ group: pid });
    expect(await find(pid)()).toMatchObject({ isZombie: false });
  });

  test.skipIf(!exists)('know no start of a process that does not exist', () => {
    expect(source.startOf(2 ** 22 + 1)).toBeUndefined();
  });
});

test.skipIf(!existsSync('/proc/self/limits'))(
  'a process keeps its mark that has emptied its environment',
  async () => {
    const cookie = randomBytes(16).toString('hex');
    const line = ['-c', 'exec env -i sleep 30'];
    const { file, args } = markCommand(cookie, { file: 'sh', args: line });
    const [ours, other] = [start(file, args), start('sh', line)];
    const isMarked = async (pid: number) =>
      (await machineProcesses.read(cookie)).find((entry) => entry.pid === pid)?.isMarked;
    await eventually(
      () => readFileSync(`/proc/${ours}/environ`, 'latin1'),
      (text) => text === '',
    );
    await eventually(
      () => isMarked(ours),
      (is) => is === true,
    );
    expect(await isMarked(other)).toBe(false);
  },
);

test('a command with a mark gets its arguments, its input and its exit code through', async () => {
  const { file, args } = markCommand('cookie', {
    file: 'sh',
    args: ['-c', 'cat; echo "$0:$1"; exit 7', 'a  b', '$c'],
  });
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stdin.end('in ');
  const [code] = await once(child, 'close');
  expect([code, text]).toEqual([7, 'in a  b:$c\n']);
});

test('a line of ps tells who carries the cookie, who started whom, and what time was used', () => {
  const listing = [
    '  501   500   501 Ss   00:01:02 Sun Nov 29 13:28:00 2026 sh -c work EVENKEEL_COOKIE=abc PATH=/bin',
    '  502   501   501 S+   0:00.25 Sun Nov  1 01:02:03 2026 sleep 60',
    '  503   501   503 R  2-01:00:00 Sun Nov 29 13:28:00 2026 sh EVENKEEL_COOKIE=abcd',
    '  504   501   501 Z    00:00:00 Sun Nov 29 13:28:00 2026 [sh] <defunct>',
    'no process at all',
    '',
  ];
  const of = (pid: number, group: number, cpuMs: number) => ({
    pid,
    ppid: pid === 501 ? 500 : 501,
    group,
    cpuMs,
  });
  const began = String(Date.UTC(2026, 10, 29, 13, 28) / 1000);
  const plain = { start: began, isZombie: false, isMarked: false };
  expect(listing.flatMap((line) => parsePs(line, 'EVENKEEL_COOKIE=abc'))).toEqual([
    { ...plain, ...of(501, 501, 62_000), isMarked: true },
    { ...plain, ...of(502, 501, 250), start: String(Date.UTC(2026, 10, 1, 1, 2, 3) / 1000) },
    { ...plain, ...of(503, 503, 176_400_000) },
    { ...plain, ...of(504, 501, 0), isZombie: true },
  ]);
});

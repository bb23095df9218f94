import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { procProcessTable } from '../../../lib/adapters/local-process/proc-process-table.ts';
import type { ProcessTable } from '../../../lib/adapters/local-process/process-table.ts';
import { psProcessTable } from '../../../lib/adapters/local-process/ps-process-table.ts';
import { eventually } from '../../support/eventually.ts';

const tables: ReadonlyArray<readonly [name: string, make: () => ProcessTable, tool: string]> = [
  ['the process table of /proc', procProcessTable, '/proc/self/environ'],
  ['the process table of ps', psProcessTable, findPs()],
];

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(program: string, argv: readonly string[], env: Record<string, string>): number {
  const child = spawn(program, argv, { env: { PATH: process.env.PATH ?? '', ...env }, stdio: 'ignore' });
  children.push(child);
  return child.pid!;
}

for (const [name, make, tool] of tables) {
  const missing = !existsSync(tool);
  if (missing) console.warn(`${name}: skipped, this machine has no ${tool}`);

  describe.skipIf(missing)(name, () => {
    const find = (pid: number) => async () => (await make().read()).find((process) => process.pid === pid);

    it('tells parent, start and cookie of a process', async () => {
      const pid = start(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        A: '1',
        EVENKEEL_COOKIE: 'a.b.c.d',
        Z: '2',
      });
      const found = await eventually(find(pid), (process) => process?.cookie !== undefined);
      expect(found).toMatchObject({ pid, ppid: process.pid, start: make().startOf(pid), cookie: 'a.b.c.d' });
    });

    it('tells no cookie of a process without one', async () => {
      const pid = start(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        NOT_EVENKEEL_COOKIE: 'x',
      });
      const found = await eventually(find(pid), Boolean);
      expect(found?.cookie).toBeUndefined();
    });

    it('does not take a zombie for alive', async () => {
      // The shell becomes a program that never asks for its child, and the child becomes a zombie.
      const pid = start('sh', ['-c', 'true & exec sleep 30'], {});
      const zombie = await eventually(
        () => childOf(pid),
        (child) => child?.state === 'Z',
      );
      expect(await find(zombie!.pid)()).toBeUndefined();
      expect(await find(pid)()).toBeDefined();
    });

    it('knows no start of a process that does not exist', () => {
      expect(make().startOf(2 ** 22 + 1)).toBeUndefined();
    });

    it('names the boot without a colon, always the same', () => {
      expect(make().bootId).toMatch(/^[^:\s]+$/);
      expect(make().bootId).toBe(make().bootId);
    });
  });
}

describe.skipIf(!existsSync('/proc/self/environ'))('the process table of /proc', () => {
  it('believes the environment and not the arguments', async () => {
    const argv = ['-e', 'setInterval(() => {}, 1000)', 'EVENKEEL_COOKIE=planted'];
    const pid = start(process.execPath, argv, { OTHER: 'EVENKEEL_COOKIE=planted' });
    const found = await eventually(
      async () => (await procProcessTable().read()).find((entry) => entry.pid === pid),
      Boolean,
    );
    expect(found?.cookie).toBeUndefined();
  });

  it('is not led astray by a program whose name looks like a status', async () => {
    const pid = start('sh', ['-c', 'printf ") Z 1 1" > /proc/self/comm; while :; do sleep 0.1; done'], {});
    await eventually(
      () => readFileSync(`/proc/${pid}/comm`, 'latin1'),
      (comm) => comm.includes(') Z'),
    );
    const found = (await procProcessTable().read()).find((entry) => entry.pid === pid);
    expect(found).toMatchObject({ pid, ppid: process.pid });
  });
});

function findPs(): string {
  return ['/usr/bin/ps', '/bin/ps'].find((path) => existsSync(path)) ?? '/bin/ps';
}

function childOf(parent: number) {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,stat='], { encoding: 'utf8' }).split('\n');
  const children = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid]) => Number(ppid) === parent);
  return children.map(([pid, , state]) => ({ pid: Number(pid), state: state?.[0] }))[0];
}

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IssueId } from '../../lib/core/issue.ts';
import { DataFolderError } from '../../lib/host/data-folder-error.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../lib/host/embedded-store.ts';
import { aBoard, aLeaseWith, anIssue } from '../support/ledger-records.ts';

// Starting a process takes its time where the machine is busy.
vi.setConfig({ testTimeout: 180_000 });

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function open(dataDir: string): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore(dataDir);
  onTestFinished(store.close);
  return store;
}

/** A process that opens the store of the folder and writes leases numbered from `from`. */
function startHolder(
  dataDir: string,
  options: { from?: number; count?: number; fileLimitKib?: number } = {},
) {
  const { from = 0, count = Number.POSITIVE_INFINITY, fileLimitKib } = options;
  const program = [
    process.execPath,
    '--import',
    'tsx',
    'test/support/store-holder.ts',
    dataDir,
    `${from}`,
    `${count}`,
  ];
  const limit = fileLimitKib === undefined ? '' : `ulimit -f ${fileLimitKib}; `;
  const child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', ...program], {
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, lines, answered: () => lines.filter((line) => /^\d+$/.test(line)) };
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function leasesIn(dataDir: string): Promise<readonly string[]> {
  const store = await openEmbeddedStore(dataDir);
  const leases = await store.ledger.leases('g1');
  await store.close();
  return leases.map((lease) => lease.issueId);
}

describe('a store that was closed', () => {
  it('opens again with everything in it', async () => {
    const dataDir = await emptyFolder();
    const first = await open(dataDir);
    await first.ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'a' }));
    await first.close();
    await first.close();
    const second = await open(dataDir);
    expect(await second.ledger.lease('g1', aBoard, anIssue)).toMatchObject({ boot: 'a' });
    await second.check();
  });

  it('answers nothing more, and says so as unknown', async () => {
    const store = await open(await emptyFolder());
    await store.close();
    await expect(store.ledger.tick()).rejects.toThrow(/did not answer/);
  });
});

describe('one process per folder', () => {
  it('a second one is refused with the name of the folder, the pid and what to do, and disturbs nothing', async () => {
    const dataDir = await emptyFolder();
    const holder = startHolder(dataDir, { count: 3 });
    await until(() => holder.answered().length === 3, 'three leases');
    await writeFile(join(dataDir, 'host.json'), JSON.stringify({ pid: holder.child.pid, port: 1 }));

    const refused = openEmbeddedStore(dataDir);

    await expect(refused).rejects.toBeInstanceOf(DataFolderError);
    await expect(refused).rejects.toThrow(new RegExp(`${dataDir}.*pid ${holder.child.pid}.*--data`));
    expect(holder.lines).not.toContainEqual(expect.stringMatching(/lost|fail/));
    expect(holder.child.exitCode).toBeNull();
  });

  it('is refused too without a host.json, or with a broken one', async () => {
    const dataDir = await emptyFolder();
    await open(dataDir);
    await expect(openEmbeddedStore(dataDir)).rejects.toThrow(
      /in use by another running process\. .*Stop that one first/,
    );
    await writeFile(join(dataDir, 'host.json'), '{"pid": "x"');
    await expect(openEmbeddedStore(dataDir)).rejects.toThrow(
      /in use by another running process\. .*Stop that one first/,
    );
  });

  it('a folder that was refused can be opened once the other process has ended', async () => {
    const dataDir = await emptyFolder();
    const holder = startHolder(dataDir, { count: 1 });
    await until(() => holder.answered().length === 1, 'a lease');
    await expect(openEmbeddedStore(dataDir)).rejects.toThrow(/in use/);
    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(await leasesIn(dataDir)).toEqual(['0']);
  });
});

describe('a process that is killed', () => {
  it('loses no answered write, however often, and leaves a store that opens', async () => {
    const dataDir = await emptyFolder();
    const answered: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const holder = startHolder(dataDir, { from: round * 100_000 });
      const writes = 5 + 40 * round;
      await until(() => holder.answered().length >= writes, `${writes} leases in round ${round}`);
      holder.child.kill('SIGKILL');
      await holder.ended;
      answered.push(...holder.answered());
    }
    expect(await leasesIn(dataDir)).toEqual(expect.arrayContaining(answered));
    expect(await readdir(dataDir)).not.toContain('socket');
  });
});

describe('a first start that is killed', () => {
  it('while the engine makes its table leaves a store that opens', async () => {
    const dataDir = await emptyFolder();
    await (await open(dataDir)).close();
    await writeAsHalfMade(join(dataDir, 'state'));
    const store = await open(dataDir);
    await store.ledger.changeLease('g1', aBoard, anIssue, aLeaseWith({ boot: 'a' }));
    expect(await store.ledger.lease('g1', aBoard, anIssue)).toMatchObject({ boot: 'a' });
  });
});

/** What the engine has written between the two writes by which it makes a table. */
async function writeAsHalfMade(state: string): Promise<void> {
  const engine = new ClassicLevel<string, { readonly TableStatus: string }>(state, { valueEncoding: 'json' });
  const made = await engine.get('table~evenkeel');
  expect(made).toMatchObject({ TableStatus: 'ACTIVE' });
  await engine.put('table~evenkeel', { ...made, TableStatus: 'CREATING' });
  await engine.close();
}

describe('a disk that takes no more', () => {
  it('ends the store with an error that names the folder, and everything answered is there afterwards', async () => {
    const dataDir = await emptyFolder();
    const holder = startHolder(dataDir, { fileLimitKib: 256 });
    await holder.ended;

    expect(holder.lines.at(-1)).toMatch(new RegExp(`^fail .*${dataDir}.*File too large.*limit`));
    expect(holder.answered().length).toBeGreaterThan(20);
    expect(await leasesIn(dataDir)).toEqual(expect.arrayContaining(holder.answered()));

    const later = startHolder(dataDir, { from: 1_000_000, count: 50 });
    await until(() => later.answered().length === 50, 'fifty leases more');
    later.child.kill('SIGKILL');
    await later.ended;
    const kept = await leasesIn(dataDir);
    expect(kept).toEqual(expect.arrayContaining([...holder.answered(), ...later.answered()]));
  });

  it('refuses to open with an error that names the folder', async () => {
    const dataDir = await emptyFolder();
    const holder = startHolder(dataDir, { fileLimitKib: 0 });
    await holder.ended;
    expect(holder.lines).toEqual([
      expect.stringMatching(new RegExp(`^refused DataFolderError: .*${dataDir}.*disk`)),
    ]);
    expect(await leasesIn(dataDir)).toEqual([]);
  });
});

describe('a folder that is not what it was', () => {
  it.each(['state', 'lock', '.'])(
    'is noticed when "%s" is removed under the running store',
    async (removed) => {
      const dataDir = join(await emptyFolder(), 'data');
      const store = await open(dataDir);
      await store.check();
      await rm(join(dataDir, removed), { recursive: true });
      await expect(store.check()).rejects.toThrow(new RegExp(`${dataDir}.*removed or replaced`));
      await mkdir(join(dataDir, removed), { recursive: true });
      await expect(store.check()).rejects.toBeInstanceOf(DataFolderError);
    },
  );

  it('starts empty when its state was removed in between', async () => {
    const dataDir = await emptyFolder();
    const store = await open(dataDir);
    await store.ledger.changeLease('g1', aBoard, '1' as IssueId, aLeaseWith({}));
    await store.close();
    await rm(join(dataDir, 'state'), { recursive: true });
    expect(await leasesIn(dataDir)).toEqual([]);
  });

  it('a damaged store is named, with a way out that works', async () => {
    const dataDir = await emptyFolder();
    await (await open(dataDir)).close();
    await writeFile(join(dataDir, 'state', 'CURRENT'), 'nonsense\n');
    await expect(openEmbeddedStore(dataDir)).rejects.toThrow(
      new RegExp(`${dataDir}/state cannot be opened.*damaged, move the folder away`),
    );
    await rm(join(dataDir, 'state'), { recursive: true });
    expect(await leasesIn(dataDir)).toEqual([]);
  });

  it('a data folder that is a file is refused with its name', async () => {
    const file = join(await emptyFolder(), 'file');
    await writeFile(file, '');
    await expect(openEmbeddedStore(file)).rejects.toThrow(new RegExp(`${file}.*cannot be`));
  });
});

describe('who can reach the store', () => {
  it('it is served on a socket in a folder of its owner alone', async () => {
    const dataDir = await emptyFolder();
    const holder = startHolder(dataDir, { count: 1 });
    await until(() => holder.answered().length === 1, 'a lease');
    expect((await stat(join(dataDir, 'socket'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'state'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'socket', 'ledger'))).isSocket()).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('it is served on no port', async () => {
    const holder = startHolder(await emptyFolder(), { count: 1 });
    await until(() => holder.answered().length === 1, 'a lease');
    expect(await listeningPorts(holder.child.pid)).toEqual([]);
    const server = createServer().listen(0, '127.0.0.1');
    await until(() => server.listening, 'listening');
    expect(await listeningPorts(process.pid)).not.toEqual([]);
    server.close();
  });

  it('a folder with a path too long for a socket works all the same', async () => {
    const dataDir = join(await emptyFolder(), 'a'.repeat(60), 'b'.repeat(60));
    const store = await open(dataDir);
    expect(await store.ledger.tick()).toBeUndefined();
  });
});

/** The local addresses of TCP on which the process listens, as the kernel writes them. */
async function listeningPorts(pid: number | undefined): Promise<readonly string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const sockets = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  return sockets
    .filter(([, , , state, , , , , , inode]) => state === '0A' && links.includes(`socket:[${inode}]`))
    .map(([, address = '']) => address);
}

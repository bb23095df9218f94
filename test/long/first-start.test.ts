import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleBoard } from '../../lib/host/example-files.ts';
import { type HostProcess, startHostProcess } from '../e2e/support/host-process.ts';
import { findProcesses, killQuietly } from '../e2e/support/scene-processes.ts';
import { seededRandom } from '../support/seeded-random.ts';

let dir: string;
let dataDir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'first-')));
  dataDir = join(dir, 'data');
});
afterEach(() => {
  for (const pid of findProcesses(dir)) killQuietly(pid);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** What a first start makes, in about this order; first of all the data folder itself. */
const steps = [
  '',
  'example',
  'example/repository.git',
  'example/board',
  'example/WORKFLOW.md',
  'lock',
  'state',
  'deployment.json',
  'socket',
  'host.json',
  'trace.jsonl',
  'turns',
];

function start(...args: readonly string[]): HostProcess {
  return startHostProcess({ cwd: dir, dataDir, args: ['--interval', '0.5', ...args] });
}

async function killAt(path: string, afterMs: number): Promise<void> {
  const host = start();
  const deadline = performance.now() + 20_000;
  while (!existsSync(join(dataDir, path)) && performance.now() < deadline) await sleep(1);
  await sleep(afterMs);
  await host.kill();
  expect(await host.ended).toMatchObject({ signal: 'SIGKILL' });
}

function stateOf(key: string): string | undefined {
  return /^state: (.*)$/m.exec(readFileSync(join(dataDir, 'example/board', `${key}.md`), 'utf8'))?.[1];
}

test('a first start that is killed at each of its steps is finished by the next one', async () => {
  const seed = Number(process.env.EVENKEEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`EVENKEEL_SEED=${seed}`);
  const random = seededRandom(seed);
  for (const step of steps) await killAt(step, random.pick([0, 0, 1, 2, 5, 20, 80]));
  const end = await start('--until-idle').ended;
  expect(end).toMatchObject({ code: 0 });
  expect(readdirSync(join(dataDir, 'example/board'))).toEqual(
    expect.arrayContaining(Object.keys(exampleBoard)),
  );
  expect(['DEMO-1', 'DEMO-2', 'DEMO-3', 'DEMO-4'].map(stateOf)).toEqual([
    'In Review',
    'In Review',
    'Todo',
    'Backlog',
  ]);
  expect(readdirSync(dataDir).sort()).toEqual(
    ['.gitignore', 'deployment.json', 'example', 'lock', 'state', 'trace.jsonl', 'turns'].sort(),
  );
  expect(readdirSync(join(dataDir, 'example')).sort()).toEqual(['WORKFLOW.md', 'board', 'repository.git']);
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { hashSeal } from '../../lib/adapters/secrets/hash-seal.ts';
import type { TickReport } from '../../lib/controller/reconcile.ts';
import type { TurnId } from '../../lib/core/issue.ts';
import { boardNamer } from '../../lib/host/board-names.ts';
import { makeDeployment, readDeployment, writeDeployment } from '../../lib/host/deployment-file.ts';
import { emptyLedger } from '../../lib/host/empty-ledger.ts';
import { hostClock } from '../../lib/host/host-clock.ts';
import { writePrivateFile } from '../../lib/host/private-file.ts';
import { tickLoop } from '../../lib/host/tick-loop.ts';
import { traceFile } from '../../lib/host/trace-file.ts';
import { wirePorts } from '../../lib/host/wire-ports.ts';
import { eventually } from '../support/eventually.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'machine-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the clock never runs behind what was stamped before, and goes on steadily', () => {
  const ahead = Date.now() + 3_600_000;
  const clock = hostClock(ahead);
  const first = clock.now();
  expect(first).toBeGreaterThanOrEqual(ahead);
  expect(clock.now()).toBeGreaterThanOrEqual(first);
  expect(Math.abs(hostClock(0).now() - Date.now())).toBeLessThan(1_000);
});

test('turns are heard of since the host wired its ports', async () => {
  const { clock, settings } = await wirePorts({
    dataDir: dir,
    deployment: makeDeployment(),
    ledger: emptyLedger(),
    boards: async () => [],
    reporter: { report: () => {} },
    trigger: { requestTick: async () => {} },
    intervalMs: 5_000,
    maxConcurrentAgents: 1,
  });
  const { servedSince } = settings.timing;
  expect(clock.now() - servedSince!).toBeGreaterThanOrEqual(0);
  expect(clock.now() - servedSince!).toBeLessThan(60_000);
});

test('ids are 26 characters of base32, and no two are the same', () => {
  const ids = Array.from({ length: 1_000 }, () => randomIds().random());
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/);
});

test('a ticket belongs to one turn of one deployment', () => {
  const [one, other] = ['1-a', '1-b'] as readonly string[] as TurnId[];
  const seal = hashSeal('secret');
  expect(seal.ticket(one!)).toBe(hashSeal('secret').ticket(one!));
  expect(seal.ticket(one!)).not.toBe(seal.ticket(other!));
  expect(seal.ticket(one!)).not.toBe(hashSeal('another').ticket(one!));
  expect(seal.digest('key')).toMatch(/^[0-9a-f]{64}$/);
});

test('a board keeps its name, and a second folder of that name gets another one', async () => {
  const kept: string[] = [];
  const nameOf = boardNamer({ '/a/issues': 'issues' }, async (names) => kept.push(...Object.values(names)));
  expect(await nameOf('/a/issues')).toBe('issues');
  expect(kept).toEqual([]);
  const second = await nameOf('/b/issues');
  expect(second).toMatch(/^issues-[0-9a-f]{6}$/);
  expect(await nameOf('/b/issues')).toBe(second);
  expect(await nameOf('/c/Über uns!')).toBe('Über-uns-');
  expect(kept).toContain(second);
});

test('a deployment is read as it was written; one that cannot be understood is no new one', async () => {
  expect(await readDeployment(dir)).toBeUndefined();
  const made = makeDeployment();
  await writeDeployment(dir, made);
  expect(await readDeployment(dir)).toEqual(made);
  writeFileSync(join(dir, 'deployment.json'), '{');
  await expect(readDeployment(dir)).rejects.toThrow('cannot be understood');
});

test('a private file is never half there and never readable by others', async () => {
  const path = join(dir, 'secret.json');
  writeFileSync(path, 'old', { mode: 0o644 });
  writeFileSync(`${path}.new`, 'what a killed process left', { mode: 0o644 });
  await writePrivateFile(path, 'new');
  expect(existsSync(`${path}.new`)).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  mkdirSync(join(dir, 'folder'));
  await expect(writePrivateFile(join(dir, 'folder'), 'x')).rejects.toThrow();
});

test('a trace that cannot be written loses lines and nothing else', () => {
  const told: unknown[] = [];
  const trace = traceFile(join(dir, 'missing'), (fact) => told.push(fact));
  trace.report({ time: 1, fact: 'hint' });
  expect(told).toHaveLength(1);
  trace.close();
});

test('a full trace begins anew and keeps the one before', () => {
  const path = join(dir, 'trace.jsonl');
  const before = traceFile(dir, () => {});
  before.report({ time: 1, fact: 'hint' });
  before.close();
  truncateSync(path, 64 * 1024 * 1024);
  appendFileSync(path, '\n');
  const after = traceFile(dir, () => {});
  after.report({ time: 2, fact: 'hint' });
  after.close();
  expect(readFileSync(path, 'utf8')).toBe('{"time":"1970-01-01T00:00:00.002Z","fact":"hint"}\n');
  expect(statSync(join(dir, 'trace.1.jsonl')).size).toBe(64 * 1024 * 1024 + 1);
});

test('a line that was cut by a kill does not spoil the next one', () => {
  const path = join(dir, 'trace.jsonl');
  writeFileSync(path, '{"time":1,"fa');
  const trace = traceFile(dir, () => {});
  trace.report({ time: 2, fact: 'hint' });
  trace.close();
  expect(readFileSync(path, 'utf8').split('\n')).toEqual([
    '{"time":1,"fa',
    '{"time":"1970-01-01T00:00:00.002Z","fact":"hint"}',
    '',
  ]);
});

const nothing: TickReport = { kind: 'not-admitted' };
const pace = (intervalMs: number, hintGapMs = 0) => ({ intervalMs, hintGapMs });

test('a storm of hints costs one tick in a gap, counted from the end of the one before, and the last is not lost', async () => {
  const ticks: { readonly began: number; ended: number }[] = [];
  const loop = tickLoop(
    async () => {
      const tick = { began: performance.now(), ended: Number.POSITIVE_INFINITY };
      ticks.push(tick);
      await new Promise((resolve) => setTimeout(resolve, 50));
      tick.ended = performance.now();
      return nothing;
    },
    pace(3_600_000, 400),
  );
  loop.start();
  let lastHint = 0;
  await eventually(
    () => {
      loop.hint();
      lastHint = performance.now();
      return ticks.length;
    },
    (count) => count >= 3,
  );
  await eventually(
    () => ticks.at(-1)!,
    ({ began, ended }) => began > lastHint && Number.isFinite(ended),
  );
  await loop.stop();
  for (const [at, { began }] of ticks.entries())
    if (at > 0) expect(began - ticks[at - 1]!.ended).toBeGreaterThanOrEqual(399);
});

test('ticks run one at a time, and a burst of hints is one', async () => {
  const ran: string[] = [];
  let atWork = 0;
  const loop = tickLoop(async (trigger) => {
    atWork += 1;
    expect(atWork).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    atWork -= 1;
    ran.push(trigger);
    return nothing;
  }, pace(3_600_000));
  loop.start();
  for (let hint = 0; hint < 50; hint += 1) loop.hint();
  await Promise.all([loop.runNow(), loop.runNow()]);
  await eventually(
    () => ran.join(' '),
    (all) => all === 'scheduled scheduled scheduled hint',
  );
  expect(loop.nextAt()).toBeGreaterThan(Date.now());
  await loop.stop();
  loop.hint();
  await expect(loop.runNow()).rejects.toThrow('stopping');
  expect(ran).toHaveLength(4);
});

test('a tick that fails does not end the schedule', async () => {
  let ran = 0;
  const loop = tickLoop(async () => {
    ran += 1;
    throw new Error('the board is away');
  }, pace(30));
  loop.start();
  await eventually(
    () => ran,
    (ticks) => ticks > 2,
  );
  await loop.stop();
  const then = ran;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(ran).toBe(then);
});

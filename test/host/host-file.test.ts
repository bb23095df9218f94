import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { keepHostFile } from '../../lib/host/host-file.ts';
import { eventually } from '../support/eventually.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-host-file-'));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('the file by which running turns find their host comes back when somebody takes it away, and goes at the end', async () => {
  const path = join(dataDir, 'host.json');
  const file = {
    pid: process.pid,
    url: 'http://127.0.0.1:1',
    token: 't'.repeat(43),
    startedAt: 'now',
    version: '0',
  };
  const stop = await keepHostFile(dataDir, file);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(file);
  rmSync(path);
  await eventually(() => existsSync(path), Boolean);
  await stop();
  expect(existsSync(path)).toBe(false);
});

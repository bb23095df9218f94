import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import { findKeptWork } from '../../lib/host/find-kept-work.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kept-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function layOut(turnId: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(dataDir, 'turns', turnId, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const result = (more: object = {}) =>
  JSON.stringify({ version: 1, status: 'completed', verify: [], ...more } satisfies TurnResult);

test('counts the turns whose work is in their folder and nowhere else, with what the folders hold', async () => {
  layOut('1-delivered', { 'outcome.json': result(), 'ws/a.txt': 'delivered' });
  layOut('2-bundle', { 'outcome.json': result(), 'work.bundle': '0123456789' });
  layOut('3-alone', { 'outcome.json': result({ inWorkspaceOnly: true }), 'ws/deep/a.txt': '01234' });
  layOut('4-killed', { 'ws/a.txt': 'nobody has taken it over' });
  layOut('5-rescued', { 'ws/a.txt': 'taken over', 'rescued.txt': '' });
  layOut('6-running', { 'ws/a.txt': 'at work' });
  const kept = await findKeptWork(dataDir, ['6-running']);
  expect([...kept.turns].sort()).toEqual(['2-bundle', '3-alone', '4-killed']);
  const results = result().length + result({ inWorkspaceOnly: true }).length;
  expect(kept).toMatchObject({ folder: join(dataDir, 'turns'), bytes: results + 10 + 5 + 24, isPart: false });
});

test('a data folder that is not there holds nothing', async () => {
  expect(await findKeptWork(join(dataDir, 'none'), [])).toMatchObject({ turns: [], bytes: 0 });
});

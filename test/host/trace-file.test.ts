import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseTraceLine } from '../../lib/core/trace-line.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trace-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a trace whose file takes no more ends with a whole line', () => {
  const program = `
    import { traceFile } from ${JSON.stringify(new URL('../../lib/host/trace-file.ts', import.meta.url).href)};
    const trace = traceFile(${JSON.stringify(dir)}, () => {});
    for (let at = 0; at < 100; at += 1) trace.report({ time: at, fact: 'hint' });
  `;
  const command = 'ulimit -f 1; exec "$0" --import tsx --input-type=module --eval "$1"';
  execFileSync('bash', ['-c', command, process.execPath, program]);
  const text = readFileSync(join(dir, 'trace.jsonl'), 'utf8');
  const lines = text.split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(5);
  expect(text.endsWith('\n')).toBe(true);
  expect(lines.filter((line) => 'problem' in parseTraceLine(line))).toEqual([]);
});

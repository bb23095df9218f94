import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

let second = 0;
function line(fact: string, more: Readonly<Record<string, unknown>> = {}): string {
  second += 1;
  const time = new Date(Date.UTC(2026, 10, 29, 10, 0, second)).toISOString();
  return `${JSON.stringify({ time, fact, board: 'b', issue: 'A', key: 'A', ...more })}\n`;
}
const started = (turnId: string) =>
  line('claimed', { turnId, attempt: Number(turnId[0]) }) +
  line('claim-confirmed', { turnId }) +
  line('turn-started', { turnId, arn: `arn-${turnId}` });

describe('check-trace', () => {
  test('passes a trace that keeps every promise, and counts what it saw', async () => {
    await writeFile(join(cwd, 'good.jsonl'), started('1-x') + line('stopped-seen', { turnId: '1-x' }));
    const { code, stdout } = await runCli(['check-trace', 'good.jsonl'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^good\.jsonl: 4 facts, no promise is broken\n/);
    expect(stdout).toContain('turn-started 1');
  });

  test('fails and names the promise when two turns of one issue work at once', async () => {
    const { code, stdout } = await runCli(['check-trace', '-'], {
      cwd,
      input: started('1-x') + started('2-y'),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/one-live-turn .*A 2-y: works while 1-x/);
  });

  test('lists violations as JSON', async () => {
    const { code, stdout } = await runCli(['check-trace', '-', '--json'], {
      cwd,
      input: started('1-x') + started('2-y'),
    });
    expect(code).toBe(1);
    const { violations, counts } = JSON.parse(stdout) as {
      violations: { rule: string }[];
      counts: Record<string, number>;
    };
    expect(violations.map(({ rule }) => rule)).toContain('one-live-turn');
    expect(counts['turn-started']).toBe(2);
  });

  test('fails on a line that is no trace line, because what it tells cannot be checked', async () => {
    const { code, stdout } = await runCli(['check-trace', '-'], {
      cwd,
      input: `${line('hint')}(node:12) Warning: something\n${line('hint')}`,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/ line 2: not a line of JSON\n/);
  });

  test('does not pass what is no trace at all', async () => {
    const { code, stdout } = await runCli(['check-trace', '-'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('there is no trace in it');
  });
});

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TurnLogs, turnLogs } from '../../lib/cli/turn-logs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logs-'));
  mkdirSync(join(folder, 'out'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const out = (name: string) => join(folder, 'out', name);

async function read(logs: TurnLogs, isLast = false): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const news of logs.readNew(isLast))
    lines.push(...news.lines.map((line) => `${news.name}: ${line}`));
  return lines;
}

describe("a turn's logs", () => {
  test('come line by line, each once, and a line without its end only when nothing more can come', async () => {
    const logs = turnLogs(folder);
    expect(await read(logs)).toEqual([]);
    writeFileSync(out('agent.log'), 'one\ntw');
    expect(await read(logs)).toEqual(['agent.log: one']);
    expect(await read(logs)).toEqual([]);
    appendFileSync(out('agent.log'), 'o\nthree');
    expect(await read(logs)).toEqual(['agent.log: two']);
    expect(await read(logs, true)).toEqual(['agent.log: three']);
  });

  test('keep a letter whole whose bytes come one by one', async () => {
    const logs = turnLogs(folder);
    const [first, second] = [...Buffer.from('ü')];
    writeFileSync(out('agent.log'), Buffer.from([first!]));
    await read(logs);
    appendFileSync(out('agent.log'), Buffer.from([second!]));
    expect(await read(logs, true)).toEqual(['agent.log: ü']);
  });

  test('stand in the order of the turn: its steps, hooks before the agent, the agent, the rest', async () => {
    for (const name of ['verify-1.log', 'agent.log', 'after_run.log', 'before_run.log', 'note.txt'])
      writeFileSync(out(name), 'x\n');
    writeFileSync(join(folder, 'runner.log'), 'x\n');
    expect(await read(turnLogs(folder))).toEqual(
      ['runner.log', 'before_run.log', 'agent.log', 'after_run.log', 'verify-1.log'].map(
        (name) => `${name}: x`,
      ),
    );
  });

  test('are read to the end however long they are', async () => {
    writeFileSync(out('agent.log'), `${'x'.repeat(3 * 1024 * 1024)}\nend\n`);
    const lines = await read(turnLogs(folder), true);
    expect(lines.map((line) => line.length)).toEqual(['agent.log: '.length + 3 * 1024 * 1024, 14]);
  });

  test('wait for nobody when an agent puts a pipe where its log should be', async () => {
    execFileSync('mkfifo', [out('agent.log')]);
    expect(await read(turnLogs(folder), true)).toEqual([]);
  });

  test('end once the host has seen the exit', () => {
    const logs = turnLogs(folder);
    expect(logs.hasEnded()).toBe(false);
    writeFileSync(join(folder, 'exit.json'), '{}');
    expect(logs.hasEnded()).toBe(true);
  });

  test('end some seconds after the outcome, which comes before the last lines', () => {
    const outcome = join(folder, 'outcome.json');
    writeFileSync(outcome, '{}');
    expect(turnLogs(folder).hasEnded()).toBe(false);
    const before = new Date(Date.now() - 10_000);
    utimesSync(outcome, before, before);
    expect(turnLogs(folder).hasEnded()).toBe(true);
  });
});

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSelfReport } from '../../lib/turn/self-report.ts';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let dir: string;
let world: TurnWorld | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'report-'));
});
afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await world?.end();
  world = undefined;
});

function read(text: string) {
  const path = join(dir, 'result.json');
  writeFileSync(path, text);
  return readSelfReport(path);
}

describe('a report', () => {
  test('need not be written', async () => {
    expect(await readSelfReport(join(dir, 'none.json'))).toEqual({});
  });

  test('that the work is done says nothing more', async () => {
    expect(await read('{"status":"done"}')).toEqual({});
  });

  test.each([
    ['{"status":"done","usage":{"usd":0.42,"tokens":1234}}', { usage: { usd: 0.42, tokens: 1234 } }],
    ['{"status":"done","usage":{"usd":0}}', { usage: { usd: 0 } }],
    ['{"status":"done","usage":{"usd":0.12345678}}', { usage: { usd: 0.123457 } }],
    [
      '{"status":"question","question":"Why?","usage":{"tokens":5}}',
      { question: 'Why?', usage: { tokens: 5 } },
    ],
  ])('%s tells what was spent', async (text, says) => {
    expect(await read(text)).toEqual(says);
  });

  test.each([
    ['secret words', 'it is no JSON object'],
    ['', 'it is no JSON object'],
    ['["secret"]', 'it is no JSON object'],
    ['{"usage":{"usd":1}}', 'status must be done, question or blocked'],
    ['{"status":"secret"}', 'status must be done, question or blocked'],
    ['{"status":"question","question":7}', 'question must be a text'],
    ['{"status":"done","usage":"secret"}', 'usage must be an object'],
    ['{"status":"done","usage":{}}', 'usage must have usd or tokens'],
    ['{"status":"done","usage":{"usd":-1}}', 'usage usd must not be negative'],
    ['{"status":"done","usage":{"usd":"secret"}}', 'usage usd must be a number'],
    ['{"status":"done","usage":{"usd":1e200}}', 'usage usd must be at most 1000000'],
    ['{"status":"done","usage":{"tokens":1.5}}', 'usage tokens must be a whole number'],
  ])('%s is not taken, and the problem quotes nothing of it', async (text, problem) => {
    expect(await read(text)).toEqual({ problem });
  });

  test('keeps its question when its usage cannot be understood', async () => {
    expect(await read('{"status":"question","question":"Why?","usage":7}')).toEqual({
      question: 'Why?',
      problem: 'usage must be an object',
    });
  });

  test('that is a link or too long is a problem too', async () => {
    const problem = 'it is no plain file of up to 64 KB';
    expect(await read(`{"status":"done"}${' '.repeat(70_000)}`)).toEqual({ problem });
    symlinkSync(join(dir, 'result.json'), join(dir, 'link.json'));
    expect(await readSelfReport(join(dir, 'link.json'))).toEqual({ problem });
  });
});

describe('a turn', () => {
  const report = (text: string) => `printf '%s' '${text}' > "$EVENKEEL_RESULT_FILE"`;

  test('tells what the agent spent, also when the agent failed', async () => {
    world = await makeTurnWorld({
      command: `${report('{"status":"done","usage":{"usd":0.42,"tokens":1234}}')}; exit 1`,
    });
    expect((await world.run()).result).toMatchObject({
      status: 'failed',
      usage: { usd: 0.42, tokens: 1234 },
    });
  });

  test('says in its log that a report was not taken, and goes by the work', async () => {
    world = await makeTurnWorld({ command: `echo new > new.txt; ${report('{"usage": "my secret"')}` });
    const { result, log } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(result).not.toHaveProperty('usage');
    expect(log).toContain('report of the agent not taken');
    expect(log).not.toContain('my secret');
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Arn, TurnId } from '../../../lib/core/issue.ts';
import { type AskedStack, askedLogs, askedStack, type KnownIssue } from '../../support/aws/asked-stack.ts';
import { eventually } from '../../support/eventually.ts';
import { aChange, aSettlement } from '../../support/ledger-records.ts';

let asked: AskedStack;
let issue: KnownIssue;
beforeEach(async () => {
  asked = await askedStack();
  await asked.openLedger();
  issue = await asked.addIssue();
});
afterEach(() => asked.dispose());

const line = (message: string) => JSON.stringify({ time: '2026-11-29T10:00:00.000Z', message, exitCode: 0 });
const streamOf = (task: string) => `${askedLogs} turn/turn/${task.replace(/^.*\//, '')}`;
const logsOf = (...args: readonly string[]) => ['logs', issue.key, '--stack', 'keel', ...args];

test('the turn at work is told from its own stream, without any access to the board', async () => {
  const task = await asked.runTurn(issue);
  asked.logs.streams.set(streamOf(task.arn), [line('agent started'), 'a line of the platform']);
  asked.logs.streams.set(`${askedLogs} turn/turn/other`, ['of another turn']);
  const { code, stdout, stderr } = await asked.run(logsOf(), { GITHUB_TOKEN: undefined });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/agent started \(exitCode 0\)\na line of the platform\n$/);
  expect(stdout).not.toContain('another');
});

test('what its agent, hooks and gates printed is told under the names of their logs', async () => {
  const task = await asked.runTurn(issue);
  const output = (log: string, text: string) =>
    JSON.stringify({ time: '2026-11-29T10:00:00.000Z', turnId: '3-a', log, line: text });
  asked.logs.streams.set(streamOf(task.arn), [
    line('agent started'),
    output('agent.log', 'I begin'),
    output('agent.log', 'I end'),
    line('gate begins'),
    output('verify-1.log', 'all is well'),
    output('../x.log', 'a name that is none'),
  ]);
  const { stdout } = await asked.runHere(logsOf());
  expect(stdout.split('\n').filter((text) => !text.includes('exitCode'))).toEqual([
    '==> runner.log <==',
    '',
    '==> agent.log <==',
    'I begin',
    'I end',
    '',
    '==> runner.log <==',
    '',
    '==> verify-1.log <==',
    'all is well',
    '',
    '==> runner.log <==',
    expect.stringContaining('a name that is none'),
    '',
  ]);
  const json = (await asked.runHere(logsOf('--json'))).stdout.trim().split('\n');
  expect(json.map((text) => JSON.parse(text).log)).toEqual([
    'runner.log',
    'agent.log',
    'agent.log',
    'runner.log',
    'verify-1.log',
    'runner.log',
  ]);
});

test('is told as JSON line by line', async () => {
  const task = await asked.runTurn(issue);
  asked.logs.streams.set(streamOf(task.arn), ['one', 'two']);
  const { stdout } = await asked.runHere(logsOf('--json'));
  const turnId = task.input.startedBy;
  expect(
    stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual([
    { turnId, log: 'runner.log', line: 'one' },
    { turnId, log: 'runner.log', line: 'two' },
  ]);
});

test('of an issue that rests it is the turn that ended last', async () => {
  const [first, last] = ['1-abcdefghijklmnopqrstuvwxyz', '2-abcdefghijklmnopqrstuvwxyz'] as TurnId[];
  for (const [turnId, endedAt] of [
    [last!, 3_000],
    [first!, 2_000],
  ] as const) {
    const arn = `arn:aws:ecs:eu-west-1:123456789012:task/evenkeel/${turnId}` as Arn;
    const { id: issueId, key } = issue;
    await asked.ledger.putHistory(
      aSettlement({ board: asked.board, issueId, key, turnId, arn, endedAt, attempt: Number(turnId[0]) }),
    );
    asked.logs.streams.set(streamOf(arn), [`of turn ${turnId}`]);
  }
  expect((await asked.runHere(logsOf())).stdout).toContain(`of turn ${last}\n`);
});

test('followed, it goes on with what comes, and ends with the task', async () => {
  const task = await asked.runTurn(issue);
  const lines = ['begun'];
  asked.logs.streams.set(streamOf(task.arn), lines);
  const followed = asked.run(logsOf('--follow'));
  const read = () => asked.logs.heard.length;
  await eventually(read, (count) => count >= 3);
  lines.push('working');
  asked.tasks.world.end(task, { exitCode: 0 });
  // What a task printed last is brought in a little after its end was seen.
  const looked = () => asked.tasks.heard.filter(({ call }) => call === 'DescribeTasks').length;
  const before = looked();
  await eventually(looked, (count) => count >= before + 2);
  lines.push('done');
  const { code, stdout } = await followed;
  expect(code).toBe(0);
  expect(stdout).toMatch(/begun\nworking\ndone\n$/);
});

test('a turn that has printed nothing is told as that', async () => {
  await asked.runTurn(issue);
  const { code, stdout, stderr } = await asked.runHere(logsOf());
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('has printed nothing yet, or its log is older than logs are kept');
});

test('a turn whose task was never seen is told as that', async () => {
  await asked.runTurn(issue);
  const forget = aChange({ remove: ['liveArn'] as never });
  await asked.ledger.changeLease('gen', asked.board, issue.id, forget as never);
  const { code, stderr } = await asked.runHere(logsOf());
  expect(code).toBe(1);
  expect(stderr).toContain('has no task that was seen');
});

test('an issue that never had a turn is told as that', async () => {
  const { code, stderr } = await asked.runHere(logsOf());
  expect(code).toBe(1);
  expect(stderr).toContain(`No turn of ${issue.key} is known.`);
});

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AskedStack, answerOf, askedStack } from '../../support/aws/asked-stack.ts';
import { aSettlement } from '../../support/ledger-records.ts';

let asked: AskedStack;
let issue: Awaited<ReturnType<AskedStack['addIssue']>>;
beforeEach(async () => {
  asked = await askedStack();
  await asked.openLedger();
  issue = await asked.addIssue();
});
afterEach(() => asked.dispose());

const ask = async (...args: readonly string[]) =>
  answerOf(await asked.runHere([...args, '--stack', 'keel', '--json']));

/** Everything that is kept anywhere. */
const everything = async () => [
  ...(await asked.items()),
  await asked.github.stateOf(issue.id),
  await asked.github.restOf(issue.id),
  ...asked.tasks.world.all().map(({ status }) => status),
];

describe('a deployment in AWS, asked from outside,', () => {
  test('says what its next tick would do, and is left as it was', async () => {
    const before = await everything();
    expect(await ask('plan')).toMatchObject({
      boards: [
        {
          board: asked.board,
          contract: { valid: true },
          decisions: [{ key: issue.key, action: 'start', reason: 'start' }],
        },
      ],
    });
    expect(await everything()).toEqual(before);
    expect(asked.tasks.heard.map(({ call }) => call)).not.toContain('RunTask');
    expect(existsSync(join(asked.cwd, '.evenkeel'))).toBe(false);
  });

  test('holds its own cap, not that of a machine', async () => {
    for (let more = 0; more < 4; more += 1) await asked.addIssue();
    const { boards } = (await ask('plan')) as {
      boards: { decisions: { action: string; reason: string }[] }[];
    };
    const reasons = boards[0]!.decisions.map(({ reason }) => reason).sort();
    expect(reasons).toEqual(['cap-deployment', 'cap-deployment', 'start', 'start', 'start']);
  });

  test('plans with a workflow file that is not deployed yet', async () => {
    const file = join(asked.cwd, 'NEW.md');
    const tracker = {
      kind: 'github',
      project: 'acme/web',
      endpoint: asked.github.server.endpoint,
      active_states: ['backlog'],
      handoff_state: 'in review',
      terminal_states: ['done'],
    };
    await writeFile(
      file,
      `---\n${JSON.stringify({ tracker, agent: { kind: 'command', command: 'true' } })}\n---\nWork.\n`,
    );
    expect(await ask('plan', '--workflow', 'NEW.md')).toMatchObject({
      boards: [{ board: asked.board, contract: { valid: true }, decisions: [] }],
    });
  });

  test('tells every problem of a workflow file that is not deployed yet', async () => {
    await writeFile(
      join(asked.cwd, 'NEW.md'),
      '---\n{ tracker: { kind: local, project: board }, repository: acme/web, agent: { kind: command, command: work } }\n---\nWork.\n',
    );
    const { code, stdout } = await asked.runHere(['plan', '--stack', 'keel', '--workflow', 'NEW.md']);
    expect(code).toBe(1);
    expect(stdout).toContain('tracker.kind local cannot be served');
  });

  test('says what runs, what waits and what it has cost', async () => {
    await asked.runTurn(issue);
    const { code, stdout, stderr } = await asked.run(['status', '--stack', 'keel']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('The deployment is in AWS');
    expect(stdout).toContain('1 running');
    expect(stdout).toMatch(new RegExp(`${asked.board} +${issue.key} +attempt 3 +running`));
  });

  test('says which of its alarms are raised, and of no other', async () => {
    const since = Date.now() - 200_000;
    asked.alarms.states.set('Keel-tick-failing', { value: 'ALARM', since });
    asked.alarms.states.set('Keel-quota-low', { value: 'OK', since });
    asked.alarms.states.set('Keel-two-tick-failing', { value: 'ALARM', since });
    const { stdout } = await asked.runHere(['status', '--stack', 'keel']);
    expect(stdout.match(/^! .*$/gm)).toEqual([
      '! The alarm Keel-tick-failing is raised, for 4 min: docs/operating.md says what to do.',
    ]);
    expect(await ask('status')).toMatchObject({
      alarms: [
        { name: 'Keel-tick-failing', state: 'raised', since: new Date(since).toISOString() },
        { name: 'Keel-quota-low', state: 'ok' },
      ],
    });
  });

  test('says of one issue why it runs', async () => {
    await asked.runTurn(issue);
    expect(await ask('explain', issue.key)).toMatchObject({
      key: issue.key,
      board: asked.board,
      title: 'Say hello',
      phase: 'running',
    });
  });

  test('lists the turns that have ended, without any access to the board', async () => {
    const record = { ...aSettlement(), board: asked.board, issueId: issue.id, key: issue.key };
    await asked.ledger.putHistory(record);
    const { code, stdout } = await asked.runHere(['history', issue.key, '--stack', 'keel', '--json'], {
      GITHUB_TOKEN: undefined,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ board: asked.board, key: issue.key, turnId: record.turnId }]);
  });

  test('is paused and goes on by its ledger alone, and says so', async () => {
    const withoutBoard = { GITHUB_TOKEN: undefined };
    const pause = () => asked.runHere(['pause', '--stack', 'keel'], withoutBoard);
    expect(await pause()).toMatchObject({ code: 0, stdout: `Paused ${asked.board}.\n` });
    const since = (await asked.ledger.board(asked.board))?.paused?.since;
    expect(since).toBeGreaterThan(0);
    expect(await pause()).toMatchObject({ code: 0 });
    expect((await asked.ledger.board(asked.board))?.paused?.since).toBe(since);
    const copied = ['--stack', 'keel', '--region', 'eu-west-1'];
    const ofPlan = await asked.runHere(['plan', ...copied, '--json']);
    const toResume = 'evenkeel resume --stack keel --region eu-west-1';
    expect(answerOf(ofPlan)).toMatchObject({
      boards: [{ decisions: [{ key: issue.key, action: 'wait', reason: 'paused', toResume }] }],
    });
    for (const command of [['plan'], ['status'], ['explain', issue.key]])
      expect((await asked.runHere([...command, ...copied])).stdout).toContain(toResume);
    const resumed = await asked.runHere(['resume', asked.board, '--stack', 'keel'], withoutBoard);
    expect(resumed).toMatchObject({ code: 0, stdout: `Resumed ${asked.board}.\n` });
    expect((await asked.ledger.board(asked.board))?.paused).toBeUndefined();
  });

  test('knows its boards: another one cannot be paused', async () => {
    const { code, stderr } = await asked.runHere(['pause', 'other', '--stack', 'keel']);
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no board "other": the boards are ${asked.board}.`);
  });
});

import { describe, expect, test } from 'vitest';
import type { SettlementRecord } from '../../lib/core/settle.ts';
import { describeTries, describeTurn } from '../../lib/core/status-comment.ts';
import { buildLease, now, turnId } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { completed, failed } from '../support/world.ts';

const lease = buildLease('A');
const workflow = buildWorkflow();

function comment(fields: Partial<SettlementRecord> = {}): string {
  return describeTurn(
    {
      board: lease.board,
      issueId: lease.issueId,
      key: lease.key,
      turnId,
      attempt: 3,
      outcome: 'handed-off',
      failureClass: undefined,
      reason: 'the agent finished',
      nextAt: undefined,
      parked: undefined,
      state: undefined,
      policyHash: undefined,
      transitions: [],
      result: completed,
      arn: undefined,
      startedAt: now,
      endedAt: now,
      ...fields,
    },
    lease,
    workflow,
  );
}

describe('the status comment', () => {
  test('says the attempt, the result, the branch and what happens next', () => {
    expect(comment().split('\n')).toEqual([
      '**evenkeel**: the agent finished',
      '',
      '| | |',
      '|---|---|',
      '| Attempt | 3 |',
      '| Result | handed over to a person |',
      '| Branch | `evenkeel/issue/x` |',
      '| Commits | 1 in 1 file |',
      '| Cost | unknown |',
      '| Next | a person reviews it; moving the card back to an active state starts another turn |',
      '',
    ]);
  });

  test.each([
    [{ kind: 'open', number: 7, url: 'https://code.example/7' }, '[7](https://code.example/7)'],
    [
      { kind: 'merged', number: 7, url: 'https://code.example/7' },
      '[7](https://code.example/7) was merged before; what came later is on the branch, from which you can open another one',
    ],
    [
      { kind: 'closed', number: 7, url: 'https://code.example/7' },
      '[7](https://code.example/7) was closed by a person and is not opened again; what came later is on the branch',
    ],
    [{ kind: 'refused', problem: 'ask @me | it' }, 'none: ask @\u200bme \\| it'],
  ] as const)('says what became of the pull request %o', (pullRequest, said) => {
    expect(comment({ pullRequest })).toContain(
      `| Branch | \`evenkeel/issue/x\` |\n| Pull request | ${said} |`,
    );
  });

  test.each([
    ['retry', '| Result | failed, will be tried again |'],
    ['recheck', '| Result | ended, will be looked at again |'],
    ['parked', '| Result | parked |'],
    ['released', '| Result | released |'],
  ] as const)('names the outcome %s', (outcome, row) => {
    expect(comment({ outcome })).toContain(row);
  });

  test('names the failure class, the tries used and when the next one starts', () => {
    const text = comment({ outcome: 'retry', failureClass: 'agent', result: failed('agent'), nextAt: now });
    expect(text).toContain('| Class | agent |');
    expect(text).toContain('| Tries | 1 of 3 tries |');
    expect(text).toContain('| Next | another turn starts after 2026-01-01T12:00:00.000Z |');
    expect(text).not.toContain('| Branch |');
    expect(comment({ outcome: 'recheck' })).toContain('| Next | another turn starts when there is room |');
  });

  test('counts no tries of what trying again cannot help', () => {
    const lasting = failed('policy', false);
    expect(comment({ outcome: 'parked', failureClass: 'policy', result: lasting })).not.toContain('Tries');
    expect(comment({ outcome: 'retry', failureClass: 'policy', result: failed('policy') })).toContain(
      '| Tries | 1 of 3 tries |',
    );
    expect(comment({ outcome: 'parked', failureClass: 'agent', result: failed('agent') })).toContain('Tries');
  });

  test('says what to do about a parked issue', () => {
    const parked = { reason: 'failures', since: now, detail: 'd', toResume: 'move the card' } as const;
    expect(comment({ outcome: 'parked', parked })).toContain('| Next | waits for a person: move the card |');
  });

  test('says where work was kept that did not reach the branch, and nothing else of the machine', () => {
    const git = { ...completed.git!, pushed: false };
    expect(comment({ result: { ...completed, git: { ...git, wipBranch: 'evenkeel/wip/x' } } })).toContain(
      '| Kept work | on `evenkeel/wip/x` |',
    );
    const bundle = '/home/ada/web/.evenkeel/turns/1-abc/work.bundle';
    expect(comment({ result: { ...completed, git: { ...git, bundle } } })).toContain(
      '| Kept work | in the bundle `turns/1-abc/work.bundle` of the data folder |',
    );
    const elsewhere = { ...git, bundle: 's3://kept/turns/1-abc.bundle' };
    expect(comment({ result: { ...completed, git: elsewhere } })).toContain(
      '| Kept work | in the bundle `s3://kept/turns/1-abc.bundle` |',
    );
    const left = { inWorkspaceOnly: true, workspace: '/home/ada/web/.evenkeel/turns/1-abc/ws' };
    expect(
      comment({ result: { ...completed, ...left, git: { ...git, wipBranch: 'evenkeel/wip/x' } } }),
    ).toContain(
      '| Kept work | on `evenkeel/wip/x`; some of it only in `turns/1-abc/ws` of the data folder |',
    );
    expect(comment()).not.toContain('Kept work');
    expect(comment({ result: { ...completed, git: { ...git, commits: 3, files: 2 } } })).toContain(
      '| Commits | 3 in 2 files |',
    );
    expect(comment({ result: { ...completed, git: { ...git, commits: 0 } } })).not.toContain('Commits');
  });

  test('says what of the work was left out', () => {
    const notes = ['The work leaves out a folder.', 'The work leaves out a | file.'];
    expect(comment({ result: { ...completed, notes } })).toContain(
      '| Note | The work leaves out a folder. The work leaves out a \\| file. |',
    );
    expect(comment()).not.toContain('Note');
  });

  test('names the branch that an earlier turn pushed', () => {
    const git = { ...completed.git!, pushed: false, commits: 0 };
    expect(comment({ result: { ...completed, git } })).not.toContain('Branch');
    expect(comment({ result: { ...completed, git: { ...git, expectedSha: 'e' } } })).toContain(
      '| Branch | `evenkeel/issue/x` |',
    );
  });

  test('lists the gates with their verdicts', () => {
    const verify = [
      { command: 'npm test', status: 'passed' as const, durationMs: 1 },
      { command: 'a|b`c', status: 'failed' as const, durationMs: 1 },
    ];
    expect(comment({ result: { ...completed, verify } })).toContain(
      '| Gates | `npm test` passed, `a b c` failed |',
    );
    expect(comment()).not.toContain('Gates');
  });

  test('shows the cost, and unknown where it is not known', () => {
    expect(comment({ result: { ...completed, usage: { usd: 1.5, tokens: 20 } } })).toContain(
      '| Cost | 1.50 USD, 20 tokens |',
    );
    expect(comment({ result: { ...completed, usage: { tokens: 20 } } })).toContain('| Cost | 20 tokens |');
    expect(comment({ result: { ...completed, usage: {} } })).toContain('| Cost | unknown |');
    expect(comment({ startedAt: undefined })).not.toContain('Cost');
  });

  test('quotes a question and makes mentions, references and markup in it harmless', () => {
    const text = comment({
      result: { version: 1, status: 'question', question: 'Ask @team?\nfixes #1 <img> ![x](y)', verify: [] },
    });
    expect(text).toContain('> Ask @\u200bteam?');
    expect(text).toContain('> fixes #\u200b1 \\<img\\> \\!\\[x\\](y)');
    expect(comment()).not.toContain('The agent asks');
  });

  test('links back from no issue or commit that a question names by its address', () => {
    const ask = (question: string) =>
      comment({ result: { version: 1, status: 'question', question, verify: [] } });
    for (const part of ['issues/5', 'pull/5', 'discussions/5', 'commit/0a1b2c3'])
      expect(ask(`as in https://github.com/a/b/${part}`)).toContain(`https://github.com/a/b/\u200b${part}`);
    expect(ask('see https://docs.example/issues')).toContain('https://docs.example/issues');
    expect(ask('one\r\ntwo\rthree')).toContain('> one\n> two\n> three\n');
  });

  test('keeps a reason on its line and in its cell', () => {
    expect(comment({ reason: 'a\nb | c @you' }).split('\n')[0]).toBe('**evenkeel**: a b \\| c @\u200byou');
  });
});

test('tries are counted by class', () => {
  const counters = { agent: 1, verification: 1, delivery: 0, policy: 2, noProgress: 1, infrastructure: 0 };
  expect(describeTries(counters, 'agent', workflow)).toBe('2 of 3 tries');
  expect(describeTries(counters, 'delivery', workflow)).toBe('1 of 3 tries');
  expect(describeTries(counters, 'policy', workflow)).toBe('3 of 3 tries');
  expect(describeTries(counters, 'verification', workflow)).toBe('2 of 2 tries');
  expect(describeTries(counters, 'no-progress', workflow)).toBe('2 of 2 turns');
  expect(describeTries(counters, 'infrastructure', workflow)).toBeUndefined();
  expect(describeTries(counters, undefined, workflow)).toBeUndefined();
});

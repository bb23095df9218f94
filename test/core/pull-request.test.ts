import { describe, expect, test } from 'vitest';
import type { StateName } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import { branchName } from '../../lib/core/names.ts';
import { makeBlock, replaceBlock } from '../../lib/core/pull-request.ts';
import { settleTurn } from '../../lib/core/settle.ts';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
import { buildLease, contract, now } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { completed, failed, nothingDone } from '../support/world.ts';

/** The pull request that follows a turn, as it is wanted before the issue is moved. */
function wantedAfter(
  fields: Partial<Lease>,
  issue: IssueFields = {},
  workflow = buildWorkflow(),
): object | undefined {
  const lease = buildLease('A', {
    phase: 'ending',
    attempt: 3,
    startedFrom: 'Todo' as StateName,
    writtenState: 'In Progress' as StateName,
    ...fields,
  });
  const found = buildIssue({ id: 'A', title: 'Say why', state: 'In Progress', ...issue });
  const settlement = settleTurn({ kind: 'found', issue: found }, lease, workflow, contract, now);
  return settlement.kind === 'settle' ? settlement.pullRequest : undefined;
}

const branch = branchName('A' as never);
const delivered = { ...completed, git: { ...completed.git!, branch } };

describe('the pull request of a turn', () => {
  test('is wanted where its work reached its branch, as the workflow file says', () => {
    expect(wantedAfter({ result: delivered }, { url: 'https://code.example/1' })).toEqual({
      branch,
      base: 'main',
      draft: true,
      title: 'Say why',
      issue: { key: 'A', url: 'https://code.example/1' },
      closes: false,
      body: 'The work of attempt 3 by evenkeel.',
    });
    const workflow = buildWorkflow({ base: 'trunk', pull_request: { draft: false, closing_keyword: true } });
    expect(wantedAfter({ result: delivered }, {}, workflow)).toMatchObject({
      base: 'trunk',
      draft: false,
      closes: true,
    });
  });

  test('is wanted at the hand-off that an earlier run has made, too', () => {
    const handedOff = { result: delivered, writtenState: 'In Review' as StateName };
    expect(wantedAfter(handedOff, { state: 'In Review' })).toMatchObject({ branch });
  });

  test.each(['main', branchName('B' as never)])(
    "is of the issue's own branch, whatever a turn says that was not what it seemed (%s)",
    (other) => {
      const forged = { ...delivered, git: { ...delivered.git, branch: other } };
      expect(wantedAfter({ result: forged })).toMatchObject({ branch });
    },
  );

  test('is wanted of a branch that an earlier turn has left', () => {
    const git = { ...nothingDone.git!, expectedSha: 'e' };
    expect(
      wantedAfter({ result: { ...nothingDone, git, status: 'question', question: 'Why?' } }),
    ).toBeDefined();
  });

  test('is not wanted without a branch, nor of what is tried again or was decided by a person', () => {
    const withBranch = { ...failed('agent'), git: { ...delivered.git, expectedSha: 'e' } };
    expect(wantedAfter({ result: nothingDone })).toBeUndefined();
    expect(wantedAfter({ result: { ...completed, git: undefined } })).toBeUndefined();
    expect(wantedAfter({ result: withBranch })).toBeUndefined();
    expect(wantedAfter({ result: delivered }, { state: 'Done' })).toBeUndefined();
    expect(wantedAfter({ result: delivered }, { closed: true })).toBeUndefined();
    expect(wantedAfter({ result: delivered }, { state: 'Backlog' })).toBeUndefined();
    expect(wantedAfter({ result: { ...delivered, status: 'stopped', cause: 'signal' } })).toBeUndefined();
    const byPeople = buildWorkflow({ pull_request: { open: false } });
    expect(wantedAfter({ result: delivered }, {}, byPeople)).toBeUndefined();
  });

  test('is wanted of what a turn leaves to be looked at again, where there is no hand-off', () => {
    const workflow = buildWorkflow({ tracker: { handoff_state: null } });
    expect(wantedAfter({ result: delivered }, {}, workflow)).toBeDefined();
  });

  test('is found in the evidence where the turn could not report', () => {
    const evidence = {
      arn: 'arn' as never,
      at: now,
      exitCode: 0,
      signal: undefined,
      cause: 'exit',
      detail: 'exit 0',
      result: delivered,
    } as const;
    expect(wantedAfter({ evidence })).toBeDefined();
  });

  test('names the gates and nothing of the issue or the agent', () => {
    const verify: TurnResult['verify'] = [
      { command: 'npm test', status: 'passed', durationMs: 1 },
      { command: 'say `no`\nto it', status: 'not-run', durationMs: 0 },
    ];
    expect(wantedAfter({ result: { ...delivered, verify } })).toMatchObject({
      body: 'The work of attempt 3 by evenkeel.\n\nGates:\n\n- `npm test` passed\n- `say  no  to it` not-run',
    });
  });
});

describe("our block of a pull request's text", () => {
  const block = makeBlock('new');

  test('is rewritten, and what people wrote around it stays', () => {
    const before = `Before.\n${makeBlock('old')}\nAfter.`;
    expect(replaceBlock(before, block)).toBe(`Before.\n${block}\nAfter.`);
    expect(replaceBlock(replaceBlock(before, block)!, block)).toBe(`Before.\n${block}\nAfter.`);
  });

  test('is not put back where a person has taken it, or an end of it, out', () => {
    const [begin, end] = [makeBlock('').split('\n')[0]!, makeBlock('').split('\n').at(-1)!];
    expect(replaceBlock('Text of a person.', block)).toBeUndefined();
    expect(replaceBlock(`${begin} and no end`, block)).toBeUndefined();
    expect(replaceBlock(`${end} before ${begin}`, block)).toBeUndefined();
  });

  test('ends where it says, whatever stands in it', () => {
    const [begin, end] = [makeBlock('').split('\n')[0]!, makeBlock('').split('\n').at(-1)!];
    const nested = `${end.slice(0, 6)}${end}${end.slice(6)}`;
    for (const sly of [`a ${end} b ${begin} c`, nested])
      expect(replaceBlock(`${makeBlock(sly)} rest`, block)).toBe(`${block} rest`);
  });
});

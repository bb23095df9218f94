import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { commandsFor } from '../../lib/cli/commands-for.ts';
import { renderExplain } from '../../lib/cli/render-explain.ts';
import { renderHistory } from '../../lib/cli/render-history.ts';
import { renderPlan } from '../../lib/cli/render-plan.ts';
import { renderStatus, type StatusView } from '../../lib/cli/render-status.ts';
import { renderStep } from '../../lib/cli/render-step.ts';
import type {
  ExplainReport,
  HistoryEntry,
  PlannedDecision,
  StatusReport,
} from '../../lib/controller/operations.ts';

const now = Date.UTC(2026, 10, 29, 10);
const at = (secondsFromNow: number) => new Date(now + secondsFromNow * 1_000).toISOString();
const plain = pc.createColors(false);
const viewOf = (source: StatusView['source'], command = commandsFor({})): StatusView => ({
  source,
  colors: plain,
  now,
  command,
});
const steering = '\u001b[2Jx\u202e';

const turn: HistoryEntry = {
  turnId: '2-abc',
  attempt: 2,
  board: 'board',
  key: 'DEMO-1',
  policyHash: 'p',
  baseSha: 'a'.repeat(40),
  workspace: '/w',
  inWorkspaceOnly: false,
  transitions: [],
  outcome: 'handed-off',
  class: null,
  reason: 'the agent finished',
  branch: 'evenkeel/issue/demo-1',
  headSha: '0123456789abcdef',
  pushed: true,
  pullRequest: null,
  wipBranch: null,
  bundle: null,
  notes: [],
  verify: [{ command: 'npm test', status: 'passed', exitCode: 0, durationMs: 10 }],
  usage: { usd: 0.5, tokens: 1_200 },
  startedAt: at(-60),
  endedAt: at(-20),
};

describe('a plan for people', () => {
  const decisions: readonly PlannedDecision[] = [
    { key: 'DEMO-1', action: 'start', reason: 'start', detail: 'attempt 1 starts from "Todo"' },
    { key: 'DEMO-20', action: 'wait', reason: 'retry-not-due', detail: 'again', until: at(8) },
    { key: 'DEMO-3', action: 'wait', reason: 'blocked', detail: 'by DEMO-1', toResume: 'finish DEMO-1' },
  ];

  test('is a table by board, aligned, with what ends each wait', () => {
    const contract = { valid: true, problems: [] };
    const lines = renderPlan({ boards: [{ board: 'board', contract, decisions }] }, plain, now).split('\n');
    expect(lines).toEqual([
      'Board board',
      '  KEY      ACTION  REASON         DETAIL',
      '  DEMO-1   start   start          attempt 1 starts from "Todo"',
      '  DEMO-20  wait    retry-not-due  again (for 8 s more)',
      '  DEMO-3   wait    blocked        by DEMO-1; to resume: finish DEMO-1',
    ]);
  });

  test('ends the sentence of a turn before it says what to do', () => {
    const [decision] = [
      { key: 'A', action: 'wait', reason: 'parked', detail: 'It has no branch main.', toResume: 'mend it' },
    ] as const;
    const contract = { valid: true, problems: [] };
    const text = renderPlan({ boards: [{ board: 'board', contract, decisions: [decision] }] }, plain, now);
    expect(text).toContain('It has no branch main; to resume: mend it');
  });

  test("begins with what is wrong with the board's contract", () => {
    const problems = [{ rule: 'state-exists', path: 'tracker.handoff_state', message: 'no such state' }];
    const contract = { valid: false, problems };
    const text = renderPlan({ boards: [{ board: 'board', contract, decisions }] }, plain, now);
    expect(text).toMatch(
      /^Board board {2}the contract does not hold: nothing starts\n.*state-exists {2}tracker\.handoff_state {2}no such state\n {2}KEY/,
    );
  });

  test.each([true, false])(
    'never calls a board empty that could not be read (contract known: %s)',
    (valid) => {
      const problems = [{ rule: 'board-read', path: 'tracker', message: 'no way' }];
      const text = renderPlan(
        { boards: [{ board: 'b', contract: { valid, problems }, decisions: [] }] },
        plain,
        now,
      );
      expect(text).toBe('Board b  it could not be read: nothing starts\n  !  board-read  tracker  no way');
    },
  );

  test('keeps boards apart, and says when one has nothing to do', () => {
    const board = (name: string) => ({ board: name, contract: { valid: true, problems: [] }, decisions: [] });
    const text = renderPlan({ boards: [board('a'), board('b')] }, plain, now);
    expect(text).toBe(
      'Board a\n  No issue is in an active state.\n\nBoard b\n  No issue is in an active state.',
    );
  });

  test('shows nothing of an issue that would steer the terminal', () => {
    const contract = { valid: true, problems: [] };
    const bad = { key: steering, action: 'wait', reason: 'unknown', detail: steering } as const;
    const text = renderPlan({ boards: [{ board: steering, contract, decisions: [bad] }] }, plain, now);
    expect(text.match(/[^\P{C}\n]/gu)).toBeNull();
  });
});

describe('the status for people', () => {
  const quiet: StatusReport = {
    paused: false,
    pausedBoards: [],
    lastTick: null,
    running: [],
    waiting: [],
    retrying: [],
    parked: [],
    inReview: 0,
    parkedInReview: 0,
    spent: { usdToday: 0, turnsWithUnknownUsage: 0 },
    problems: [],
  };
  const lastTick: StatusReport['lastTick'] = {
    startedAt: at(-4),
    finishedAt: at(-3),
    rounds: 1,
    complete: true,
    decisions: {},
    problems: [],
    inHandoff: 0,
    parkedInHandoff: 0,
    waits: [],
    liveLeases: 0,
    openWrites: 0,
    stuckLeases: 0,
  };

  test('says whether a host is running and when it last looked', () => {
    expect(renderStatus({ ...quiet, lastTick }, viewOf('host'))).toMatch(
      /^The host is running; the last tick ended 3 s ago\.\n/,
    );
    expect(renderStatus(quiet, viewOf('store'))).toMatch(/^No host is running; no tick has ended yet\.\n/);
    expect(renderStatus(quiet, viewOf('empty'))).toMatch(/^Nothing has run here yet/);
    const adopted = { board: 'b', key: 'A', turnId: '1-x', attempt: 1, phase: 'running', state: null };
    const running = [{ ...adopted, startedAt: null, lastProgressAt: null }];
    expect(renderStatus({ ...quiet, running }, viewOf('empty'))).toMatch(/^The ledger .* is gone; .* adopts/);
  });

  test('says what the last tick asked of trackers that have a quota', () => {
    const say = (cost: NonNullable<typeof lastTick>['cost']) =>
      renderStatus({ ...quiet, lastTick: { ...lastTick, cost } }, viewOf('host')).split('\n')[0];
    expect(say({ requests: 6, points: 7, remaining: 4_990 })).toBe(
      'The host is running; the last tick ended 3 s ago. It cost 6 requests and 7 points; 4990 points of the quota are left.',
    );
    expect(say({ requests: 1, points: 1 })).toMatch(/ago\. It cost 1 request and 1 point\.$/);
    expect(say(undefined)).toMatch(/ago\.$/);
  });

  test('names what the last tick could not do', () => {
    const failed = { ...lastTick, complete: false, problems: ['A: settle failed'] };
    const text = renderStatus({ ...quiet, lastTick: failed }, viewOf('host'));
    expect(text).toMatch(/incomplete\.\n {2}! A: settle failed\n/);
  });

  test('lists what runs, waits, is tried again and is parked, each with its reason and end', () => {
    const text = renderStatus(
      {
        ...quiet,
        running: [
          {
            board: 'b',
            key: 'R',
            turnId: '1-x',
            attempt: 1,
            phase: 'running',
            state: 'In Progress',
            startedAt: at(-90),
            lastProgressAt: at(-5),
          },
        ],
        waiting: [{ board: 'b', key: 'W', reason: 'quota', until: at(30), toResume: null }],
        retrying: [{ board: 'b', key: 'T', failures: 2, class: 'agent', dueAt: at(12) }],
        parked: [{ board: 'b', key: 'P', reason: 'failures', since: at(-60), toResume: 'move the card' }],
        inReview: 3,
        parkedInReview: 1,
        spent: { usdToday: 1.5, turnsWithUnknownUsage: 2 },
      },
      viewOf('host'),
    );
    expect(text).toContain(
      '1 running · 1 waiting · 1 retrying · 1 parked · 3 in review (1 parked) · today 1.50 USD + 2 turns of unknown cost',
    );
    expect(text).toContain('b  R  attempt 1  running  in "In Progress"  for 90 s  last sign of work 5 s ago');
    expect(text).toContain('b  W  quota  in 30 s');
    expect(text).toContain('b  T  2 failed (agent)  again in 12 s');
    expect(text).toMatch(/b {2}P {2}failures {2}since \S+ \S+ {2}to resume: move the card/);
  });

  test('names why a board starts nothing', () => {
    const problems = [
      { board: 'b', rule: 'state-exists', path: 'tracker.active_states', message: 'no Todo' },
    ];
    expect(renderStatus({ ...quiet, problems }, viewOf('host'))).toMatch(
      /^! b: tracker\.active_states: no Todo$/m,
    );
  });

  test('tells a pause of all boards from one of a single board', () => {
    expect(renderStatus({ ...quiet, paused: true, pausedBoards: ['a'] }, viewOf('host'))).toMatch(
      /^Paused\. /m,
    );
    expect(renderStatus({ ...quiet, pausedBoards: ['a'] }, viewOf('host'))).toMatch(/^Paused: a\. /m);
  });
});

describe('an explanation', () => {
  const report: ExplainReport = {
    key: 'DEMO-1',
    board: 'board',
    title: 'Fix it',
    state: 'Todo',
    phase: 'idle',
    decisions: [
      { key: 'DEMO-1', action: 'wait', reason: 'retry-not-due', detail: 'tried again', until: at(8) },
    ],
    turns: 2,
    counters: { agent: 1, delivery: 0 },
    spentUsd: 0.25,
    turnsWithUnknownUsage: 2,
    parked: null,
    nextAt: at(8),
    lastTurn: turn,
  };

  test('says where the issue is, what is decided and why, until when, and how its last turn ended', () => {
    const text = renderExplain(report, plain, now);
    expect(text).toMatch(/^DEMO-1 is in "Todo" on board: Fix it\n/);
    expect(text).toMatch(/ now +wait \(retry-not-due\): tried again\n/);
    expect(text).toMatch(/ until +\S+ \S+, in 8 s\n/);
    expect(text).toMatch(/ spent +0\.25 USD \+ 2 turns of unknown cost\n/);
    expect(text).toMatch(/ turns +2 since a person last moved it; failures: agent 1\n/);
    expect(text).toMatch(
      / last turn +attempt 2 ended .*, handed-off: the agent finished; branch evenkeel\/issue\/demo-1 at 012345678$/,
    );
  });

  test('says that no state is known of an issue that cannot be read, or stands in several', () => {
    expect(renderExplain({ ...report, state: null }, plain, now)).toMatch(
      /^DEMO-1 is in no state that is known now on board: Fix it\n/,
    );
  });

  test('says what to do about a park', () => {
    const parked = {
      reason: 'failures',
      since: at(-9),
      detail: 'it crashed',
      toResume: 'move it out and back',
    };
    const text = renderExplain({ ...report, decisions: [], parked }, plain, now);
    expect(text).toMatch(/ parked +since \S+ \S+ \(failures\): it crashed\n/);
    expect(text).toMatch(/ to resume +move it out and back\n/);
  });

  test('says so when nothing is due', () => {
    const text = renderExplain({ ...report, decisions: [], state: 'Done' }, plain, now);
    expect(text).toMatch(/ now +nothing is due/);
  });

  test('shows nothing of a title that would steer the terminal', () => {
    const text = renderExplain({ ...report, title: steering, state: steering }, plain, now);
    expect(text.match(/[^\P{C}\n]/gu)).toBeNull();
  });
});

describe('a history', () => {
  test('says of each turn how it ended, where its work is, what the gates said and what it cost', () => {
    const [head, facts] = renderHistory([turn], plain).split('\n');
    expect(head).toMatch(/ {2}DEMO-1 {2}attempt 2 {2}handed-off: the agent finished$/);
    expect(facts).toBe(
      '  took 40 s · branch evenkeel/issue/demo-1 at 012345678 · `npm test` passed · 0.50 USD, 1200 tokens · turn 2-abc',
    );
  });

  test('says that the cost is unknown rather than nothing, and where unpushed work is kept', () => {
    const failed = {
      ...turn,
      outcome: 'retry',
      class: 'agent',
      pushed: false,
      wipBranch: 'evenkeel/wip/demo-1',
      usage: null,
      verify: [],
    } as const;
    const [head, facts] = renderHistory([failed], plain).split('\n');
    expect(head).toContain('retry (agent): ');
    expect(facts).toContain('work kept on evenkeel/wip/demo-1 at 012345678 · cost unknown');
  });

  test('names the pull request of its work, or why there is none', () => {
    const url = 'https://code.example/7';
    const told = (pullRequest: HistoryEntry['pullRequest']) =>
      renderHistory([{ ...turn, pullRequest }], plain);
    expect(told({ kind: 'open', number: 7, url })).toContain(`at 012345678 · pull request ${url} ·`);
    expect(told({ kind: 'merged', number: 7, url })).toContain(`pull request ${url} (merged before)`);
    expect(told({ kind: 'closed', number: 7, url })).toContain(`pull request ${url} (closed before)`);
    expect(told({ kind: 'refused', problem: 'it may not' })).toContain('no pull request: it may not');
    expect(told(null)).not.toContain('pull request');
  });

  test('says which workspace holds the only copy of some work', () => {
    const left = { ...turn, pushed: false, headSha: null, inWorkspaceOnly: true };
    expect(renderHistory([left], plain)).toContain(' · some of its work only in /w · ');
    expect(renderHistory([turn], plain)).not.toContain('/w');
  });

  test('says what of the work was left out, harmlessly', () => {
    const [, facts] = renderHistory([{ ...turn, notes: [`Left out.${steering}`] }], plain).split('\n');
    expect(facts).toContain(' · Left out.');
    expect(facts).not.toContain(steering);
  });
});

describe("a turn's steps", () => {
  test('are one line of words each', () => {
    const line = '{"time":"2026-11-29T10:00:00.000Z","turnId":"1-x","message":"agent ended","exitCode":0}';
    expect(renderStep(line)).toMatch(/^\d\d:\d\d:\d\d agent ended \(exitCode 0\)$/);
  });

  test('that are no such lines are shown as they are', () => {
    expect(renderStep('node: \u001b[31mno such file')).toBe('node: no such file');
    expect(renderStep('{"time":1}')).toBe('{"time":1}');
  });
});

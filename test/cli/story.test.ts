import { describe, expect, test } from 'vitest';
import { commandsFor } from '../../lib/cli/commands-for.ts';
import { makeStory } from '../../lib/cli/story.ts';
import type { StoryLine } from '../../lib/cli/story-line.ts';
import type { TickReport } from '../../lib/controller/reconcile.ts';
import type { Decision } from '../../lib/core/decision.ts';
import type { BoardId, IssueId, IssueKey, TurnId } from '../../lib/core/issue.ts';
import type { Fact } from '../../lib/core/trace.ts';
import type { HostEvent } from '../../lib/host/host.ts';

const now = Date.UTC(2026, 10, 29, 10);
type Done = Extract<TickReport, { kind: 'done' }>;

function storyOf(...boards: readonly string[]) {
  const isOne = boards.length <= 1;
  return makeStory(() => now, {
    issue: (board, key) => (isOne ? key : `${board} ${key}`),
    command: commandsFor({}),
  });
}

function decision(key: string, action: Decision['action'], reason: Decision['reason'], more = {}): Decision {
  return {
    issueId: key as IssueId,
    key: key as IssueKey,
    action,
    reason,
    detail: `because of ${reason}`,
    ...more,
  };
}

function tick(decisions: readonly Decision[], more: Partial<Done> & { problems?: readonly string[] } = {}) {
  const { problems = [], ...rest } = more;
  const report: Done = {
    kind: 'done',
    epoch: 1,
    summary: {
      startedAt: now,
      finishedAt: now,
      rounds: 1,
      complete: problems.length === 0,
      decisions: {},
      problems,
      inHandoff: 4,
      parkedInHandoff: 1,
      waits: decisions.filter(({ action }) => action === 'wait').map(({ reason }) => reason),
      liveLeases: 0,
      openWrites: 0,
      stuckLeases: 0,
    },
    boards: [{ board: 'b' as BoardId, pausedSince: undefined, valid: true, problems: [], decisions }],
    ...rest,
  };
  return { kind: 'tick', report, nextTickAt: now + 3_000 } as const satisfies HostEvent;
}

function fact(kind: Fact['fact'], more: Partial<Fact> = {}): HostEvent {
  return {
    kind: 'fact',
    fact: { time: now, fact: kind, board: 'b', issue: 'A', key: 'A', turnId: '1-t', attempt: 1, ...more },
  };
}

const brief = (lines: readonly StoryLine[]) =>
  lines.map(({ subject, word, reason }) => [subject, word, reason].filter((part) => part).join(' '));

describe('the story of a host', () => {
  test('tells a decision once, however many ticks repeat it, and again when it changes', () => {
    const story = storyOf('b');
    const full = tick([decision('A', 'wait', 'cap-board')]);
    const blocked = tick([decision('A', 'wait', 'blocked')]);
    expect(brief(story.tell(full))).toEqual(['A wait cap-board']);
    expect(story.tell(full)).toEqual([]);
    expect(brief(story.tell(blocked))).toEqual(['A wait blocked']);
    expect(brief(story.tell(full))).toEqual(['A wait cap-board']);
  });

  test('tells a decision again after the issue was away', () => {
    const story = storyOf('b');
    const waits = tick([decision('A', 'wait', 'cap-board')]);
    story.tell(waits);
    story.tell(tick([]));
    expect(brief(story.tell(waits))).toEqual(['A wait cap-board']);
  });

  test('says only how a tick ended for an issue that it decided twice about', () => {
    const story = storyOf('b');
    const lines = story.tell(tick([decision('A', 'wait', 'cap-board'), decision('A', 'start', 'start')]));
    expect(lines).toEqual([]);
  });

  test('says nothing of work that goes on, but of what keeps a turn from being judged', () => {
    const story = storyOf('b');
    const quiet = tick([decision('A', 'keep', 'running'), decision('B', 'keep', 'claimed')]);
    expect(story.tell(quiet)).toEqual([]);
    expect(brief(story.tell(tick([decision('A', 'keep', 'unknown')])))).toEqual(['A keep unknown']);
  });

  test('says until when something waits, and what resumes it', () => {
    const story = storyOf('b');
    const [retry] = story.tell(tick([decision('A', 'wait', 'retry-not-due', { until: now + 9_500 })]));
    expect(retry?.text).toBe('because of retry-not-due, for 10 s more');
    const [parked] = story.tell(tick([decision('A', 'wait', 'parked', { toResume: 'move the card' })]));
    expect(parked).toMatchObject({ tone: 'bad', text: 'because of parked; to resume: move the card' });
  });

  test('folds many issues that wait for the same reason into few lines', () => {
    const story = storyOf('b');
    const waiting = Array.from({ length: 200 }, (_, at) => decision(`A-${at}`, 'wait', 'cap-board'));
    const lines = story.tell(tick([...waiting, decision('B', 'wait', 'blocked')]));
    expect(brief(lines)).toEqual([
      'A-0 wait cap-board',
      'A-1 wait cap-board',
      'A-2 wait cap-board',
      '… wait cap-board',
      'B wait blocked',
    ]);
    expect(lines[3]?.text).toContain('197 more issues');
  });

  test('follows a turn from its start to the hand-off and names the branch', () => {
    const story = storyOf('b');
    const lines = [
      fact('claimed', { from: 'Todo' }),
      fact('written', { from: 'Todo', to: 'In Progress' }),
      fact('turn-started'),
      fact('heartbeat'),
      fact('written', { from: 'In Progress', to: 'In Review' }),
      fact('settled', { outcome: 'handed-off', reason: 'work was delivered', state: 'In Review' }),
    ].flatMap((event) => story.tell(event));
    expect(lines.map(({ word, text }) => `${word}: ${text}`)).toEqual([
      'start: attempt 1 starts from "Todo"',
      'moved: the card moves from "Todo" to "In Progress"',
      'running: attempt 1 is at work',
      'moved: the card moves from "In Progress" to "In Review"',
      expect.stringMatching(
        /^handed off: work was delivered: branch evenkeel\/issue\/\S+, card in "In Review"$/,
      ),
    ]);
  });

  test('names no branch where a turn changed nothing', () => {
    const [line] = storyOf('b').tell(
      fact('settled', { outcome: 'handed-off', class: 'no-progress', reason: 'nothing to do', state: 'R' }),
    );
    expect(line).toMatchObject({
      word: 'handed off',
      reason: 'no-progress',
      text: 'nothing to do; card in "R"',
    });
  });

  test.each([
    ['retry', 'agent', 'failed'],
    ['recheck', 'infrastructure', 'ended'],
    ['parked', 'verification', 'parked'],
    ['released', 'cancelled', 'released'],
  ])('tells the end of a turn with outcome %s and class %s as "%s"', (outcome, failure, word) => {
    const [line] = storyOf('b').tell(fact('settled', { outcome, class: failure, reason: 'moved-by-person' }));
    expect(line?.word).toBe(word);
  });

  test('the end of a turn is one sentence, also where its reason is one of its own', () => {
    const reason = 'The agent ended with exit code 3.';
    const end = (outcome: string) =>
      storyOf('b').tell(fact('settled', { issue: 'A', outcome, class: 'agent', reason, kept: 'wip' }))[0]
        ?.text;
    expect(end('retry')).toMatch(/exit code 3; it is tried again; its work is kept/);
    expect(end('parked')).toMatch(/exit code 3; its work is kept/);
  });

  test('tells once of each turn that it finds at work, and of none that it told of before', () => {
    const story = storyOf('b');
    const found = (key: string, turnId: string, reason: Decision['reason'] = 'running') =>
      decision(key, 'keep', reason, { turnId: turnId as TurnId, detail: 'attempt 2 is running' });
    story.tell(fact('claimed', { key: 'B', turnId: '1-b' }));
    story.tell(fact('turn-started', { key: 'C', turnId: '1-c' }));
    story.tell(fact('settled', { key: 'D', turnId: '1-d' }));
    const others = [found('A', '2-a'), found('B', '1-b'), found('C', '1-c'), found('E', '1-e', 'claimed')];
    // The tick that runs while D ends has decided about it before.
    expect(story.tell(tick([...others, found('D', '1-d')]))).toMatchObject([
      { subject: 'A', word: 'running', text: 'it goes on: attempt 2 is running' },
    ]);
    expect(story.tell(tick(others))).toEqual([]);
  });

  test('counts the turns that hold a slot, also those it finds running at its start', () => {
    const story = storyOf('b');
    const running = (...turns: readonly string[]) =>
      tick(turns.map((turnId) => decision(turnId, 'keep', 'running', { turnId: turnId as TurnId })));
    story.tell(running('1-x', '1-y'));
    expect(story.counts()).toMatchObject({
      running: 2,
      inReview: 4,
      parkedInReview: 1,
      nextTickAt: now + 3_000,
    });
    story.tell(fact('claimed', { turnId: '1-z' }));
    expect(story.counts().running).toBe(3);
    story.tell(fact('settled', { turnId: '1-x', outcome: 'handed-off' }));
    // The tick that runs while the turn ends has decided about it before.
    story.tell(running('1-x', '1-y', '1-z'));
    expect(story.counts().running).toBe(2);
  });

  test('counts parked issues apart from those that wait', () => {
    const story = storyOf('b');
    const decisions = [
      decision('A', 'wait', 'parked'),
      decision('B', 'wait', 'blocked'),
      decision('C', 'wait', 'cap-board'),
    ];
    story.tell(tick(decisions));
    expect(story.counts()).toMatchObject({ waiting: 2, parked: 1 });
  });

  test('calls issues by their board too where there are several', () => {
    const story = storyOf('b', 'c');
    expect(brief(story.tell(tick([decision('A', 'wait', 'blocked')])))).toEqual(['b A wait blocked']);
  });
});

describe('trouble in the story', () => {
  const problems = [{ rule: 'state-renamed', path: 'tracker.handoff_state', message: 'now called X' }];
  const invalid = tick([], {
    boards: [{ board: 'b' as BoardId, pausedSince: undefined, valid: false, problems, decisions: [] }],
  });

  test('a contract that does not hold is told once with every problem, and when it holds again', () => {
    const story = storyOf('b');
    const [line] = story.tell(invalid);
    expect(line).toMatchObject({
      subject: 'b',
      word: 'contract',
      tone: 'bad',
      reason: 'state-renamed',
      text: 'tracker.handoff_state: now called X',
    });
    expect(story.tell(invalid)).toEqual([]);
    expect(story.tell(tick([]))).toMatchObject([{ word: 'contract', text: 'it holds again' }]);
    expect(story.tell(tick([]))).toEqual([]);
  });

  test('a board that could not be read is told once with the cause, and when it is read again', () => {
    const away = [{ rule: 'board-read', path: 'tracker', message: 'the board could not be read: no way' }];
    for (const valid of [true, false]) {
      const story = storyOf('b');
      const unread = tick([], {
        boards: [{ board: 'b' as BoardId, pausedSince: undefined, valid, problems: away, decisions: [] }],
      });
      expect(story.tell(unread)).toMatchObject([
        { subject: 'b', word: 'board', tone: 'bad', text: 'the board could not be read: no way' },
      ]);
      expect(story.tell(unread)).toEqual([]);
      expect(story.tell(tick([]))).toMatchObject([{ word: 'board', text: 'it is read again' }]);
      expect(story.tell(tick([]))).toEqual([]);
    }
  });

  test('a contract that holds from the start is no news', () => {
    expect(storyOf('b').tell(tick([]))).toEqual([]);
  });

  test('a pause is told at the first tick with since when and how to end it, once, and its end', () => {
    const story = storyOf('b');
    const board = { board: 'b' as BoardId, valid: true, problems: [], decisions: [] };
    const paused = tick([], { boards: [{ ...board, pausedSince: now - 3_600_000 }] });
    const [line, ...more] = story.tell(paused);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ subject: 'b', word: 'paused', tone: 'wait' });
    expect(line?.text).toMatch(/paused since 2026-11-\d\d \d\d:\d\d:\d\d.*to resume: evenkeel resume b$/);
    expect(story.tell(paused)).toEqual([]);
    expect(brief(story.tell(tick([])))).toEqual(['b resumed']);
    expect(story.tell(tick([]))).toEqual([]);
  });

  test.each(['write-unknown', 'comment-failed', 'pull-request-unknown', 'merges-unknown'])(
    'what has no answer (%s) is told once with its cause, however often it is tried',
    (reason) => {
      const story = storyOf('b');
      const lost = fact('refused', { reason, problem: 'the disk is full' });
      expect(story.tell(lost)[0]?.text).toContain('the disk is full');
      expect(story.tell(lost)).toEqual([]);
      const other = fact('refused', { reason, problem: 'it is read-only' });
      expect(brief(story.tell(other))).toEqual(['A refused']);
    },
  );

  test('a board that another host serves is told at every tick: first in full, then in one line', () => {
    const story = storyOf('b');
    const taken = { kind: 'board-withheld', board: 'b', message: 'served by X', toResume: 'stop X' } as const;
    expect(story.tell(taken)[0]?.text).toBe('nothing starts: served by X; to resume: stop X');
    expect(story.tell(taken)[0]?.text).toBe('nothing starts, as before; to resume: stop X');
    story.tell(tick([]));
    expect(story.tell(taken)[0]?.text).toMatch(/as before/);
  });

  test('a broken workflow file is told at every tick: first in full, then in one line', () => {
    const story = storyOf('b');
    const broken = { kind: 'workflow-broken', board: 'b', workflow: 'W.md', problems } as const;
    const [first, ...more] = story.tell(broken);
    expect(first?.text).toContain(problems[0]!.message);
    expect(more).toEqual([]);
    expect(brief(story.tell(broken))).toEqual(['b workflow']);
    expect(story.tell(broken)[0]?.text).toBe('nothing starts: W.md still has 1 problem');
    story.tell({ kind: 'workflow-changed', board: 'b', workflow: 'W.md', policyHash: 'x' });
    expect(story.tell(broken)[0]?.text).toContain(problems[0]!.message);
  });

  test('what a tick could not do is told once, and again when it comes back', () => {
    const story = storyOf('b');
    const failing = tick([], { problems: ['A: settle failed: no answer'] });
    expect(brief(story.tell(failing))).toEqual(['tick problem']);
    expect(story.tell(failing)).toEqual([]);
    story.tell(tick([]));
    expect(brief(story.tell(failing))).toEqual(['tick problem']);
  });

  test('a ledger that is closed is told until it changes', () => {
    const story = storyOf('b');
    const closed = {
      kind: 'tick',
      report: { kind: 'closed', opened: false, detail: 'turns are adopted' },
      nextTickAt: now,
    } as const;
    expect(brief(story.tell(closed))).toEqual(['ledger closed']);
    expect(story.tell(closed)).toEqual([]);
    expect(story.tell(tick([]))).toEqual([]);
    expect(brief(story.tell(closed))).toEqual(['ledger closed']);
  });

  test('an end says where work is kept that did not reach the branch', () => {
    const end = (kept?: string) =>
      storyOf('b').tell(fact('settled', { issue: 'A', outcome: 'released', reason: 'terminal', kept }))[0]
        ?.text;
    expect(end('wip')).toMatch(/; its work is kept on evenkeel\/wip\/A-[0-9a-f]+$/);
    expect(end('bundle')).toMatch(/; its work is kept, and `evenkeel history A` says where$/);
    expect(end()).not.toContain('kept');
  });

  test('nothing calls a card closed that may stand in a terminal state and be open', () => {
    const told = [
      fact('stop-asked', { reason: 'terminal' }),
      fact('settled', { outcome: 'released', reason: 'terminal' }),
    ].flatMap((one) => storyOf('b').tell(one));
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringContaining('closed or in a terminal state'),
      expect.stringContaining('closed or in a terminal state'),
    ]);
  });

  test('a status comment that could not be written says why', () => {
    const problem = '/board/A.status.md: EISDIR; move the folder of that name away';
    const [line] = storyOf('b').tell(fact('refused', { reason: 'comment-failed', problem }));
    expect(line).toMatchObject({ word: 'refused' });
    expect(line?.text).toContain(problem);
  });

  test('a hand-off names the pull request that is there for it', () => {
    const ended = { issue: 'A', outcome: 'handed-off', reason: 'it finished', state: 'In Review' };
    const [line] = storyOf('b').tell(fact('settled', { ...ended, pullRequest: 'https://code.example/7' }));
    expect(line?.text).toMatch(
      /^it finished: branch evenkeel\/issue\/A-[0-9a-f]+, https:\/\/code.example\/7, card in/,
    );
  });

  test('a merge that finishes an issue is no move of a person', () => {
    const [line] = storyOf('b').tell(fact('reset', { reason: 'merged', state: 'Done' }));
    expect(line).toMatchObject({
      word: 'merged',
      text: 'its pull request was merged; it is finished in "Done"',
    });
  });

  test.each(['pull-request', 'pull-request-unknown'])(
    '%s: a pull request that is not there says why',
    (reason) => {
      const [line] = storyOf('b').tell(fact('refused', { reason, problem: 'the token may not' }));
      expect(line?.text).toContain('the token may not');
    },
  );

  test('a stop says which move of the card asked for it', () => {
    const [line] = storyOf('b').tell(fact('stop-asked', { reason: 'terminal' }));
    expect(line).toMatchObject({ word: 'stop', reason: 'terminal' });
    expect(line?.text).toContain('closed');
  });
});

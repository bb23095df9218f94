import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StateName } from '../../lib/core/issue.ts';
import { planTick } from '../../lib/core/plan.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
import {
  buildLease,
  buildObservation,
  invalidContract,
  now,
  type ObservationFields,
} from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const roomy = { cap: 100, used: 0 };

function plan(fields: ObservationFields, workflow: Workflow = buildWorkflow(), deployment = roomy) {
  return planTick(buildObservation(fields), workflow, deployment, now).decisions;
}

/** What the plan says of issue A, listed in Todo unless told otherwise. */
function decide(
  issue: IssueFields = {},
  fields: ObservationFields = {},
  workflow?: Workflow,
  deployment = roomy,
) {
  const decisions = plan(
    { ...fields, issues: [buildIssue({ id: 'A', ...issue }), ...(fields.issues ?? [])] },
    workflow,
    deployment,
  );
  const last = decisions.filter(({ key }) => key === 'A').at(-1)!;
  return { what: `${last.action}/${last.reason}`, ...last };
}

describe('an issue is started', () => {
  test('when nothing speaks against it', () => {
    expect(decide()).toMatchObject({ what: 'start/start', detail: 'attempt 1 starts from "Todo"' });
  });

  test('with the number after its last attempt', () => {
    expect(decide({}, { leases: [buildLease('A', { attempt: 4 })] }).detail).toBe(
      'attempt 5 starts from "Todo"',
    );
  });
});

describe('an issue is not started', () => {
  test.each<[string, string, IssueFields, ObservationFields, Workflow | undefined]>([
    ['while the board is paused', 'wait/paused', {}, { record: { paused: { since: 0 } } }, undefined],
    ['while the contract is invalid', 'wait/contract-invalid', {}, { contract: invalidContract }, undefined],
    [
      'while the workflow file is broken',
      'wait/contract-invalid',
      {},
      { workflowProblem: { rule: 'r', path: '', message: 'it is broken', toResume: 'mend it' } },
      undefined,
    ],
    ['when it is closed, whatever its column', 'ignore/terminal', { closed: true }, {}, undefined],
    ['in a terminal state', 'ignore/terminal', { state: 'done' }, {}, undefined],
    ['in a state that is not active', 'ignore/not-active', { state: 'Backlog' }, {}, undefined],
    ['in the hand-off state', 'ignore/not-active', { state: 'In Review' }, {}, undefined],
    ['without a state', 'ignore/not-active', { state: undefined }, {}, undefined],
    [
      'with two states',
      'ignore/conflicting-states',
      { conflictingStates: ['Todo', 'In Review'] },
      {},
      undefined,
    ],
    [
      'without a required label',
      'ignore/missing-label',
      { labels: ['a'] },
      {},
      buildWorkflow({ tracker: { required_labels: ['a', 'b'] } }),
    ],
    ['when an untrusted person moved it', 'wait/untrusted-actor', { trusted: false }, {}, undefined],
    ['while it is not known who moved it', 'wait/untrusted-actor', { trusted: 'unknown' }, {}, undefined],
    ['while a blocker is open', 'wait/blocked', { blockers: [{ key: 'B', open: true }] }, {}, undefined],
    [
      'while a blocker cannot be read',
      'wait/blocked',
      { blockers: [{ key: 'B', open: 'unknown' }] },
      {},
      undefined,
    ],
    [
      'while it is parked',
      'wait/parked',
      {},
      { leases: [buildLease('A', { parked: { reason: 'failures', since: 0, detail: 'd', toResume: 'r' } })] },
      undefined,
    ],
    [
      'when its turns are used up',
      'wait/parked',
      {},
      { leases: [buildLease('A', { turns: 3 })] },
      buildWorkflow({ agent: { max_turns: 3 } }),
    ],
    [
      'before its retry is due',
      'wait/retry-not-due',
      {},
      { leases: [buildLease('A', { nextAt: now + 1 })] },
      undefined,
    ],
    [
      'while the review queue is full',
      'wait/review-queue-full',
      {},
      { inHandoff: 2 },
      buildWorkflow({ agent: { max_in_handoff: 2 } }),
    ],
    [
      'when its budget is spent',
      'wait/budget-issue',
      {},
      { leases: [buildLease('A', { spendUsd: 5 })] },
      buildWorkflow({ agent: { budget: { usd_per_issue: 5 } } }),
    ],
    [
      'when its tokens are spent',
      'wait/budget-issue',
      {},
      { leases: [buildLease('A', { spendTokens: 10 })] },
      buildWorkflow({ agent: { budget: { tokens_per_issue: 10 } } }),
    ],
    [
      "when the day's budget is spent by others",
      'wait/budget-day',
      {},
      {
        leases: [
          buildLease('Z', { spendDay: { day: '2026-01-01', usd: 4 } }),
          buildLease('Y', { spendDay: { day: '2026-01-01', usd: 4 } }),
        ],
      },
      buildWorkflow({ agent: { budget: { usd_per_day: 8 } } }),
    ],
    [
      "while the tracker's quota is used up",
      'wait/quota',
      {},
      { record: { quotaResetAt: now + 1 } },
      undefined,
    ],
    [
      'while the launch breaker is open',
      'wait/breaker-open',
      {},
      { record: { breakers: { launch: { until: now + 1, tries: 1, reason: 'r', turnId: 't' } } } },
      undefined,
    ],
    [
      'while the breaker of its agent is open',
      'wait/breaker-open',
      {},
      { record: { breakers: { 'agent:command': { until: now + 1, tries: 1, reason: 'r', turnId: 't' } } } },
      undefined,
    ],
    ['at a cap of zero', 'wait/cap-board', {}, {}, buildWorkflow({ agent: { max_concurrent_agents: 0 } })],
    [
      'at a column cap of zero',
      'wait/cap-state',
      {},
      {},
      buildWorkflow({ agent: { max_concurrent_agents_by_state: { todo: 0 } } }),
    ],
  ])('%s', (_, what, issue, fields, workflow) => {
    expect(decide(issue, fields, workflow).what).toBe(what);
  });

  test.each([
    [{ max_concurrent_agents: 0 }, undefined, 'raise agent.max_concurrent_agents above 0'],
    [
      { max_concurrent_agents_by_state: { todo: 0 } },
      undefined,
      'raise agent.max_concurrent_agents_by_state of "todo" above 0',
    ],
    [{}, { cap: 0, used: 0 }, 'raise the cap of the deployment above 0'],
    [{}, { cap: 3, used: 3 }, undefined],
  ])('and a cap of zero says who can end the wait: %o %o', (agent, deployment, toResume) => {
    expect(decide({}, {}, buildWorkflow({ agent }), deployment).toResume).toBe(toResume);
  });

  test('while the deployment is full', () => {
    expect(decide({}, {}, undefined, { cap: 3, used: 3 })).toMatchObject({
      what: 'wait/cap-deployment',
      detail: '3 of 3 turns in the deployment are taken',
    });
  });
});

describe('an issue is started all the same', () => {
  test.each<[string, IssueFields, ObservationFields, Workflow | undefined]>([
    [
      'with a required label written differently',
      { labels: ['agent'] },
      {},
      buildWorkflow({ tracker: { required_labels: [' Agent '] } }),
    ],
    ['when its blockers are closed', { blockers: [{ key: 'B', open: false }] }, {}, undefined],
    [
      'when it is blocked but stands in progress already',
      { state: 'In Progress', blockers: [{ key: 'B', open: true }] },
      {},
      undefined,
    ],
    [
      'when it is blocked but has had a turn',
      { blockers: [{ key: 'B', open: true }] },
      { leases: [buildLease('A', { turns: 1 })] },
      undefined,
    ],
    [
      'with one turn left',
      {},
      { leases: [buildLease('A', { turns: 2 })] },
      buildWorkflow({ agent: { max_turns: 3 } }),
    ],
    ['when its retry is due this very moment', {}, { leases: [buildLease('A', { nextAt: now })] }, undefined],
    [
      'with room for one in the review queue',
      {},
      { inHandoff: 1 },
      buildWorkflow({ agent: { max_in_handoff: 2 } }),
    ],
    ['without a limit on the review queue', {}, { inHandoff: 99 }, undefined],
    [
      'with a cent of its budget left',
      {},
      { leases: [buildLease('A', { spendUsd: 4.99 })] },
      buildWorkflow({ agent: { budget: { usd_per_issue: 5 } } }),
    ],
    [
      'when the budget was spent on another day',
      {},
      { leases: [buildLease('Z', { spendDay: { day: '2025-12-31', usd: 9 } })] },
      buildWorkflow({ agent: { budget: { usd_per_day: 8 } } }),
    ],
    ['when the quota is back this very moment', {}, { record: { quotaResetAt: now } }, undefined],
    [
      'when the breaker closes this very moment',
      {},
      { record: { breakers: { launch: { until: now, tries: 1, reason: 'r', turnId: 't' } } } },
      undefined,
    ],
    [
      'while the breaker of another agent is open',
      {},
      { record: { breakers: { 'agent:codex': { until: now + 1, tries: 1, reason: 'r', turnId: 't' } } } },
      undefined,
    ],
    [
      'with a cap on another column',
      {},
      {},
      buildWorkflow({ agent: { max_concurrent_agents_by_state: { 'In Progress': 1 } } }),
    ],
  ])('%s', (_, issue, fields, workflow) => {
    expect(decide(issue, fields, workflow).what).toBe('start/start');
  });
});

describe('a refusal', () => {
  test('says what to do about it and until when', () => {
    const parked = { reason: 'failures', since: 0, detail: 'it failed thrice', toResume: 'move it' } as const;
    expect(decide({}, { leases: [buildLease('A', { parked })] })).toMatchObject({
      detail: 'it failed thrice',
      toResume: 'move it',
    });
    expect(decide({}, { leases: [buildLease('A', { nextAt: now + 5, retryClass: 'agent' })] })).toMatchObject(
      { until: now + 5, detail: expect.stringContaining('agent') },
    );
    expect(
      decide({
        blockers: [
          { key: 'B', open: true },
          { key: 'C', open: 'unknown' },
          { key: 'D', open: false },
        ],
      }),
    ).toMatchObject({
      detail: 'it is blocked by B, C (not readable)',
      toResume: 'finish B, C (not readable)',
    });
    expect(decide({}, { record: { paused: { since: 0 } } }).toResume).toBe('evenkeel resume');
    expect(decide({}, { contract: invalidContract }).detail).toContain("no state 'In Review'");
    expect(decide({ state: 'Backlog' }).detail).toBe('it is in "Backlog", which is not active');
    expect(decide({ closed: true }).detail).toBe('it is closed');
    expect(decide({ state: 'Done' }).detail).toBe('it is in "Done", which is terminal');
    expect(decide({ state: undefined }).detail).toBe('it has no state');
  });

  test('names the first rule that refuses: pause before contract before the issue before the queue before caps', () => {
    const all: ObservationFields = {
      record: { paused: { since: 0 } },
      contract: invalidContract,
      inHandoff: 9,
    };
    const full = buildWorkflow({ agent: { max_in_handoff: 1, max_concurrent_agents: 0 } });
    expect(decide({}, all, full).reason).toBe('paused');
    expect(decide({}, { ...all, record: {} }, full).reason).toBe('contract-invalid');
    expect(decide({ trusted: false }, { inHandoff: 9 }, full).reason).toBe('untrusted-actor');
    expect(decide({}, { inHandoff: 9 }, full).reason).toBe('review-queue-full');
    expect(decide({}, {}, full).reason).toBe('cap-board');
  });
});

describe('the order of admission', () => {
  const order = (issues: readonly IssueFields[], fields: ObservationFields = {}) =>
    plan({ ...fields, issues: issues.map(buildIssue) }).map(({ key }) => key);

  test('is by priority, and an issue without one comes last', () => {
    expect(order([{ id: 'none' }, { id: 'low', priority: 4 }, { id: 'top', priority: 1 }])).toEqual([
      'top',
      'low',
      'none',
    ]);
  });

  test('puts started work before new work of the same priority, be it older or not', () => {
    const issues = [
      { id: 'old', createdAt: 1 },
      { id: 'begun', createdAt: 2 },
      { id: 'doing', createdAt: 3, state: 'In Progress' },
    ];
    expect(order(issues, { leases: [buildLease('begun', { turns: 1 })] })).toEqual(['begun', 'doing', 'old']);
  });

  test('puts higher priority before started work', () => {
    expect(
      order([
        { id: 'doing', state: 'In Progress', priority: 3 },
        { id: 'top', priority: 2 },
      ]),
    ).toEqual(['top', 'doing']);
  });

  test('is by age, and an issue of unknown age comes last', () => {
    expect(
      order([
        { id: 'unknown', createdAt: undefined },
        { id: 'young', createdAt: 2 },
        { id: 'old', createdAt: 1 },
      ]),
    ).toEqual(['old', 'young', 'unknown']);
  });

  test('is by key when all else is equal, in any order of the list', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 5 }), (keys) => {
        expect(order(keys.map((id) => ({ id })))).toEqual(['a', 'b', 'c', 'd', 'e']);
      }),
    );
  });
});

describe('slots', () => {
  const starts = (fields: ObservationFields, workflow: Workflow, deployment = roomy) =>
    plan(fields, workflow, deployment)
      .filter(({ action }) => action === 'start')
      .map(({ key }) => key);
  const five = ['A', 'B', 'C', 'D', 'E'].map((id) => buildIssue({ id }));
  const running = (id: string, capStates: readonly string[] = ['todo', 'in progress']) =>
    buildLease(id, { phase: 'running', capStates: capStates as never, hbSeenAt: now });

  test('are handed out up to the cap of the board, counting what is held in any phase', () => {
    const phases = ['claimed', 'launching', 'running', 'stopping', 'ending'] as const;
    for (const phase of phases) {
      const held = buildLease('Z', { phase, epoch: 99, startedFrom: 'Todo' as StateName });
      expect(
        starts({ issues: five, leases: [held] }, buildWorkflow({ agent: { max_concurrent_agents: 3 } })),
      ).toEqual(['A', 'B']);
    }
  });

  test('are handed out up to the cap of the deployment', () => {
    expect(
      starts({ issues: five }, buildWorkflow({ agent: { max_concurrent_agents: 9 } }), { cap: 4, used: 2 }),
    ).toEqual(['A', 'B']);
  });

  test('of a column are counted by where turns started and where they stand, not by where their issue is now', () => {
    const workflow = buildWorkflow({
      agent: { max_concurrent_agents: 9, max_concurrent_agents_by_state: { TODO: 2 } },
    });
    expect(starts({ issues: five, leases: [running('Z')] }, workflow)).toEqual(['A']);
    expect(starts({ issues: five, leases: [running('Z', ['in progress'])] }, workflow)).toEqual(['A', 'B']);
  });

  test('of the in-progress column bind issues that start elsewhere too', () => {
    const workflow = buildWorkflow({
      agent: { max_concurrent_agents: 9, max_concurrent_agents_by_state: { 'In Progress': 2 } },
    });
    expect(starts({ issues: five }, workflow)).toEqual(['A', 'B']);
  });

  test('of a full column leave room for issues in other columns', () => {
    const workflow = buildWorkflow({
      agent: { max_concurrent_agents: 9, max_concurrent_agents_by_state: { Todo: 1 } },
    });
    const issues = [...five, buildIssue({ id: 'P', state: 'In Progress', priority: 4 })];
    expect(starts({ issues }, workflow).sort()).toEqual(['A', 'P']);
  });

  test('are never handed out beyond any cap', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(6), fc.nat(6), fc.nat(6), (board, state, cap, used) => {
        const workflow = buildWorkflow({
          agent: { max_concurrent_agents: board, max_concurrent_agents_by_state: { Todo: state } },
        });
        const room = Math.max(0, Math.min(board, state, cap - used, 5));
        expect(starts({ issues: five }, workflow, { cap, used })).toHaveLength(room);
      }),
    );
  });
});

import type { TurnRecord } from '../../lib/controller/ports.ts';
import type { Change } from '../../lib/core/change.ts';
import type { BoardId, IssueId, IssueKey, StateKey, StateName, TurnId } from '../../lib/core/issue.ts';
import { type Lease, unclaimedLease } from '../../lib/core/lease.ts';
import type { SettlementRecord } from '../../lib/core/settle.ts';
import type { Workflow } from '../../lib/core/workflow.ts';

export const aBoard = 'acme/web' as BoardId;
export const anIssue = 'I_1' as IssueId;
export const aTurnId = '1-abcdefghijklmnopqrstuvwxyz' as TurnId;

/** A change that says only what the test is about; without `when` it is made of whatever is stored. */
export function aChange<Item>(says: Partial<Change<Item>>): Change<Item> {
  return { operation: 'test', when: [[]], set: {}, remove: [], ...nothingCounted, ...says };
}

const nothingCounted = { add: {}, append: {} } as { readonly add: never; readonly append: never };

/** A change that creates a whole lease with these fields, or overwrites one. */
export function aLeaseWith(fields: Partial<Lease>): Change<Lease> {
  const { board, issueId, ...fresh } = unclaimedLease(aBoard, anIssue, 'web#1' as IssueKey);
  return aChange({ set: { ...fresh, ...fields } });
}

export function aTurn(says: Partial<TurnRecord> = {}): TurnRecord {
  return {
    turnId: aTurnId,
    board: aBoard,
    attempt: 1,
    capStates: ['todo' as StateKey],
    issue: {
      id: anIssue,
      key: 'web#1' as IssueKey,
      title: 'Say hello',
      description: '',
      url: undefined,
      state: 'Todo' as StateName,
      conflictingStates: [],
      closed: false,
      labels: [],
      priority: undefined,
      blockers: [{ key: 'web#2' as IssueKey, open: 'unknown' }],
      createdAt: undefined,
      assignees: ['alice'],
      movedBy: 'person',
      trusted: true,
    },
    workflow: aWorkflow,
    repository: '/srv/web.git',
    feedback: undefined,
    claimedAt: 1_000,
    ...says,
  };
}

const aWorkflow: Workflow = {
  tracker: {
    kind: 'local',
    project: 'board',
    active_states: ['Todo'],
    terminal_states: ['Done'],
    trusted_actors: 'write',
  },
  repository: 'web.git',
  base: 'main',
  agent: {
    kind: 'command',
    command: 'true',
    max_concurrent_agents: 4,
    max_concurrent_agents_by_state: { todo: 2 },
    max_failures: 3,
    max_turns: 20,
    max_no_progress: 2,
    max_retry_backoff_ms: 300_000,
    turn_timeout_ms: 3_600_000,
    stall_timeout_ms: 600_000,
    task: { cpu: 1_024, memory: 4_096, spot: false, disk_gib: 21 },
  },
  hooks: { timeout_ms: 300_000 },
  verify: [],
  pull_request: { open: true, draft: true, closing_keyword: false },
  deny_paths: [],
  prompt: 'Work on {{ issue.key }}.',
  policyHash: '0123456789abcdef',
};

export function aSettlement(says: Partial<SettlementRecord> = {}): SettlementRecord {
  return {
    board: aBoard,
    issueId: anIssue,
    key: 'web#1' as IssueKey,
    turnId: aTurnId,
    attempt: 1,
    outcome: 'handed-off',
    failureClass: undefined,
    reason: 'done',
    nextAt: undefined,
    parked: undefined,
    state: 'In Review' as StateName,
    policyHash: '0123456789abcdef',
    transitions: [{ from: 'running', to: 'ending', at: 2_000, actor: 'tick', reason: 'exit' }],
    result: undefined,
    arn: undefined,
    startedAt: 1_500,
    endedAt: 2_000,
    ...says,
  };
}

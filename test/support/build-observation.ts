import { contractOf, type LiveContract } from '../../lib/core/contract.ts';
import type { BoardId, Issue, IssueId, IssueKey, Reading, StateName, TurnId } from '../../lib/core/issue.ts';
import { type Lease, unclaimedLease } from '../../lib/core/lease.ts';
import type { Observation } from '../../lib/core/observation.ts';
import { usualTiming } from './world.ts';

export const now = Date.UTC(2026, 0, 1, 12);
export const turnId = `1-${'a'.repeat(26)}` as TurnId;

const roles = {
  active: ['Todo', 'In Progress'] as readonly string[] as readonly StateName[],
  inProgress: 'In Progress' as StateName,
  handoff: 'In Review' as StateName,
  terminal: ['Done', 'Cancelled'] as readonly string[] as readonly StateName[],
  merged: undefined,
};
export const contract = contractOf(roles);
export const validContract: LiveContract = {
  valid: true,
  contract,
  record: { policyHash: 'p', states: [], ...roles },
};
export const invalidContract: LiveContract = {
  valid: false,
  problems: [
    { rule: 'state-exists', path: 'tracker.handoff_state', message: "the board has no state 'In Review'" },
  ],
  contract,
};

/** An idle lease of the issue with the given key, with the given fields in their place. */
export function buildLease(key: string, fields: Partial<Lease> = {}): Lease {
  return {
    ...unclaimedLease('board' as BoardId, key as IssueId, key as IssueKey),
    v: 1,
    attempt: 1,
    turnId,
    seenState: 'Todo' as StateName,
    ...fields,
  };
}

export interface ObservationFields
  extends Partial<Omit<Observation, 'leases' | 'readings' | 'dormant' | 'listing' | 'merged'>> {
  readonly issues?: readonly Issue[];
  readonly inHandoff?: number;
  readonly merged?: readonly Issue[];
  /** When they were. */
  readonly mergedAt?: number;
  readonly listing?: Observation['listing'];
  readonly leases?: readonly Lease[];
  readonly readings?: Readonly<Record<string, Reading>>;
  readonly dormant?: Readonly<Record<string, Reading>>;
}

/** A board that was read completely, with nothing running. */
export function buildObservation({
  issues = [],
  inHandoff = 0,
  merged = [],
  mergedAt = now,
  leases = [],
  readings = {},
  dormant = {},
  ...fields
}: ObservationFields = {}): Observation {
  return {
    board: 'board' as BoardId,
    epoch: 7,
    contract: validContract,
    workflowProblem: undefined,
    tasks: new Map(),
    liveTasks: [],
    record: { paused: undefined, breakers: undefined, quotaResetAt: undefined },
    timing: usualTiming,
    lateWriteMs: 0,
    listing: { kind: 'complete', issues, broken: [], inHandoff },
    ...fields,
    merged: merged.map((issue) => ({ issue, at: mergedAt })),
    leases: new Map(leases.map((lease) => [lease.issueId, lease])),
    readings: new Map(Object.entries(readings) as [IssueId, Reading][]),
    dormant: new Map(Object.entries(dormant) as [IssueId, Reading][]),
  };
}

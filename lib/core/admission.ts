import { isUnread } from './contract.ts';
import type { Decision, Reason } from './decision.ts';
import type { Instant, Issue } from './issue.ts';
import { stateKey } from './issue.ts';
import type { Lease } from './lease.ts';
import type { CompleteListing, Observation } from './observation.ts';
import type { SlotCounter } from './slots.ts';
import { limitAhead } from './tracker-quota.ts';
import { describeUnwanted, unwantedBecause } from './wanted.ts';
import type { Workflow } from './workflow.ts';

/** An active issue without a turn, with what the ledger keeps of it. */
export interface Candidate {
  readonly issue: Issue;
  readonly lease: Lease;
}

export interface AdmissionContext {
  readonly observation: Observation;
  readonly listing: CompleteListing;
  readonly workflow: Workflow;
  readonly slots: SlotCounter;
  /** What the board's leases have spent today, in USD. */
  readonly spentTodayUsd: number;
  readonly now: Instant;
}

type Refusal = Pick<Decision, 'action' | 'reason' | 'detail' | 'until' | 'toResume'>;
type Gate = (candidate: Candidate, context: AdmissionContext) => Refusal | undefined;

/**
 * Every rule a start must pass, in order: the first that refuses is the reason. Pause, contract, whether the issue is
 * eligible, the review queue, budgets, breakers, caps. There is no other way to a start.
 */
const gates: readonly Gate[] = [
  notPaused,
  contractHolds,
  wantedByBoard,
  movedByTrusted,
  notBlocked,
  notParked,
  turnsLeft,
  retryDue,
  reviewQueueHasRoom,
  issueBudgetLeft,
  dayBudgetLeft,
  quotaLeft,
  breakersClosed,
  slotFree,
];

/** Whether this issue may start now; taking its slots if so. */
export function admit(candidate: Candidate, context: AdmissionContext): Decision {
  const { issue, lease } = candidate;
  const named = { issueId: issue.id, key: issue.key, issue };
  for (const gate of gates) {
    const refusal = gate(candidate, context);
    if (refusal !== undefined) return { ...named, ...refusal };
  }
  return {
    ...named,
    action: 'start',
    reason: 'start',
    detail: `attempt ${lease.attempt + 1} starts from "${issue.state}"`,
  };
}

/** Order of admission: priority, then work already started, then age, then key. */
export function orderCandidates(
  candidates: readonly Candidate[],
  observation: Observation,
): readonly Candidate[] {
  // Whether work has started is asked once per issue, not once per comparison.
  return candidates
    .map((candidate) => ({ candidate, issue: candidate.issue, started: hasStarted(candidate, observation) }))
    .sort(
      (a, b) =>
        (a.issue.priority ?? 5) - (b.issue.priority ?? 5) ||
        Number(b.started) - Number(a.started) ||
        (a.issue.createdAt ?? Number.MAX_SAFE_INTEGER) - (b.issue.createdAt ?? Number.MAX_SAFE_INTEGER) ||
        (a.issue.key < b.issue.key ? -1 : a.issue.key > b.issue.key ? 1 : 0),
    )
    .map(({ candidate }) => candidate);
}

/** Has a turn since the last reset, or stands in the in-progress column: few issues half done rather than many. */
function hasStarted({ issue, lease }: Candidate, observation: Observation): boolean {
  const inProgress = observation.contract.contract?.inProgress;
  return (
    lease.turns > 0 ||
    (inProgress !== undefined && issue.state !== undefined && stateKey(issue.state) === inProgress.key)
  );
}

function notPaused(_: Candidate, { observation }: AdmissionContext): Refusal | undefined {
  return observation.record.paused && wait('paused', 'the board is paused', { toResume: 'evenkeel resume' });
}

function contractHolds(_: Candidate, { observation }: AdmissionContext): Refusal | undefined {
  const { workflowProblem } = observation;
  if (workflowProblem !== undefined)
    return wait('contract-invalid', workflowProblem.message, { toResume: workflowProblem.toResume });
  if (observation.contract.valid) return undefined;
  const problems = observation.contract.problems.map((problem) => problem.message).join('; ');
  const toResume = isUnread(observation.contract.problems)
    ? 'let the board be reached again'
    : 'mend the workflow file or the board';
  return wait('contract-invalid', problems, { toResume });
}

function wantedByBoard(
  { issue }: Candidate,
  { observation, workflow }: AdmissionContext,
): Refusal | undefined {
  if (!observation.contract.valid) return undefined;
  const why = unwantedBecause(issue, observation.contract.contract, workflow);
  return why && { action: 'ignore', reason: why, detail: describeUnwanted(why, issue, workflow) };
}

function movedByTrusted({ issue }: Candidate, _: AdmissionContext): Refusal | undefined {
  if (issue.trusted === true) return undefined;
  const who =
    issue.trusted === 'unknown'
      ? 'it is not known who moved it, or changed its text since'
      : 'who moved it, or changed its text since, may not start work';
  return wait('untrusted-actor', who, {
    toResume: 'let someone who may start work read it, and move it into an active state anew',
  });
}

function notBlocked(candidate: Candidate, { observation }: AdmissionContext): Refusal | undefined {
  const open = candidate.issue.blockers.filter((blocker) => blocker.open !== false);
  if (open.length === 0 || hasStarted(candidate, observation)) return undefined;
  const named = open
    .map(({ key, open: state }) => (state === 'unknown' ? `${key} (not readable)` : key))
    .join(', ');
  return wait('blocked', `it is blocked by ${named}`, { toResume: `finish ${named}` });
}

function notParked({ lease }: Candidate, _: AdmissionContext): Refusal | undefined {
  return lease.parked && wait('parked', lease.parked.detail, { toResume: lease.parked.toResume });
}

function turnsLeft({ lease }: Candidate, { workflow }: AdmissionContext): Refusal | undefined {
  if (lease.turns < workflow.agent.max_turns) return undefined;
  return wait('parked', `its ${lease.turns} turns are used up`, {
    toResume: 'move the card out and back to an active state, or raise agent.max_turns',
  });
}

function retryDue({ lease }: Candidate, { now }: AdmissionContext): Refusal | undefined {
  if (lease.nextAt === undefined || lease.nextAt <= now) return undefined;
  return wait('retry-not-due', `it is tried again after a failure (${lease.retryClass ?? 'unknown'})`, {
    until: lease.nextAt,
  });
}

function reviewQueueHasRoom(_: Candidate, { listing, workflow }: AdmissionContext): Refusal | undefined {
  const limit = workflow.agent.max_in_handoff;
  if (limit === undefined || listing.inHandoff < limit) return undefined;
  return wait('review-queue-full', `${listing.inHandoff} of ${limit} issues wait for a person`, {
    toResume: `review issues in "${workflow.tracker.handoff_state}"`,
  });
}

function issueBudgetLeft({ lease }: Candidate, { workflow }: AdmissionContext): Refusal | undefined {
  const budget = workflow.agent.budget;
  const toResume = 'move the card out and back to an active state, or raise agent.budget';
  if (budget?.usd_per_issue !== undefined && lease.spendUsd >= budget.usd_per_issue) {
    return wait(
      'budget-issue',
      `${lease.spendUsd.toFixed(2)} of ${budget.usd_per_issue} USD are spent on it`,
      { toResume },
    );
  }
  if (budget?.tokens_per_issue !== undefined && lease.spendTokens >= budget.tokens_per_issue) {
    return wait('budget-issue', `${lease.spendTokens} of ${budget.tokens_per_issue} tokens are spent on it`, {
      toResume,
    });
  }
  return undefined;
}

function dayBudgetLeft(_: Candidate, { workflow, spentTodayUsd }: AdmissionContext): Refusal | undefined {
  const limit = workflow.agent.budget?.usd_per_day;
  if (limit === undefined || spentTodayUsd < limit) return undefined;
  return wait('budget-day', `${spentTodayUsd.toFixed(2)} of ${limit} USD are spent today`, {
    toResume: 'wait for the next day (UTC), or raise agent.budget.usd_per_day',
  });
}

function quotaLeft(_: Candidate, { observation, now }: AdmissionContext): Refusal | undefined {
  const until = limitAhead(observation.record, now);
  return until === undefined ? undefined : wait('quota', "the tracker's quota is used up", { until });
}

function breakersClosed(_: Candidate, { observation, workflow, now }: AdmissionContext): Refusal | undefined {
  for (const name of ['launch', `agent:${workflow.agent.kind}`]) {
    const breaker = observation.record.breakers?.[name];
    if (breaker !== undefined && breaker.until > now)
      return wait('breaker-open', breaker.reason, { until: breaker.until });
  }
  return undefined;
}

function slotFree({ issue }: Candidate, { slots }: AdmissionContext): Refusal | undefined {
  const full = slots.take(issue);
  if (full === undefined) return undefined;
  return wait(full.reason, full.detail, full.toResume === undefined ? {} : { toResume: full.toResume });
}

function wait(reason: Reason, detail: string, more: Pick<Refusal, 'until' | 'toResume'> = {}): Refusal {
  return { action: 'wait', reason, detail, ...more };
}

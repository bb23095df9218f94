import type { Instant } from './issue.ts';
import type { Evidence, Lease, Park, ParkReason } from './lease.ts';
import { backoffMs } from './retry.ts';
import type { FailureClass, Outcome } from './settle.ts';
import type { TurnResult } from './turn-protocol.ts';
import type { Workflow } from './workflow.ts';

/** A gate that keeps failing is shown to a person sooner than an agent that keeps crashing. */
export const maxVerificationFailures = 2;

/** What a turn's evidence amounts to. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly failureClass: FailureClass | undefined;
  /** A closed word or a sentence without any output of the agent. */
  readonly reason: string;
  /** Whether a park also shows in the hand-off state; trouble with the policy keeps the issue where it is. */
  readonly viaHandoff: boolean;
  readonly nextAt: Instant | undefined;
  readonly parked: Park | undefined;
  /** Launches that must wait because trying now would fail for others too. */
  readonly breaker: 'launch' | 'agent' | undefined;
  readonly alarm: boolean;
}

/** Judges a turn that has ended. The result is evidence: exit 0 without a sign of work is no success. */
export function judgeTurn(lease: Lease, workflow: Workflow, now: Instant): Verdict {
  const result = lease.result ?? lease.evidence?.result;
  if (result === undefined) return judgeSilence(lease, workflow, now);
  switch (result.status) {
    case 'stopped':
      return infrastructure(`it was ended from outside (${result.cause ?? 'unknown'})`, false);
    case 'failed':
      return judgeFailure(result.failure, lease, workflow, now);
    case 'question':
      return end(
        'question',
        'the agent asked a question',
        undefined,
        workflow,
        now,
        'read the question in the status comment, answer it in the issue, then move the card back',
      );
    case 'completed':
      return judgeCompletion(result, lease, workflow, now);
  }
}

/**
 * Judges a launch that nobody passed the gate of. It slows the next ones down where it speaks against the platform: not
 * where a task was asked to end before it began, nor where nobody saw how it ended.
 */
export function judgeUnbegun(detail: string, evidence: Evidence | undefined): Verdict {
  const wasAsked = evidence?.signal === 'SIGTERM' || evidence?.result?.cause === 'signal';
  return infrastructure(detail, !wasAsked && evidence?.cause !== 'unknown');
}

/** Judges a start whose move the tracker refuses: it concerns this issue alone, and a person has to mend it in the end. */
export function judgeRejected(detail: string, lease: Lease, workflow: Workflow, now: Instant): Verdict {
  return judgeFailure(
    { class: 'policy', kind: 'move-rejected', detail, retryable: true },
    lease,
    workflow,
    now,
  );
}

/** A turn without a result is an agent crash, unless the platform explains it. */
function judgeSilence(lease: Lease, workflow: Workflow, now: Instant): Verdict {
  const { evidence } = lease;
  if (evidence?.cause === 'platform' || evidence?.cause === 'gone') {
    return infrastructure(evidence.detail, true);
  }
  return judgeFailure(
    {
      class: 'agent',
      kind: 'crash',
      detail: `the turn ended without a result (${evidence?.detail ?? 'unknown'})`,
      retryable: true,
    },
    lease,
    workflow,
    now,
  );
}

function judgeFailure(
  failure: TurnResult['failure'],
  lease: Lease,
  workflow: Workflow,
  now: Instant,
): Verdict {
  const {
    class: failureClass,
    detail,
    retryable,
  } = failure ?? { class: 'agent', detail: 'it failed without saying why', retryable: true };
  switch (failureClass) {
    case 'infrastructure':
      return infrastructure(detail, true);
    case 'authentication':
    case 'billing':
      return { ...infrastructure(detail, true), failureClass, breaker: 'agent', alarm: true };
    case 'verification':
      return retryOrEnd(failureClass, detail, maxVerificationFailures, 'at-once', lease, workflow, now);
    case 'delivery':
      return retryOrEnd(
        failureClass,
        detail,
        retryable ? workflow.agent.max_failures : 1,
        'at-once',
        lease,
        workflow,
        now,
      );
    case 'agent':
      return retryOrEnd(failureClass, detail, workflow.agent.max_failures, 'backoff', lease, workflow, now);
    case 'policy': {
      const verdict = retryOrEnd(
        failureClass,
        detail,
        retryable ? workflow.agent.max_failures : 1,
        'backoff',
        lease,
        workflow,
        now,
      );
      return { ...verdict, viaHandoff: false, alarm: verdict.outcome === 'parked' };
    }
  }
}

type CountedFailure = 'agent' | 'verification' | 'delivery' | 'policy';

function retryOrEnd(
  failureClass: CountedFailure,
  detail: string,
  tries: number,
  pace: 'at-once' | 'backoff',
  lease: Lease,
  workflow: Workflow,
  now: Instant,
): Verdict {
  const failures = lease.counters[failureClass] + 1;
  if (failures >= tries) {
    const reason = failureClass === 'agent' ? 'failures' : failureClass;
    return end(
      reason,
      detail,
      failureClass,
      workflow,
      now,
      'see what went wrong, then move the card out and back',
    );
  }
  const waitMs =
    pace === 'at-once' ? 0 : backoffMs(failures, lease.turnId!, workflow.agent.max_retry_backoff_ms);
  return boundByTurns(
    { ...again('retry', failureClass, detail), nextAt: now + waitMs },
    lease,
    workflow,
    now,
  );
}

function judgeCompletion(result: TurnResult, lease: Lease, workflow: Workflow, now: Instant): Verdict {
  if ((result.git?.commits ?? 0) > 0) {
    const done = again('handed-off', undefined, 'the agent finished and its work was delivered');
    return workflow.tracker.handoff_state === undefined
      ? boundByTurns({ ...done, outcome: 'recheck' }, lease, workflow, now)
      : done;
  }
  const turnsWithout = lease.counters.noProgress + 1;
  if (turnsWithout < workflow.agent.max_no_progress) {
    return boundByTurns(
      again('recheck', 'no-progress', 'the agent ended well and changed nothing'),
      lease,
      workflow,
      now,
    );
  }
  const detail = `nothing to do: ${turnsWithout} turns in a row changed nothing`;
  if (workflow.tracker.handoff_state !== undefined) return { ...again('handed-off', 'no-progress', detail) };
  return end(
    'no-progress',
    detail,
    'no-progress',
    workflow,
    now,
    'say more in the issue, then move the card out and back',
  );
}

/** Every turn counts against the turns that an issue may take without a person. */
function boundByTurns(verdict: Verdict, lease: Lease, workflow: Workflow, now: Instant): Verdict {
  const turns = lease.turns + 1;
  if (turns < workflow.agent.max_turns) return verdict;
  return end(
    'turns',
    `its ${turns} turns are used up; last: ${verdict.reason}`,
    verdict.failureClass,
    workflow,
    now,
    'move the card out and back, or raise agent.max_turns',
  );
}

function end(
  reason: ParkReason,
  detail: string,
  failureClass: FailureClass | undefined,
  _workflow: Workflow,
  now: Instant,
  toResume: string,
): Verdict {
  return {
    outcome: 'parked',
    failureClass,
    reason: detail,
    viaHandoff: true,
    nextAt: undefined,
    parked: { reason, since: now, detail, toResume },
    breaker: undefined,
    alarm: false,
  };
}

function infrastructure(detail: string, breaks: boolean): Verdict {
  return { ...again('recheck', 'infrastructure', detail), breaker: breaks ? 'launch' : undefined };
}

function again(outcome: Outcome, failureClass: FailureClass | undefined, reason: string): Verdict {
  return {
    outcome,
    failureClass,
    reason,
    viaHandoff: false,
    nextAt: undefined,
    parked: undefined,
    breaker: undefined,
    alarm: false,
  };
}

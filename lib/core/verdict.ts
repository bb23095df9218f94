import { isOfTheIssue, maxInterruptions } from './interruption.ts';
import type { Instant } from './issue.ts';
import type { Evidence, Lease, Park, ParkReason } from './lease.ts';
import { backoffMs } from './retry.ts';
import type { FailureClass, Outcome } from './settle.ts';
import { type TurnResult, turnExitCodes } from './turn-protocol.ts';
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

/** A prompt has the issue's text; comments, which anybody may write, are not part of it. */
const howToAnswer =
  'read the question in the status comment, write the answer into the text of the issue (agents see no comments), then move the card back';

/** What is judged: a turn as its lease has it, by the policy and at the moment of the judgement. */
interface Case {
  readonly lease: Lease;
  readonly workflow: Workflow;
  readonly now: Instant;
}

/** Judges a turn that has ended. The result is evidence: exit 0 without a sign of work is no success. */
export function judgeTurn(lease: Lease, workflow: Workflow, now: Instant): Verdict {
  const it: Case = { lease, workflow, now };
  const result = lease.result ?? lease.evidence?.result;
  if (result === undefined) return judgeSilence(it);
  switch (result.status) {
    case 'stopped':
      return judgeInterruption(`it was ended from outside (${result.cause ?? 'unknown'})`, false, it);
    case 'failed':
      return judgeFailure(result.failure, it);
    case 'question': {
      return end('question', 'the agent asked a question', undefined, now, howToAnswer);
    }
    case 'completed':
      return judgeCompletion(result, it);
  }
}

/**
 * Judges a launch that nobody passed the gate of. It slows the next ones down where it speaks against the platform: not
 * where a task was asked to end before it began or was turned away by the gate, nor where nobody saw how it ended.
 */
export function judgeUnbegun(detail: string, evidence: Evidence | undefined): Verdict {
  const wasAsked = evidence?.asked || evidence?.signal === 'SIGTERM' || evidence?.result?.cause === 'signal';
  // The gate reads the board again; a card that is back where it was since then says nothing of it.
  const wasRefused = evidence?.exitCode === turnExitCodes.refused;
  return infrastructure(detail, !wasAsked && !wasRefused && evidence?.cause !== 'unknown');
}

/** Judges a start whose move the tracker refuses: it concerns this issue alone, and a person has to mend it in the end. */
export function judgeRejected(detail: string, lease: Lease, workflow: Workflow, now: Instant): Verdict {
  return judgeFailure(
    { class: 'policy', kind: 'move-rejected', detail, retryable: true },
    { lease, workflow, now },
  );
}

/** A turn without a result is an agent crash, unless the platform explains it or it was asked to end. */
function judgeSilence(it: Case): Verdict {
  const { evidence } = it.lease;
  if (evidence?.cause === 'platform' || evidence?.cause === 'gone') {
    return infrastructure(evidence.detail, true);
  }
  if (evidence?.asked) return infrastructure(evidence.detail, false);
  const detail = `the turn ended without a result (${evidence?.detail ?? 'unknown'})`;
  return judgeFailure({ class: 'agent', kind: 'crash', detail, retryable: true }, it);
}

function judgeFailure(failure: TurnResult['failure'], it: Case): Verdict {
  const {
    class: failureClass,
    detail,
    retryable,
  } = failure ?? { class: 'agent', detail: 'it failed without saying why', retryable: true };
  const most = it.workflow.agent.max_failures;
  switch (failureClass) {
    case 'infrastructure':
      return judgeInterruption(detail, true, it);
    case 'authentication':
    case 'billing':
      return { ...infrastructure(detail, true), failureClass, breaker: 'agent', alarm: true };
    case 'verification':
      return retryOrEnd(failureClass, detail, maxVerificationFailures, 'at-once', it);
    case 'delivery':
      return retryOrEnd(failureClass, detail, retryable ? most : 1, 'at-once', it);
    case 'agent':
      return retryOrEnd(failureClass, detail, most, 'backoff', it);
    case 'policy': {
      const verdict = retryOrEnd(failureClass, detail, retryable ? most : 1, 'backoff', it);
      return { ...verdict, viaHandoff: false, alarm: verdict.outcome === 'parked' };
    }
  }
}

/**
 * Trouble of the platform uses up none of the agent's tries. What ends turn after turn of one issue alone is spaced all the
 * same, and shown to a person in the end: nobody else can tell what it is.
 */
function judgeInterruption(detail: string, breaks: boolean, { lease, workflow, now }: Case): Verdict {
  const verdict = infrastructure(detail, breaks);
  if (!isOfTheIssue(lease)) return verdict;
  const turns = lease.counters.infrastructure + 1;
  if (turns < maxInterruptions) {
    const waitMs = backoffMs(turns, lease.turnId!, workflow.agent.max_retry_backoff_ms);
    return { ...verdict, outcome: 'retry', nextAt: now + waitMs };
  }
  const why = `${turns} turns in a row were interrupted after the agent had begun; last: ${detail}`;
  const toResume =
    'see what ends its turns and mend that, then move the card out and back to an active state';
  const parked = end('infrastructure', why, 'infrastructure', now, toResume);
  return { ...parked, breaker: verdict.breaker, alarm: true };
}

type CountedFailure = 'agent' | 'verification' | 'delivery' | 'policy';

function retryOrEnd(
  failureClass: CountedFailure,
  detail: string,
  tries: number,
  pace: 'at-once' | 'backoff',
  it: Case,
): Verdict {
  const { lease, workflow, now } = it;
  const failures = lease.counters[failureClass] + 1;
  if (failures >= tries) {
    const reason = failureClass === 'agent' ? 'failures' : failureClass;
    return end(
      reason,
      detail,
      failureClass,
      now,
      'see what went wrong, then move the card out and back to an active state',
    );
  }
  const waitMs =
    pace === 'at-once' ? 0 : backoffMs(failures, lease.turnId!, workflow.agent.max_retry_backoff_ms);
  return boundByTurns({ ...again('retry', failureClass, detail), nextAt: now + waitMs }, it);
}

function judgeCompletion(result: TurnResult, it: Case): Verdict {
  const { lease, workflow, now } = it;
  if ((result.git?.commits ?? 0) > 0) {
    const done = again('handed-off', undefined, 'the agent finished and its work was delivered');
    return workflow.tracker.handoff_state === undefined
      ? boundByTurns({ ...done, outcome: 'recheck' }, it)
      : done;
  }
  const turnsWithout = lease.counters.noProgress + 1;
  if (turnsWithout < workflow.agent.max_no_progress)
    return boundByTurns(again('recheck', 'no-progress', 'the agent ended well and changed nothing'), it);
  const detail = `nothing to do: ${turnsWithout} turns in a row changed nothing`;
  if (workflow.tracker.handoff_state !== undefined) return { ...again('handed-off', 'no-progress', detail) };
  const toResume = 'say more in the issue, then move the card out and back to an active state';
  return end('no-progress', detail, 'no-progress', now, toResume);
}

/** Every turn counts against the turns that an issue may take without a person. */
function boundByTurns(verdict: Verdict, { lease, workflow, now }: Case): Verdict {
  const turns = lease.turns + 1;
  if (turns < workflow.agent.max_turns) return verdict;
  const detail = `its ${turns} turns are used up; last: ${verdict.reason}`;
  const toResume = 'move the card out and back to an active state, or raise agent.max_turns';
  return end('turns', detail, verdict.failureClass, now, toResume);
}

function end(
  reason: ParkReason,
  detail: string,
  failureClass: FailureClass | undefined,
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

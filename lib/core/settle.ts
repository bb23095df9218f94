import type { Contract } from './contract.ts';
import {
  type Arn,
  type BoardId,
  type Instant,
  type Issue,
  type IssueId,
  type IssueKey,
  type Reading,
  type StateName,
  stateKey,
  type TurnId,
} from './issue.ts';
import type { Lease, Park, Transition } from './lease.ts';
import { type PullRequest, type WantedPullRequest, wantPullRequest } from './pull-request.ts';
import type { TurnResult } from './turn-protocol.ts';
import { judgeTurn, type Verdict } from './verdict.ts';
import type { Workflow } from './workflow.ts';

export const failureClasses = [
  'infrastructure',
  'agent',
  'verification',
  'no-progress',
  'authentication',
  'billing',
  'delivery',
  'policy',
  'cancelled',
] as const;
export type FailureClass = (typeof failureClasses)[number];

/** What follows a turn that has ended. */
export type Outcome = 'handed-off' | 'retry' | 'recheck' | 'parked' | 'released';

/** A turn's history, put once: the commit of its settlement, from which counters and parks are folded. */
export interface SettlementRecord {
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly key: IssueKey;
  readonly turnId: TurnId;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly failureClass: FailureClass | undefined;
  readonly reason: string;
  /** When the next try may start, for `retry`. */
  readonly nextAt: Instant | undefined;
  readonly parked: Park | undefined;
  /** The state the issue was left in, as last read or written. */
  readonly state: StateName | undefined;
  readonly policyHash: string | undefined;
  readonly transitions: readonly Transition[];
  readonly result: TurnResult | undefined;
  readonly pullRequest?: PullRequest | undefined;
  readonly arn: Arn | undefined;
  readonly startedAt: Instant | undefined;
  readonly endedAt: Instant;
}

/** What to do about a turn that has ended, before anything of it is written. */
export type Settlement =
  /** Nothing may be decided from what could be read; a later tick looks again. `goneSince` notes a first absence. */
  | { readonly kind: 'defer'; readonly reason: 'unknown' | 'gone'; readonly goneSince?: Instant }
  | {
      readonly kind: 'settle';
      readonly verdict: Verdict;
      /** Put before the issue is moved, so that whoever looks at the card finds it. */
      readonly pullRequest?: WantedPullRequest | undefined;
      /** The state to move the issue to, and whether that has been done by this turn already. */
      readonly handoff: { readonly to: StateName; readonly done: boolean } | undefined;
      /** The state the issue stands in now; after a hand-off it is `handoff.to`. */
      readonly state: StateName | undefined;
    };

/**
 * What follows a turn that has ended, decided from the issue as it is *now*. A state that a person set during the turn is
 * never replaced: the hand-off starts from our own in-progress write, else from the state the turn started in; from any
 * other, and from every terminal one, the turn is released without a write. `unreadable` is what has been wrong with the
 * issue for too long to wait any more, should it still not be understood.
 */
export function settleTurn(
  latest: Reading,
  lease: Lease,
  workflow: Workflow,
  contract: Contract,
  now: Instant,
  unreadable?: string | undefined,
): Settlement {
  const notUnderstood = (): Settlement =>
    unreadable === undefined
      ? { kind: 'defer', reason: 'unknown' }
      : settleUnreadable(lease, workflow, unreadable, now);
  if (latest.kind === 'unknown') return notUnderstood();
  if (latest.kind === 'gone') {
    if (lease.goneSince === undefined || lease.goneSince >= now)
      return { kind: 'defer', reason: 'gone', goneSince: lease.goneSince ?? now };
    return release('gone', undefined);
  }
  const { issue } = latest;
  if (issue.closed || isOneOf(issue.state, contract.terminal)) return release('terminal', issue.state);
  if (issue.conflictingStates.length > 1) return notUnderstood();
  const isDone = isHandedOff(issue, lease, contract);
  if (!isDone && !mayReplace(issue, lease)) return release('moved-by-person', issue.state);
  const verdict = judgeTurn(lease, workflow, now);
  const pullRequest = wantPullRequest(issue, lease, verdict, workflow);
  if (isDone)
    return {
      kind: 'settle',
      verdict,
      pullRequest,
      handoff: { to: issue.state!, done: true },
      state: issue.state,
    };
  const handsOff = verdict.outcome === 'handed-off' || (verdict.outcome === 'parked' && verdict.viaHandoff);
  const handoff = handsOff && contract.handoff ? { to: contract.handoff.name, done: false } : undefined;
  return { kind: 'settle', verdict, pullRequest, handoff, state: issue.state };
}

/**
 * What follows an ended turn whose issue the board cannot make sense of, and has not for long: nothing is written and
 * nothing released to anybody, but the turn's slot is free again, and a person is told to mend the issue.
 */
function settleUnreadable(lease: Lease, workflow: Workflow, problem: string, now: Instant): Settlement {
  const verdict = judgeTurn(lease, workflow, now);
  const detail = `what follows the turn could not be decided: ${problem}; the turn itself: ${verdict.reason}`;
  const toResume = 'mend the issue, then move the card out and back to an active state';
  const parked: Park = { reason: 'policy', since: now, detail, toResume };
  return {
    kind: 'settle',
    verdict: { ...verdict, outcome: 'parked', reason: detail, nextAt: undefined, parked, alarm: true },
    handoff: undefined,
    state: undefined,
  };
}

/** So long an ended turn holds its slot for what people should find of it: its pull request, its status comment. */
const patienceMs = 600_000;

/** Whether what cannot be told to people now is left to a later tick, instead of being done without. */
export function mayTellLater({ endedAt }: Lease, now: Instant): boolean {
  return endedAt !== undefined && now < endedAt + patienceMs;
}

/** Whether our write may replace this state: the one our own write left, else the one the turn started from. */
export function mayReplace(issue: Pick<Issue, 'state'>, lease: Lease): boolean {
  const ours = lease.writtenState ?? lease.startedFrom;
  return issue.state !== undefined && ours !== undefined && stateKey(issue.state) === stateKey(ours);
}

/** What follows a turn that was told to stop and is stopped: nothing, unless nobody had cancelled it. */
export function settleStopped(lease: Lease, workflow: Workflow, now: Instant): Verdict {
  const reason = lease.stop?.reason ?? 'not-active';
  if (reason !== 'stale' && reason !== 'deadline') return cancelled(reason);
  // A container that vanished explains its own silence; the agent is not to blame.
  if (lease.evidence?.cause === 'platform' || lease.evidence?.cause === 'gone') {
    return judgeTurn({ ...lease, result: undefined }, workflow, now);
  }
  const kind = reason === 'stale' ? 'it was not heard of any more' : 'it took longer than it may';
  return judgeTurn({ ...lease, result: failedAgent(kind, reason) }, workflow, now);
}

function isHandedOff(issue: Issue, lease: Lease, contract: Contract): boolean {
  if (contract.handoff === undefined || lease.writtenState === undefined || issue.state === undefined)
    return false;
  return (
    stateKey(issue.state) === contract.handoff.key && stateKey(lease.writtenState) === contract.handoff.key
  );
}

function isOneOf(state: StateName | undefined, states: Contract['terminal']): boolean {
  return state !== undefined && states.some(({ key }) => key === stateKey(state));
}

function release(reason: string, state: StateName | undefined): Settlement {
  return { kind: 'settle', verdict: cancelled(reason), handoff: undefined, state };
}

function cancelled(reason: string): Verdict {
  return {
    outcome: 'released',
    failureClass: 'cancelled',
    reason,
    viaHandoff: false,
    nextAt: undefined,
    parked: undefined,
    breaker: undefined,
    alarm: false,
  };
}

function failedAgent(detail: string, kind: string): TurnResult {
  return {
    version: 1,
    status: 'failed',
    failure: { class: 'agent', kind, detail, retryable: true },
    verify: [],
  };
}

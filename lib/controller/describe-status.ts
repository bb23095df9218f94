import { countHandoff } from '../core/count-handoff.ts';
import type { Counters, Lease } from '../core/lease.ts';
import type { StatusReport } from './operations.ts';
import { type DryRun, planOnly } from './plan-only.ts';
import { toTime } from './plan-report.ts';
import type { Ports } from './ports.ts';
import { readSpend } from './read-spend.ts';

/**
 * What runs and what does not, and why. Each issue stands in one list: what is parked or tried again later is not also
 * waiting. Why the others wait comes from a fresh plan, so that it is true now and not at the last tick.
 */
export async function describeStatus(ports: Ports): Promise<StatusReport> {
  const dry = await planOnly(ports);
  const { leases, planned } = dry;
  const now = ports.clock.now();
  const { inHandoff, parkedInHandoff } = countHandoff(planned.map(({ seen }) => seen.observation));
  const resting = leases.filter((lease) => !isHeld(lease) && !isAboutToBeReset(dry, lease));
  const pausedBoards = planned
    .filter(({ seen }) => seen.record?.paused !== undefined)
    .map(({ seen }) => seen.board.id);
  return {
    paused: planned.length > 0 && pausedBoards.length === planned.length,
    pausedBoards,
    lastTick: describeLastTick(dry),
    running: leases.filter(isHeld).map((lease) => describeRunning(lease, stateOf(dry, lease))),
    waiting: describeWaiting(
      dry,
      resting.filter((lease) => isRetrying(lease, now) || lease.parked !== undefined),
    ),
    retrying: resting.filter((lease) => isRetrying(lease, now)).map(describeRetrying),
    parked: resting.flatMap(describeParked),
    inReview: inHandoff,
    parkedInReview: parkedInHandoff,
    spent: await readSpend(
      ports,
      leases,
      planned.map(({ seen }) => seen.board.id),
    ),
    problems: dry.boards.flatMap(({ board, problems }) => problems.map((problem) => ({ board, ...problem }))),
  };
}

function describeLastTick({ tick }: DryRun): StatusReport['lastTick'] {
  const summary = tick?.summary;
  if (summary === undefined) return null;
  return { ...summary, startedAt: toTime(summary.startedAt), finishedAt: toTime(summary.finishedAt) };
}

function isHeld(lease: Lease): boolean {
  return lease.phase !== 'idle';
}

function describeRunning(lease: Lease, state: string | undefined): StatusReport['running'][number] {
  return {
    board: lease.board,
    key: lease.key,
    turnId: lease.turnId ?? '',
    attempt: lease.attempt,
    phase: lease.phase,
    state: state ?? lease.seenState ?? lease.startedFrom ?? null,
    startedAt: lease.startedAt === undefined ? null : toTime(lease.startedAt),
    lastProgressAt: lease.progressAt === undefined ? null : toTime(lease.progressAt),
  };
}

/** The state in which the issue was just read. */
function stateOf({ planned }: DryRun, lease: Lease): string | undefined {
  const observation = planned.find(({ seen }) => seen.board.id === lease.board)?.seen.observation;
  if (observation === undefined) return undefined;
  const { listing, readings } = observation;
  const reading = readings.get(lease.issueId);
  if (reading?.kind === 'found') return reading.issue.state;
  return listing.kind === 'complete'
    ? listing.issues.find(({ id }) => id === lease.issueId)?.state
    : undefined;
}

/** A person has moved the card: the park and the retry that are still kept are over. */
function isAboutToBeReset({ boards }: DryRun, { board, issueId }: Lease): boolean {
  const decisions = boards.find((report) => report.board === board)?.decisions ?? [];
  return decisions.some((decision) => decision.action === 'reset' && decision.issueId === issueId);
}

function describeWaiting({ boards }: DryRun, listed: readonly Lease[]): StatusReport['waiting'] {
  const elsewhere = new Set(listed.map(({ board, issueId }) => JSON.stringify([board, issueId])));
  return boards.flatMap(({ board, decisions }) =>
    decisions
      .filter(({ action, issueId }) => action === 'wait' && !elsewhere.has(JSON.stringify([board, issueId])))
      .map(({ key, reason, until, toResume }) => ({
        board,
        key,
        reason,
        until: until === undefined ? null : toTime(until),
        toResume: toResume ?? null,
      })),
  );
}

function isRetrying(lease: Lease, now: number): boolean {
  return lease.parked === undefined && lease.nextAt !== undefined && lease.nextAt > now;
}

function describeRetrying(lease: Lease): StatusReport['retrying'][number] {
  const name = lease.retryClass ?? 'unknown';
  return {
    board: lease.board,
    key: lease.key,
    failures: failuresOf(lease.counters, name),
    class: name,
    dueAt: toTime(lease.nextAt!),
  };
}

function failuresOf(counters: Counters, failureClass: string): number {
  if (failureClass === 'no-progress') return counters.noProgress;
  return Object.hasOwn(counters, failureClass) ? counters[failureClass as keyof Counters] : 0;
}

function describeParked({ board, key, parked }: Lease): StatusReport['parked'] {
  if (parked === undefined) return [];
  return [{ board, key, reason: parked.reason, since: toTime(parked.since), toResume: parked.toResume }];
}

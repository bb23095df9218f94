import type { Contract } from './contract.ts';
import type { Action, Decision, Reason } from './decision.ts';
import type { Instant, Reading } from './issue.ts';
import { stateKey } from './issue.ts';
import { type Lease, protocolVersion } from './lease.ts';
import type { LedgerUpdate } from './lease-write.ts';
import type { Observation, TaskState } from './observation.ts';
import { isGone, isStale, mergeNotes, noteHeartbeat, noteMissing, type Silence } from './silence.ts';
import { describeUnwanted, unwantedBecause } from './wanted.ts';
import type { Workflow } from './workflow.ts';

/** A live invocation finishes its announced write well within this; only after it may another one take it over. */
const writeWindowMs = 10_000;

/** So long an ended turn holds its slot for an issue that the board itself cannot make sense of. */
const unreadableMs = 600_000;

interface Case {
  readonly lease: Lease;
  readonly reading: Reading;
  readonly observation: Observation;
  readonly workflow: Workflow;
  readonly now: Instant;
}

/**
 * What to do with a lease that is held, or that has a tracker write open. Ownership ends by evidence only; heartbeats,
 * deadlines and the board merely ask for a stop; what could not be read releases nothing and stops nothing.
 */
export function decideRepair(
  lease: Lease,
  reading: Reading,
  observation: Observation,
  workflow: Workflow,
  now: Instant,
): Decision {
  const it: Case = { lease, reading, observation, workflow, now };
  if (lease.pv > protocolVersion)
    return decide(it, 'keep', 'running', lease.unreadable ?? 'a newer version of evenkeel holds it');
  if (lease.pending !== undefined) return decideOpenWrite(it);
  switch (lease.phase) {
    case 'idle':
      throw new Error(`Lease of ${lease.key} is idle; there is nothing to repair.`);
    case 'claimed':
      return (lease.epoch ?? 0) < observation.epoch
        ? decide(it, 'release', 'superseded', 'an earlier tick claimed it and never launched it')
        : decide(it, 'keep', 'claimed', 'it is being started');
    case 'launching':
      return decideLaunching(it);
    case 'running':
      return decideRunning(it);
    case 'stopping':
      return decideStopping(it);
    case 'ending':
      return decideEnding(it);
  }
}

/** An issue that is broken by the board's own word can wait for ever to be mended; a board that does not answer is waited for. */
function decideEnding(it: Case): Decision {
  const { lease, reading, observation, now } = it;
  const endedAt = lease.endedAt ?? 0;
  if (endedAt + observation.timing.joinAfterMs > now)
    return decide(it, 'keep', 'ended', 'the turn has ended and is being settled');
  const { listing } = observation;
  const broken =
    listing.kind === 'complete' ? listing.broken.find(({ id }) => id === lease.issueId) : undefined;
  return {
    ...decide(it, 'settle', 'ended', describeOpenEnding(reading)),
    ...(broken !== undefined && endedAt + unreadableMs <= now && { unreadable: broken.problem }),
  };
}

function describeOpenEnding(reading: Reading): string {
  if (reading.kind === 'found') return 'the turn has ended and what follows is still open';
  const why =
    reading.kind === 'gone' ? 'it is not found on the board' : `its issue cannot be read: ${reading.problem}`;
  return `the turn has ended, and nothing can follow while ${why}`;
}

function decideOpenWrite(it: Case): Decision {
  const { pending } = it.lease;
  const seen = pending!.seenAt;
  const holdDownMs = Math.max(it.observation.lateWriteMs, writeWindowMs);
  if (seen === undefined)
    return decide(
      it,
      'finish-write',
      'write-open',
      `a move to "${pending!.to}" was announced and not seen through`,
    );
  return seen + holdDownMs <= it.now
    ? decide(it, 'finish-write', 'write-open', `the move to "${pending!.to}" is looked up and finished`)
    : {
        ...decide(it, 'keep', 'write-open', `a move to "${pending!.to}" may still be on its way`),
        until: seen + holdDownMs,
      };
}

function decideLaunching(it: Case): Decision {
  const { lease, observation, now } = it;
  const task = lease.launchArn === undefined ? undefined : taskState(it, lease.launchArn);
  if (task?.kind === 'stopped')
    return decide(it, 'release', 'ended', 'the task ended before it began the turn');
  const board = judgeBoard(it);
  if (board?.certain) return decide(it, 'release', board.reason, board.detail);
  const { launchWindowMs, servedSince = 0 } = observation.timing;
  if (Math.max(lease.markedAt ?? 0, servedSince) + launchWindowMs <= now) {
    return decide(it, 'release', 'deadline', 'the task did not begin the turn in time');
  }
  if (board !== undefined) return { ...decide(it, 'keep', board.reason, board.detail), note: board.note };
  if (!observation.contract.valid)
    return decide(it, 'keep', 'contract-invalid', 'it is not launched again while the contract is invalid');
  if (observation.record.paused !== undefined)
    return decide(it, 'keep', 'paused', 'it is not launched again while the board is paused');
  return decide(it, 'repeat', 'claimed', 'the launch is repeated under the same turn until the turn begins');
}

function decideRunning(it: Case): Decision {
  const { lease, observation, workflow, now } = it;
  if (lease.evidence !== undefined)
    return decide(it, 'settle', 'ended', describeEvidence(lease.evidence.detail));
  const task = lease.liveArn === undefined ? undefined : taskState(it, lease.liveArn);
  if (task?.kind === 'stopped') return decide(it, 'settle', 'ended', describeEvidence(task.evidence.detail));
  if (task?.kind === 'missing' && isGone(silenceOf(it)))
    return decide(it, 'settle', 'ended', 'the runner has not known its task for a long time');
  const note = mergeNotes(noteHeartbeat(silenceOf(it)), noteMissing(silenceOf(it), task));
  const board = judgeBoard(it);
  if (board?.certain) return { ...decide(it, 'stop', board.reason, board.detail), note };
  const deadline =
    (lease.startedAt ?? lease.claimedAt ?? now) +
    workflow.agent.turn_timeout_ms +
    observation.timing.deadlineGraceMs;
  if (deadline <= now) return { ...decide(it, 'stop', 'deadline', 'the turn took longer than it may'), note };
  if (isStale(silenceOf(it)))
    return { ...decide(it, 'stop', 'stale', 'the turn has not been heard of for too long'), note };
  if (board !== undefined)
    return { ...decide(it, 'keep', board.reason, board.detail), note: mergeNotes(note, board.note) };
  if (owesInProgress(it))
    return { ...decide(it, 'finish-write', 'running', 'its move to in progress is still owed'), note };
  return {
    ...decide(it, 'keep', 'running', `attempt ${lease.attempt} is running`),
    note: mergeNotes(note, forgetGone(it)),
  };
}

function decideStopping(it: Case): Decision {
  const { lease } = it;
  const reason = lease.stop?.reason ?? 'not-active';
  if (lease.evidence !== undefined)
    return decide(it, 'release', 'ended', describeEvidence(lease.evidence.detail));
  const task = lease.liveArn === undefined ? undefined : taskState(it, lease.liveArn);
  if (task?.kind === 'stopped') return decide(it, 'release', 'ended', describeEvidence(task.evidence.detail));
  if (task?.kind === 'missing' && isGone(silenceOf(it)))
    return decide(it, 'release', 'gone', 'the runner has not known its task for a long time');
  return {
    ...decide(it, 'stop', reason, 'it was told to stop and is not seen stopped yet'),
    note: noteMissing(silenceOf(it), task),
  };
}

interface Judgement {
  /** False while one more look is owed: what cannot be read, and the first sight of an absence. */
  readonly certain: boolean;
  readonly reason: Extract<
    Reason,
    | 'terminal'
    | 'not-active'
    | 'missing-label'
    | 'gone'
    | 'unknown'
    | 'conflicting-states'
    | 'contract-invalid'
  >;
  readonly detail: string;
  readonly note?: LedgerUpdate | undefined;
}

/** What the board says against the turn, if anything. */
function judgeBoard({ lease, reading, observation, workflow, now }: Case): Judgement | undefined {
  const contract: Contract | undefined = observation.contract.contract;
  if (reading.kind === 'unknown')
    return { certain: false, reason: 'unknown', detail: `the issue could not be read: ${reading.problem}` };
  if (reading.kind === 'gone') {
    const since = lease.goneSince;
    return since !== undefined && since < now
      ? { certain: true, reason: 'gone', detail: 'the issue is gone from the board' }
      : {
          certain: false,
          reason: 'gone',
          detail: 'the issue was not found; it is looked for once more',
          note: { set: { goneSince: now }, remove: [] },
        };
  }
  if (contract === undefined)
    return {
      certain: false,
      reason: 'contract-invalid',
      detail: 'there is no contract to judge its state by',
    };
  const why = unwantedBecause(reading.issue, contract, workflow);
  if (why === undefined) return undefined;
  return {
    certain: why !== 'conflicting-states',
    reason: why,
    detail: describeUnwanted(why, reading.issue, workflow),
  };
}

function silenceOf({ lease, observation, now }: Case): Silence {
  return { lease, timing: observation.timing, now };
}

function taskState({ observation }: Case, arn: NonNullable<Lease['liveArn']>): TaskState | undefined {
  return observation.tasks === 'unknown' ? undefined : observation.tasks.get(arn);
}

function forgetGone({ lease }: Case): LedgerUpdate | undefined {
  return lease.goneSince === undefined ? undefined : { set: {}, remove: ['goneSince'] };
}

function owesInProgress({ lease, reading, observation }: Case): boolean {
  const inProgress = observation.contract.valid ? observation.contract.contract.inProgress : undefined;
  if (inProgress === undefined || lease.startedFrom === undefined || lease.writtenState !== undefined)
    return false;
  const state = reading.kind === 'found' ? reading.issue.state : undefined;
  return (
    state !== undefined &&
    stateKey(state) === stateKey(lease.startedFrom) &&
    stateKey(state) !== inProgress.key
  );
}

function describeEvidence(detail: string): string {
  return `its task has stopped: ${detail}`;
}

function decide({ lease, reading }: Case, action: Action, reason: Reason, detail: string): Decision {
  return {
    issueId: lease.issueId,
    key: lease.key,
    action,
    reason,
    detail,
    turnId: lease.turnId,
    issue: reading.kind === 'found' ? reading.issue : undefined,
  };
}

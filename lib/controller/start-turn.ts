import type { Contract } from '../core/contract.ts';
import { freezeIssue } from '../core/freeze-issue.ts';
import { type Issue, type Reading, stateKey } from '../core/issue.ts';
import { claim, mark, recordLaunch, unclaim } from '../core/launch-writes.ts';
import type { Lease } from '../core/lease.ts';
import { unclaimedLease } from '../core/lease.ts';
import { makeTurnId } from '../core/names.ts';
import { mayReplace } from '../core/settle.ts';
import { capStatesOf } from '../core/slots.ts';
import { unwantedBecause } from '../core/wanted.ts';
import { abandonLaunch, type LaunchTrouble } from './abandon-launch.ts';
import { carryOut } from './carry-out.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import type { Launch, TurnRecord } from './ports.ts';
import { moveIssue, readIssue } from './write-back.ts';

/**
 * - `started`: the launch was sent, or will be repeated by a later tick under the same turn.
 * - `not-started`: nothing was claimed, or what was claimed is released.
 * - `superseded`: a newer tick is at work; this one claims nothing more.
 */
export type Started = 'started' | 'not-started' | 'superseded';

/**
 * Starts a turn: record what it is started from → claim → confirm the epoch → mark → fresh read, still wanted? → write
 * in progress → launch → note the task's name. A crash after any arrow is finished or undone by a later tick, from what
 * it observes.
 */
export async function startTurn(
  run: BoardInvocation,
  listed: Issue,
  seen: Lease | undefined,
  contract: Contract,
): Promise<Started> {
  const before = seen ?? unclaimedLease(run.board.id, listed.id, listed.key);
  const reading = await readIssue(run, before, contract);
  if (
    reading.kind !== 'found' ||
    !isWanted(run, reading.issue, contract) ||
    !standsAsListed(reading.issue, listed)
  )
    return 'not-started';
  const issue = reading.issue;
  const attempt = before.attempt + 1;
  const turnId = makeTurnId(attempt, run.ports.ids.random());
  const now = run.ports.clock.now();
  const capStates = capStatesOf(issue, contract);
  const turn: TurnRecord = {
    turnId,
    board: run.board.id,
    attempt,
    capStates,
    issue: freezeIssue(issue),
    workflow: run.board.workflow,
    repository: run.board.repository,
    feedback: before.feedback,
    claimedAt: now,
  };
  if (!(await recordTurn(run, turn))) return 'not-started';
  const lease: Lease = {
    ...before,
    turnId,
    attempt,
    phase: 'claimed',
    startedFrom: issue.state!,
    capStates,
    epoch: run.epoch,
    transitions: [],
    writtenState: undefined,
    launchArn: undefined,
  };
  const claimed = await carryOut(
    run,
    lease,
    claim({ seen: before, epoch: run.epoch!, turnId, attempt, startedFrom: issue.state!, capStates, now }),
  );
  if (claimed !== 'done') {
    tell(run, 'refused', lease, { reason: `claim-${claimed}` });
    return 'not-started';
  }
  tell(run, 'claimed', lease, { from: issue.state });
  return confirmAndLaunch(run, lease, contract);
}

/** The plan counted the slots of the column in which the list showed the issue; in another one it has to be counted anew. */
function standsAsListed({ state }: Issue, listed: Issue): boolean {
  return state !== undefined && listed.state !== undefined && stateKey(state) === stateKey(listed.state);
}

async function confirmAndLaunch(run: BoardInvocation, lease: Lease, contract: Contract): Promise<Started> {
  const now = run.ports.clock.now();
  const tick = await run.ports.ledger.tick().catch(() => undefined);
  if (tick?.gen !== run.gen || tick.epoch !== run.epoch) {
    await carryOut(run, lease, unclaim(lease.turnId!, now, 'superseded'));
    tell(run, 'released', lease, { reason: 'superseded' });
    return 'superseded';
  }
  tell(run, 'claim-confirmed', lease);
  if ((await carryOut(run, lease, mark(lease.turnId!, now))) !== 'done') return 'started';
  return launchTurn(run, { ...lease, phase: 'launching', markedAt: now }, contract);
}

/** Puts the turn's request once. A lost answer is resolved by looking. */
async function recordTurn(run: BoardInvocation, turn: TurnRecord): Promise<boolean> {
  const { ledger } = run.ports;
  const put = await ledger.putTurn(turn).catch(() => 'unknown' as const);
  return put === 'done' || (await ledger.turn(turn.turnId).catch(() => undefined)) !== undefined;
}

/** Launches a marked turn, for the first time or again: the same turn, the same request. */
export async function launchTurn(run: BoardInvocation, lease: Lease, contract: Contract): Promise<Started> {
  const ready = await prepareIssue(run, lease, contract);
  if (ready === 'later') return 'started';
  if (ready !== 'ready') {
    await abandonLaunch(run, lease, ready, contract);
    return 'not-started';
  }
  const turn = await run.ports.ledger.turn(lease.turnId!);
  if (turn === undefined) {
    await abandonLaunch(
      run,
      lease,
      { kind: 'infrastructure', detail: 'the record of the turn is lost' },
      contract,
    );
    return 'not-started';
  }
  const launch = await sendLaunch(run, lease, turn);
  if (launch === undefined) return 'started';
  if (launch.kind === 'refused') {
    tell(run, 'launch-refused', lease, { problem: launch.problem });
    await abandonLaunch(
      run,
      lease,
      { kind: 'infrastructure', detail: `the launch was refused: ${launch.problem}` },
      contract,
    );
    return 'not-started';
  }
  tell(run, 'launched', lease, { arn: launch.arn });
  if (lease.launchArn !== launch.arn) await carryOut(run, lease, recordLaunch(lease.turnId!, launch.arn));
  return 'started';
}

type Readiness = 'ready' | 'later' | LaunchTrouble;

/** The last look before the launch, and the in-progress write where one is owed. */
async function prepareIssue(run: BoardInvocation, lease: Lease, contract: Contract): Promise<Readiness> {
  const owed =
    contract.inProgress !== undefined &&
    lease.writtenState === undefined &&
    !lease.capStates?.every((key) => key === contract.inProgress?.key);
  if (owed) {
    const move = await writeInProgress(run, lease, contract);
    if (move.kind === 'moved') return readinessOf(run, move.stands, contract);
    if (move.kind === 'superseded') return { kind: 'unwanted', reason: 'moved-by-person' };
    if (move.kind === 'rejected')
      return {
        kind: 'rejected',
        detail: `the move to "${contract.inProgress!.name}" was rejected: ${move.problem}`,
      };
    return 'later';
  }
  return readinessOf(run, await readIssue(run, lease, contract), contract);
}

function readinessOf(run: BoardInvocation, reading: Reading, contract: Contract): Readiness {
  if (reading.kind === 'unknown') return 'later';
  if (reading.kind === 'gone') return { kind: 'unwanted', reason: 'gone' };
  return isWanted(run, reading.issue, contract) ? 'ready' : { kind: 'unwanted', reason: 'not-active' };
}

/** Moves a started issue to in progress: only from the state that its turn started from. */
export function writeInProgress(run: BoardInvocation, lease: Lease, contract: Contract) {
  return moveIssue(run, lease, {
    to: contract.inProgress!.name,
    contract,
    allowed: (issue) => isWanted(run, issue, contract) && mayReplace(issue, lease),
  });
}

async function sendLaunch(run: BoardInvocation, lease: Lease, turn: TurnRecord): Promise<Launch | undefined> {
  const { runner, seal } = run.ports;
  try {
    return await runner.launch({
      turnId: turn.turnId,
      board: turn.board,
      issueId: lease.issueId,
      attempt: turn.attempt,
      capStates: turn.capStates,
      ticket: seal.ticket(turn.turnId),
      task: turn.workflow.agent.task,
    });
  } catch (error) {
    tell(run, 'refused', lease, {
      reason: 'launch-unknown',
      problem: error instanceof Error ? error.message : 'unknown',
    });
    return undefined;
  }
}

function isWanted(run: BoardInvocation, issue: Issue, contract: Contract): boolean {
  return unwantedBecause(issue, contract, run.board.workflow) === undefined && issue.trusted === true;
}

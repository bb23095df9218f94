import { changeBreakers } from '../core/breaker.ts';
import type { Contract } from '../core/contract.ts';
import type { StateName } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { LeaseWrite, LedgerUpdate } from '../core/lease-write.ts';
import { foldSettlement } from '../core/ledger-fold.ts';
import { wipBranchName } from '../core/names.ts';
import type { PullRequest } from '../core/pull-request.ts';
import { mayTellLater, type SettlementRecord } from '../core/settle.ts';
import { describeTurn } from '../core/status-comment.ts';
import type { Verdict } from '../core/verdict.ts';
import { carryOut, type WriteOutcome } from './carry-out.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import { putStatusComment } from './write-back.ts';

export interface Ending {
  readonly lease: Lease;
  readonly verdict: Verdict;
  readonly state: StateName | undefined;
  readonly pullRequest?: PullRequest | undefined;
  readonly contract: Contract | undefined;
  /** The write that leaves the lease idle, given what the history leaves on it. */
  readonly release: (ledger: LedgerUpdate) => LeaseWrite;
}

/** What is left to do once a settlement is committed. */
export type Follow = Pick<Ending, 'lease' | 'contract' | 'release'>;

/**
 * Ends a turn that had begun: its history put once, then its pace and its alarm, then the status comment, which may have to
 * wait, then the lease released with what that history leaves. The history is the commit: whoever finds it there goes on
 * from *it* and decides nothing anew, so that the effects happen once and the comment never tells another story. Pace and
 * alarm are lost with whoever dies right after the commit.
 */
export async function commitSettlement(run: BoardInvocation, ending: Ending): Promise<WriteOutcome> {
  const { ledger } = run.ports;
  const proposed = await makeRecord(run, ending);
  const put = await ledger.putHistory(proposed).catch(() => 'unknown' as const);
  if (put === 'done') {
    await updateBreakers(run, proposed, ending.verdict);
    tellAlarm(run, ending);
  }
  const record = put === 'done' ? proposed : await findSettlement(run, ending.lease);
  return record === undefined ? 'unknown' : finishSettlement(run, record, ending);
}

/** What was committed about the turn on the lease; undefined when nothing was. Throws when that cannot be known. */
export async function findSettlement(
  { ports }: BoardInvocation,
  { board, issueId, turnId, attempt }: Lease,
): Promise<SettlementRecord | undefined> {
  return ports.ledger.historyOf(board, issueId, turnId!, attempt);
}

/** Everything of a settlement that follows its commit. Whoever comes after a crash does it again, to the same end. */
export async function finishSettlement(
  run: BoardInvocation,
  record: SettlementRecord,
  { lease, contract, release }: Follow,
): Promise<WriteOutcome> {
  if (contract !== undefined && !isSilent(record)) {
    const put = await putStatusComment(run, lease, contract, describeTurn(record, lease, run.board.workflow));
    if (put === 'later' && mayTellLater(lease, run.ports.clock.now())) return 'unknown';
  }
  const outcome = await carryOut(run, lease, release(foldSettlement(lease, record)));
  if (outcome === 'done') tellEnding(run, lease, record);
  return outcome;
}

/**
 * Ends a turn that never began. Here the lease is released first: until that write closes the gate the task may still
 * pass it, and a history that had been put before would stand for a turn that goes on. A crash in between leaves such a
 * turn, of which nothing can be told, out of the history.
 */
export async function commitUnbegun(run: BoardInvocation, ending: Ending): Promise<WriteOutcome> {
  const { lease, verdict } = ending;
  const record = await makeRecord(run, ending);
  const outcome = await carryOut(run, lease, ending.release(foldSettlement(lease, record)));
  if (outcome !== 'done') return outcome;
  tellEnding(run, lease, record);
  tellAlarm(run, ending);
  await run.ports.ledger.putHistory(record);
  await updateBreakers(run, record, verdict);
  if (record.parked !== undefined && ending.contract !== undefined) {
    await putStatusComment(run, lease, ending.contract, describeTurn(record, lease, run.board.workflow));
  }
  return outcome;
}

/** Who moved the card knows why its turn ended; a comment would only be noise. */
function isSilent({ failureClass }: SettlementRecord): boolean {
  return failureClass === 'cancelled';
}

async function makeRecord(
  run: BoardInvocation,
  { lease, verdict, state, pullRequest, release }: Ending,
): Promise<SettlementRecord> {
  const turn = await run.ports.ledger.turn(lease.turnId!).catch(() => undefined);
  return {
    board: lease.board,
    issueId: lease.issueId,
    key: lease.key,
    turnId: lease.turnId!,
    attempt: lease.attempt,
    outcome: verdict.outcome,
    failureClass: verdict.failureClass,
    reason: verdict.reason,
    nextAt: verdict.nextAt,
    parked: verdict.parked,
    state,
    policyHash: turn?.workflow.policyHash,
    transitions: [...lease.transitions, ...lastTransitions(release)],
    result: lease.result ?? lease.evidence?.result,
    pullRequest,
    arn: lease.liveArn ?? lease.launchArn,
    startedAt: lease.startedAt,
    endedAt: lease.endedAt ?? run.ports.clock.now(),
  };
}

/** The release itself belongs to the history, which is written before it. */
function lastTransitions(release: Ending['release']): SettlementRecord['transitions'] {
  return (release({ set: {}, remove: [] }).change.append.transitions ??
    []) as SettlementRecord['transitions'];
}

/** Breakers slow launches down and decide nothing else: losing a race for the board's item loses only their pace. */
async function updateBreakers(
  run: BoardInvocation,
  record: SettlementRecord,
  verdict: Pick<Verdict, 'breaker'>,
): Promise<void> {
  const { ledger, clock } = run.ports;
  const board = await ledger.board(record.board);
  const change = changeBreakers(board, record, verdict, run.board.workflow.agent.kind, clock.now());
  if (change === undefined) return;
  await ledger.changeBoard(record.board, change);
  if (verdict.breaker !== undefined)
    tell(run, 'alarm', record, { reason: 'breaker-open', class: record.failureClass });
}

function tellEnding(run: BoardInvocation, lease: Lease, record: SettlementRecord): void {
  tell(run, 'settled', lease, {
    reason: record.reason,
    outcome: record.outcome,
    class: record.failureClass,
    state: record.state,
    usd: record.result?.usage?.usd,
    tokens: record.result?.usage?.tokens,
    kept: nameKept(record),
    pullRequest: record.pullRequest?.kind === 'open' ? record.pullRequest.url : undefined,
  });
  if (record.nextAt !== undefined)
    tell(run, 'retry-scheduled', lease, { until: record.nextAt, class: record.failureClass });
  if (record.parked !== undefined) tell(run, 'parked', lease, { reason: record.parked.reason });
  if (record.outcome === 'released') tell(run, 'released', lease, { reason: record.reason });
}

function tellAlarm(run: BoardInvocation, { lease, verdict }: Ending): void {
  if (verdict.alarm) tell(run, 'alarm', lease, { reason: verdict.failureClass });
}

/** Where commits are that did not reach the issue's branch. */
function nameKept({ issueId, result }: SettlementRecord): 'wip' | 'beside-wip' | 'bundle' | undefined {
  const branch = result?.git?.wipBranch;
  if (branch !== undefined) return branch === wipBranchName(issueId) ? 'wip' : 'beside-wip';
  return result?.git?.bundle === undefined ? undefined : 'bundle';
}

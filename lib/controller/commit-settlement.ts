import { changeBreakers } from '../core/breaker.ts';
import type { Contract } from '../core/contract.ts';
import type { StateName } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { LeaseWrite, LedgerUpdate } from '../core/lease-write.ts';
import { foldSettlement } from '../core/ledger-fold.ts';
import type { SettlementRecord } from '../core/settle.ts';
import { describeTurn } from '../core/status-comment.ts';
import type { Verdict } from '../core/verdict.ts';
import { carryOut, type WriteOutcome } from './carry-out.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import { putStatusComment } from './write-back.ts';

export interface Ending {
  readonly lease: Lease;
  readonly verdict: Verdict;
  readonly state: StateName | undefined;
  readonly silent: boolean;
  readonly contract: Contract | undefined;
  /** The write that leaves the lease idle, given what the history leaves on it. */
  readonly release: (ledger: LedgerUpdate) => LeaseWrite;
}

/**
 * Ends a turn: the status comment, then its history put once, then the lease released with what that history leaves.
 * The history is the commit: whoever finds it there folds *it* and decides nothing anew, so the effects happen once.
 */
export async function commitSettlement(run: BoardInvocation, ending: Ending): Promise<WriteOutcome> {
  const { lease, verdict, contract } = ending;
  const { ledger } = run.ports;
  const proposed = await makeRecord(run, ending);
  if (!ending.silent && contract !== undefined) {
    await putStatusComment(run, lease, contract, describeTurn(proposed, lease, run.board.workflow));
  }
  const put = await ledger.putHistory(proposed).catch(() => 'unknown' as const);
  const record =
    put === 'done'
      ? proposed
      : await ledger.historyOf(lease.board, lease.issueId, proposed.turnId, proposed.attempt);
  if (record === undefined) return 'unknown';
  await updateBreakers(run, record, verdict);
  const outcome = await carryOut(run, lease, ending.release(foldSettlement(lease, record)));
  if (outcome === 'done') tellEnding(run, lease, record, verdict);
  return outcome;
}

async function makeRecord(
  run: BoardInvocation,
  { lease, verdict, state, release }: Ending,
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
  verdict: Verdict,
): Promise<void> {
  const { ledger, clock } = run.ports;
  const board = await ledger.board(record.board);
  const change = changeBreakers(board, record, verdict, run.board.workflow.agent.kind, clock.now());
  if (change === undefined) return;
  await ledger.changeBoard(record.board, change);
  if (verdict.breaker !== undefined)
    tell(run, 'alarm', record, { reason: 'breaker-open', class: record.failureClass });
}

function tellEnding(run: BoardInvocation, lease: Lease, record: SettlementRecord, verdict: Verdict): void {
  tell(run, 'settled', lease, {
    reason: record.reason,
    outcome: record.outcome,
    class: record.failureClass,
    state: record.state,
  });
  if (record.nextAt !== undefined)
    tell(run, 'retry-scheduled', lease, { until: record.nextAt, class: record.failureClass });
  if (record.parked !== undefined) tell(run, 'parked', lease, { reason: record.parked.reason });
  if (record.outcome === 'released') tell(run, 'released', lease, { reason: record.reason });
  if (verdict.alarm) tell(run, 'alarm', lease, { reason: record.failureClass });
}

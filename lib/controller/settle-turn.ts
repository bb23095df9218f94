import type { Contract } from '../core/contract.ts';
import { type StateName, stateKey } from '../core/issue.ts';
import type { Evidence, Lease } from '../core/lease.ts';
import { note } from '../core/note-writes.ts';
import {
  mayReplace,
  type Settlement,
  type SettlementRecord,
  settleStopped,
  settleTurn,
} from '../core/settle.ts';
import { end, join, recordEvidence, settle, stopped } from '../core/turn-writes.ts';
import type { Verdict } from '../core/verdict.ts';
import { carryOut } from './carry-out.ts';
import { commitSettlement, findSettlement, finishSettlement } from './commit-settlement.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import { putPullRequest } from './put-pull-request.ts';
import { moveIssue, readIssue } from './write-back.ts';

/** A person may move the card while a decision about it is carried out; then it is decided anew, this often at most. */
const maxDecisions = 3;

/** What became of an ended turn: `left` means that a later tick goes on with it. */
export type Settled = 'settled' | 'left';

/**
 * Settles a turn whose container is proven stopped. The same function serves the event and the tick; whichever comes
 * first, the effects happen once. The issue is read anew before anything is decided or written.
 */
export async function settleEnded(
  run: BoardInvocation,
  lease: Lease,
  evidence: Evidence | undefined,
  contract: Contract | undefined,
  /** What a tick found wrong with the issue for too long to wait any more. */
  unreadable?: string | undefined,
): Promise<Settled> {
  const ending = await takeEnding(run, lease, evidence);
  if (ending === undefined || contract === undefined) return 'left';
  const committed = await findSettlement(run, ending);
  if (committed !== undefined) return goOnFrom(run, ending, committed, contract);
  for (let decision = 0; decision < maxDecisions; decision += 1) {
    const reading = await readIssue(run, ending, contract);
    const now = run.ports.clock.now();
    const settlement = settleTurn(reading, ending, run.board.workflow, contract, now, unreadable);
    const step = await carryOutSettlement(run, ending, settlement, contract);
    if (step !== 'decide-again') return step;
  }
  return 'left';
}

/** A former invocation committed the settlement and died: what it decided is carried through, and nothing else. */
async function goOnFrom(
  run: BoardInvocation,
  lease: Lease,
  record: SettlementRecord,
  contract: Contract,
): Promise<Settled> {
  const outcome = await finishSettlement(run, record, {
    lease,
    contract,
    release: (ledger) =>
      settle(lease.turnId!, run.id, run.ports.clock.now(), run.actor, record.reason, ledger),
  });
  return outcome === 'done' ? 'settled' : 'left';
}

/** Moves the lease to *ending* under this invocation, and reads it again for what the turn reported last. */
async function takeEnding(
  run: BoardInvocation,
  lease: Lease,
  evidence: Evidence | undefined,
): Promise<Lease | undefined> {
  const turnId = lease.turnId!;
  if (lease.phase === 'running') {
    if (evidence === undefined) return undefined;
    tell(run, 'stopped-seen', lease, { arn: evidence.arn, reason: evidence.cause });
    if ((await carryOut(run, lease, end(turnId, evidence, run.id, run.actor))) !== 'done') return undefined;
    tell(run, 'ended', lease, { reason: evidence.cause });
  } else if (lease.pending !== undefined || (await carryOut(run, lease, join(turnId, run.id))) !== 'done')
    return undefined;
  const stored = await run.ports.ledger.lease(run.gen, lease.board, lease.issueId);
  // Whoever was slow here may find that another one has settled the turn, and that the issue's next one is on the lease.
  if (stored?.turnId !== turnId || stored.phase !== 'ending') return undefined;
  // A move under way belongs to a decision that somebody has made. Its card may stand there already, and looks like a
  // person's doing until the move is seen through.
  return stored.pending === undefined ? stored : undefined;
}

async function carryOutSettlement(
  run: BoardInvocation,
  lease: Lease,
  settlement: Settlement,
  contract: Contract,
): Promise<Settled | 'decide-again'> {
  if (settlement.kind === 'defer') {
    if (settlement.goneSince !== undefined)
      await carryOut(run, lease, note(lease, { set: { goneSince: settlement.goneSince }, remove: [] }));
    tell(run, 'refused', lease, { reason: settlement.reason });
    return 'left';
  }
  const { handoff } = settlement;
  let { verdict, state } = settlement;
  const pullRequest = await putPullRequest(run, lease, settlement.pullRequest);
  if (pullRequest === 'wait') return 'left';
  if (handoff !== undefined && !handoff.done) {
    const move = await moveIssue(run, lease, {
      to: handoff.to,
      contract,
      allowed: (issue) => mayHandOff(issue, lease, contract),
    });
    if (move.kind === 'superseded' || move.kind === 'changed') return 'decide-again';
    if (move.kind === 'unknown' || move.kind === 'limit') return 'left';
    if (move.kind === 'rejected') verdict = parkUnwritable(verdict, move.problem, run.ports.clock.now());
    else state = handoff.to;
  }
  const outcome = await commitSettlement(run, {
    lease,
    verdict,
    state,
    pullRequest,
    contract,
    release: (ledger) =>
      settle(lease.turnId!, run.id, run.ports.clock.now(), run.actor, verdict.reason, ledger),
  });
  return outcome === 'done' ? 'settled' : 'left';
}

function mayHandOff(
  issue: Parameters<typeof mayReplace>[0] & { readonly closed: boolean },
  lease: Lease,
  contract: Contract,
): boolean {
  const terminal = contract.terminal.some(
    ({ key }) => issue.state !== undefined && key === stateKey(issue.state),
  );
  return !issue.closed && !terminal && mayReplace(issue, lease);
}

/** A hand-off that the tracker refuses must not be tried for ever: a person has to mend the board or the token. */
function parkUnwritable(verdict: Verdict, problem: string, now: number): Verdict {
  const detail = `the hand-off could not be written: ${problem}`;
  return {
    ...verdict,
    outcome: 'parked',
    reason: detail,
    parked: {
      reason: 'policy',
      since: now,
      detail,
      toResume: 'mend the board, then move the card out and back to an active state',
    },
    alarm: true,
  };
}

/** Releases a turn that was told to stop and is proven stopped; late success changes nothing. */
export async function settleAfterStop(
  run: BoardInvocation,
  lease: Lease,
  evidence: Evidence,
  contract: Contract | undefined,
): Promise<Settled> {
  tell(run, 'stopped-seen', lease, { arn: evidence.arn, reason: evidence.cause });
  if (lease.pending !== undefined) {
    await carryOut(run, lease, recordEvidence(lease.turnId!, evidence));
    return 'left';
  }
  const ended: Lease = { ...lease, evidence, endedAt: evidence.at };
  const verdict = settleStopped(ended, run.board.workflow, run.ports.clock.now());
  const state = await stateNow(run, lease, contract);
  const outcome = await commitSettlement(run, {
    lease: ended,
    verdict,
    state,
    contract,
    release: (ledger) => stopped(lease.turnId!, evidence, run.id, run.actor, ledger),
  });
  return outcome === 'done' ? 'settled' : 'left';
}

async function stateNow(
  run: BoardInvocation,
  lease: Lease,
  contract: Contract | undefined,
): Promise<StateName | undefined> {
  if (contract === undefined) return undefined;
  const reading = await readIssue(run, lease, contract);
  return reading.kind === 'found' ? reading.issue.state : undefined;
}

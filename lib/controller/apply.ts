import { type Contract, contractOf } from '../core/contract.ts';
import type { Decision } from '../core/decision.ts';
import { stampPending, takeOverPending } from '../core/intent-writes.ts';
import type { Arn } from '../core/issue.ts';
import { unclaim } from '../core/launch-writes.ts';
import type { Evidence, Lease, Pending, StopReason } from '../core/lease.ts';
import { resetLedger } from '../core/ledger-fold.ts';
import { amendIdle, forget, note } from '../core/note-writes.ts';
import { stop } from '../core/turn-writes.ts';
import { abandonEndedLaunch, abandonLaunch } from './abandon-launch.ts';
import { carryOut } from './carry-out.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import { moveMerged } from './move-merged.ts';
import type { BoardObservation } from './observe.ts';
import { settleAfterStop, settleEnded } from './settle-turn.ts';
import { launchTurn, type Started, startTurn, writeInProgress } from './start-turn.ts';
import { verifyMove } from './write-back.ts';

/**
 * - `changed`: it left something that another round of the same tick should look at.
 * - `reset`: the issue's counters start anew, so that a start that was planned with that may follow.
 */
export type Applied = 'changed' | 'unchanged' | 'reset';

/** Carries out one repair of a plan. Every condition is checked again by the writes it makes. */
export async function applyRepair(
  run: BoardInvocation,
  seen: BoardObservation,
  decision: Decision,
): Promise<Applied> {
  const contract = seen.observation.contract.contract;
  if (decision.orphan !== undefined) {
    await run.ports.runner.stop(decision.orphan.arn);
    return 'unchanged';
  }
  const lease = seen.observation.leases.get(decision.issueId);
  if (decision.reason === 'merged') {
    if (contract !== undefined) await moveMerged(run, decision.issue!, lease, contract);
    return 'unchanged';
  }
  if (lease === undefined) return 'unchanged';
  if (decision.note !== undefined) await carryOut(run, lease, note(lease, decision.note));
  switch (decision.action) {
    case 'finish-write':
      return finishWrite(run, lease, contract);
    case 'repeat':
      if (contract !== undefined) await launchTurn(run, lease, contract);
      return 'unchanged';
    case 'stop':
      return stopTurn(run, lease, decision);
    case 'settle':
      return toApplied(
        await settleEnded(run, lease, evidenceOf(run, seen, lease), contract, decision.unreadable),
      );
    case 'release':
      return release(run, seen, lease, decision, contract);
    case 'reset':
      return reset(run, lease, decision);
    case 'forget':
      tell(run, 'forgotten', lease, { reason: decision.reason });
      await carryOut(run, lease, forget(lease));
      return 'unchanged';
    default:
      return 'unchanged';
  }
}

/** Starts one issue, from the item as it is now where this tick has just reset it. */
export async function applyStart(
  run: BoardInvocation,
  seen: BoardObservation,
  decision: Decision,
  wasReset: boolean,
): Promise<Started> {
  const { contract } = seen.observation;
  if (!contract.valid || decision.issue === undefined) return 'not-started';
  const lease = wasReset
    ? await run.ports.ledger.lease(run.gen, run.board.id, decision.issueId)
    : seen.observation.leases.get(decision.issueId);
  return startTurn(run, decision.issue, lease, contract.contract);
}

async function finishWrite(
  run: BoardInvocation,
  lease: Lease,
  contract: Contract | undefined,
): Promise<Applied> {
  if (contract === undefined) return 'unchanged';
  if (lease.pending === undefined) {
    await writeInProgress(run, lease, contract);
    return 'unchanged';
  }
  if (lease.pending.seenAt === undefined) {
    await carryOut(run, lease, stampPending(lease.pending, run.ports.clock.now()));
    return 'unchanged';
  }
  const by = run.ports.ids.random();
  if ((await carryOut(run, lease, takeOverPending(lease.pending, by))) !== 'done') return 'unchanged';
  const { turnId, to, from } = lease.pending;
  const mine: Pending = { turnId, to, from, by };
  const stands = await verifyMove(run, lease, mine, contract, 'unknown');
  return stands === undefined ? 'unchanged' : 'changed';
}

/** Asks for the stop in every tick until it is seen: the call itself is no evidence. */
async function stopTurn(run: BoardInvocation, lease: Lease, decision: Decision): Promise<Applied> {
  if (lease.phase === 'running') {
    const asked = await carryOut(
      run,
      lease,
      stop(lease.turnId!, run.ports.clock.now(), decision.reason as StopReason, decision.detail),
    );
    if (asked !== 'done') return 'unchanged';
    tell(run, 'stop-asked', lease, { reason: decision.reason });
  }
  if (lease.liveArn !== undefined) await run.ports.runner.stop(lease.liveArn);
  return 'unchanged';
}

async function release(
  run: BoardInvocation,
  seen: BoardObservation,
  lease: Lease,
  decision: Decision,
  contract: Contract | undefined,
): Promise<Applied> {
  if (lease.phase === 'claimed') {
    const outcome = await carryOut(
      run,
      lease,
      unclaim(lease.turnId!, run.ports.clock.now(), decision.reason),
    );
    if (outcome === 'done') tell(run, 'released', lease, { reason: decision.reason });
    return outcome === 'done' ? 'changed' : 'unchanged';
  }
  const evidence = evidenceOf(run, seen, lease);
  if (lease.phase === 'launching') {
    if (decision.reason === 'ended' && evidence !== undefined)
      return toApplied(await abandonEndedLaunch(run, lease, evidence, contract));
    const trouble =
      decision.reason === 'deadline'
        ? ({ kind: 'infrastructure', detail: decision.detail } as const)
        : ({ kind: 'unwanted', reason: decision.reason } as const);
    return toApplied(await abandonLaunch(run, lease, trouble, contract));
  }
  return evidence === undefined
    ? 'unchanged'
    : toApplied(await settleAfterStop(run, lease, evidence, contract));
}

async function reset(run: BoardInvocation, lease: Lease, decision: Decision): Promise<Applied> {
  tell(run, 'reset', lease, { reason: decision.reason, state: decision.issue?.state });
  const outcome = await carryOut(run, lease, amendIdle(lease, 'reset', resetLedger(decision.issue?.state)));
  return outcome === 'done' ? 'reset' : 'unchanged';
}

/** What is known of the container's end: recorded before, seen now, or concluded from a long absence. */
function evidenceOf(run: BoardInvocation, seen: BoardObservation, lease: Lease): Evidence | undefined {
  if (lease.evidence !== undefined) return lease.evidence;
  const arn = lease.liveArn ?? lease.launchArn;
  const { tasks } = seen.observation;
  if (arn === undefined || tasks === 'unknown') return undefined;
  const task = tasks.get(arn);
  if (task?.kind === 'stopped') return task.evidence;
  return task?.kind === 'missing' ? goneEvidence(arn, run.ports.clock.now()) : undefined;
}

function goneEvidence(arn: Arn, at: number): Evidence {
  return {
    arn,
    at,
    exitCode: undefined,
    signal: undefined,
    cause: 'gone',
    detail: 'the runner no longer knows it',
  };
}

function toApplied(settled: 'settled' | 'left'): Applied {
  return settled === 'settled' ? 'changed' : 'unchanged';
}

/** The contract to settle by outside a tick: the last one that held. */
export function lastGoodContract(record: BoardObservation['record']): Contract | undefined {
  return record?.contract && contractOf(record.contract);
}

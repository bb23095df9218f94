import type { Contract } from '../core/contract.ts';
import type { Instant } from '../core/issue.ts';
import { giveUpLaunch } from '../core/launch-writes.ts';
import type { Evidence, Lease } from '../core/lease.ts';
import { settleStopped } from '../core/settle.ts';
import { judgeRejected, judgeUnbegun, type Verdict } from '../core/verdict.ts';
import { unwantedBecause } from '../core/wanted.ts';
import { commitUnbegun } from './commit-settlement.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import type { Settled } from './settle-turn.ts';
import { readIssue } from './write-back.ts';

/** Why a launch is given up: the board no longer wants it, or the platform did not carry it out. */
export type LaunchTrouble =
  | { readonly kind: 'unwanted'; readonly reason: string }
  /** The tracker refuses what this one issue needs; others must not wait for it. */
  | { readonly kind: 'rejected'; readonly detail: string }
  /** With the evidence where a task had been started and has ended. */
  | { readonly kind: 'infrastructure'; readonly detail: string; readonly evidence?: Evidence };

/**
 * Ends a launch that nobody passed the gate of. It uses up no try; trouble of the platform slows the next launches down.
 * Whatever the launch still started meets a closed gate and is asked to stop.
 */
export async function abandonLaunch(
  run: BoardInvocation,
  lease: Lease,
  trouble: LaunchTrouble,
  contract: Contract | undefined,
): Promise<Settled> {
  const now = run.ports.clock.now();
  const reason = trouble.kind === 'unwanted' ? trouble.reason : trouble.detail;
  const verdict = judgeTrouble(run, lease, trouble, now);
  const outcome = await commitUnbegun(run, {
    lease: { ...lease, endedAt: now },
    verdict,
    state: undefined,
    contract,
    release: (ledger) => giveUpLaunch(lease.turnId!, run.id, now, run.actor, reason, ledger),
  });
  if (outcome !== 'done') return 'left';
  tell(run, 'released', lease, { reason });
  if (lease.launchArn !== undefined) await run.ports.runner.stop(lease.launchArn).catch(() => undefined);
  return 'settled';
}

function judgeTrouble(run: BoardInvocation, lease: Lease, trouble: LaunchTrouble, now: Instant): Verdict {
  const { workflow } = run.board;
  switch (trouble.kind) {
    case 'unwanted':
      return { ...settleStopped(lease, workflow, now), reason: trouble.reason };
    case 'rejected':
      return judgeRejected(trouble.detail, lease, workflow, now);
    case 'infrastructure':
      return judgeUnbegun(trouble.detail, trouble.evidence);
  }
}

/**
 * Ends a launch whose task ended before it began the turn. The gate turns away who is not wanted any more, so the board is
 * asked first: a card that was moved meanwhile says nothing about the platform.
 */
export async function abandonEndedLaunch(
  run: BoardInvocation,
  lease: Lease,
  evidence: Evidence,
  contract: Contract | undefined,
): Promise<Settled> {
  const why = contract && (await findUnwanted(run, lease, contract));
  const trouble: LaunchTrouble =
    why === undefined
      ? {
          kind: 'infrastructure',
          detail: `the task ended before it began the turn: ${evidence.detail}`,
          evidence,
        }
      : { kind: 'unwanted', reason: why };
  return abandonLaunch(run, { ...lease, launchArn: undefined }, trouble, contract);
}

/** Why the board does not want the turn, as far as that can be read now. */
async function findUnwanted(
  run: BoardInvocation,
  lease: Lease,
  contract: Contract,
): Promise<string | undefined> {
  const reading = await readIssue(run, lease, contract);
  if (reading.kind === 'found') return unwantedBecause(reading.issue, contract, run.board.workflow);
  return reading.kind === 'gone' ? 'gone' : undefined;
}

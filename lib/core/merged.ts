import type { Decision } from './decision.ts';
import { type Instant, stateKey } from './issue.ts';
import type { Lease } from './lease.ts';
import type { Observation } from './observation.ts';
import { missingLabels } from './wanted.ts';
import type { Workflow } from './workflow.ts';

/**
 * Issues whose work was merged: an observed fact, which moves a card that waits for a person and no other. It says nothing of
 * what came after it: a turn that began later handed over something else, if only a question, and a card that a person took
 * back out of the merged state is meant to wait. Where boards share a repository, only issues of this one are moved.
 */
export function decideMerged(
  { contract: live, merged, leases, timing }: Observation,
  workflow: Pick<Workflow, 'tracker'>,
  now: Instant,
): readonly Decision[] {
  if (!live.valid || live.contract.merged === undefined) return [];
  const { name, key } = live.contract.merged;
  return merged
    .filter(({ issue, at }) => {
      const lease = leases.get(issue.id);
      // The lease may have been forgotten, and with it that the issue was finished and a person took it back.
      if (lease === undefined)
        return at + timing.forgetAfterMs > now && missingLabels(issue, workflow).length === 0;
      return isFree(lease) && lastBegun(lease) < at + toldMs && !isSeenIn(lease, key);
    })
    .map(({ issue }) => ({
      issueId: issue.id,
      key: issue.key,
      action: 'finish-write',
      reason: 'merged',
      detail: `its pull request was merged; its card moves to "${name}"`,
      issue,
    }));
}

/** Code hosts tell times in whole seconds. */
const toldMs = 1_000;

function isFree({ phase, pending }: Lease): boolean {
  return phase === 'idle' && pending === undefined;
}

/** When the latest turn began, as far as there was one. */
function lastBegun({ startedAt, claimedAt }: Lease): Instant {
  return startedAt ?? claimedAt ?? 0;
}

function isSeenIn({ seenState }: Lease, state: string): boolean {
  return seenState !== undefined && stateKey(seenState) === state;
}

/** A page of issues and of branches each. */
const perLook = 100;

/** Where more wait than one look shows, it is made in every second tick, every third and so on: no tick costs more for long. */
export function isMergeLookDue(waiting: number, epoch: number): boolean {
  return waiting > 0 && epoch % Math.ceil(waiting / perLook) === 0;
}

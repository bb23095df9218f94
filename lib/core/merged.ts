import type { Decision } from './decision.ts';
import type { Observation } from './observation.ts';

/** Issues whose work was merged: an observed fact, which moves a card that waits for a person and no other. */
export function decideMerged({ contract: live, merged, leases }: Observation): readonly Decision[] {
  if (!live.valid || live.contract.merged === undefined) return [];
  const { name } = live.contract.merged;
  return merged
    .filter(({ id }) => {
      const lease = leases.get(id);
      return lease === undefined || (lease.phase === 'idle' && lease.pending === undefined);
    })
    .map((issue) => ({
      issueId: issue.id,
      key: issue.key,
      action: 'finish-write',
      reason: 'merged',
      detail: `its pull request was merged; its card moves to "${name}"`,
      issue,
    }));
}

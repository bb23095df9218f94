import type { Contract } from '../core/contract.ts';
import { isMergeLookDue } from '../core/merged.ts';
import { branchName } from '../core/names.ts';
import type { Observation } from '../core/observation.ts';
import type { Board, Ports } from './ports.ts';

/**
 * The issues that wait in the hand-off state though all of their branch was merged. Looked for only where the workflow names
 * a merged state; what cannot be told now moves nothing, is told with its reason, and the next tick looks again.
 */
export async function readMerged(
  { pullRequests }: Ports,
  { tracker, workflow, repository }: Board,
  { handoff, merged }: Pick<Contract, 'handoff' | 'merged'>,
  listing: Observation['listing'],
  epoch: number,
): Promise<Pick<Observation, 'merged' | 'mergesUnread'>> {
  if (handoff === undefined || merged === undefined) return { merged: [] };
  if (listing.kind === 'incomplete' || !isMergeLookDue(listing.inHandoff, epoch)) return { merged: [] };
  try {
    const listed = await tracker.list([handoff.name]);
    const issues = listed.issues.filter(({ closed }) => !closed);
    const branches = issues.map(({ id }) => branchName(id));
    const merges = await pullRequests.merged(repository, workflow.base, branches);
    return {
      merged: issues.flatMap((issue) => {
        const at = merges.get(branchName(issue.id));
        return at === undefined ? [] : [{ issue, at }];
      }),
    };
  } catch (error) {
    return { merged: [], mergesUnread: error instanceof Error ? error.message : 'unknown' };
  }
}

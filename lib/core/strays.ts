import type { Decision } from './decision.ts';
import { type StateName, stateKey } from './issue.ts';
import { nearestName } from './nearest-name.ts';
import type { Observation, StrayIssue } from './observation.ts';

/**
 * Issues in a state that the board does not have: in no column, so that nobody would look for them. Said only while the
 * contract holds, since a state that was just renamed leaves all of its issues behind; and not of one that a turn holds,
 * or that is parked, of which there is more to say.
 */
export function decideStrays({ listing, contract, leases }: Observation): readonly Decision[] {
  if (listing.kind === 'incomplete' || !contract.valid) return [];
  const names = contract.record.states.map(({ name }) => name);
  return (listing.strays ?? [])
    .filter(({ id }) => {
      const lease = leases.get(id);
      return (
        (lease?.phase ?? 'idle') === 'idle' && lease?.pending === undefined && lease?.parked === undefined
      );
    })
    .map(({ id, key, state }) => ({
      issueId: id,
      key,
      action: 'wait',
      reason: 'not-active',
      detail: describeStray(state, names),
      toResume: `correct its state "${state}"${hint(state, names)}, or give the board such a state`,
    }));
}

/** What is wrong with a state that the board does not have, and what was probably meant. */
export function describeStray(state: StrayIssue['state'], names: readonly StateName[]): string {
  return `it is in "${state}", which is none of the board's states${hint(state, names)}`;
}

function hint(state: StateName, names: readonly StateName[]): string {
  const nearest = nearestName(
    state,
    names.filter((name) => stateKey(name) !== stateKey(state)),
  );
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

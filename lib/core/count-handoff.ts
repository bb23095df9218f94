import { stateKey } from './issue.ts';
import type { Observation } from './observation.ts';

export interface HandoffCount {
  /** Issues in the hand-off state. */
  readonly inHandoff: number;
  /** How many of them are parked. */
  readonly parkedInHandoff: number;
}

/** What waits for a person in the hand-off state; of boards that could not be read, what was last seen there. */
export function countHandoff(boards: readonly Observation[]): HandoffCount {
  const counts = boards.map(countOf);
  return {
    inHandoff: counts.reduce((sum, { inHandoff }) => sum + inHandoff, 0),
    parkedInHandoff: counts.reduce((sum, { parkedInHandoff }) => sum + parkedInHandoff, 0),
  };
}

function countOf({ contract, leases, listing, readings }: Observation): HandoffCount {
  const handoff = contract.contract?.handoff?.key;
  const standing = [...leases.values()].filter(({ issueId, phase, seenState }) => {
    const reading = readings.get(issueId);
    const state =
      reading?.kind === 'found' ? reading.issue.state : reading?.kind === 'gone' ? undefined : seenState;
    return phase === 'idle' && handoff !== undefined && state !== undefined && stateKey(state) === handoff;
  });
  return {
    inHandoff: listing.kind === 'complete' ? listing.inHandoff : standing.length,
    parkedInHandoff: standing.filter(({ parked }) => parked !== undefined).length,
  };
}

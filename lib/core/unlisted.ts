import type { Contract } from './contract.ts';
import type { Decision } from './decision.ts';
import { type Issue, type IssueId, type Reading, stateKey } from './issue.ts';
import type { Lease } from './lease.ts';
import type { IncompleteListing, Observation } from './observation.ts';
import { describeUnwanted, unwantedBecause } from './wanted.ts';
import type { Workflow } from './workflow.ts';

/** Issues the ledger remembers that the listing does not show: what is known of them, so that `explain` can say it. */
export function decideUnlisted(
  observation: Observation,
  idle: readonly Lease[],
  readings: ReadonlyMap<IssueId, Reading>,
  workflow: Workflow,
): readonly Decision[] {
  const listed = new Set(
    observation.listing.kind === 'complete' ? observation.listing.issues.map((issue) => issue.id) : [],
  );
  const broken = new Set(
    observation.listing.kind === 'complete' ? observation.listing.broken.map((issue) => issue.id) : [],
  );
  return idle
    .filter((lease) => !listed.has(lease.issueId) && !broken.has(lease.issueId))
    .flatMap((lease) => decideUnlistedIssue(lease, readings.get(lease.issueId), observation, workflow));
}

function decideUnlistedIssue(
  lease: Lease,
  reading: Reading | undefined,
  observation: Observation,
  workflow: Workflow,
): readonly Decision[] {
  const named = { issueId: lease.issueId, key: lease.key };
  const { listing } = observation;
  const isLimited = listing.kind === 'incomplete' && listing.limitedUntil !== undefined;
  if (reading === undefined || (isLimited && reading.kind === 'unknown'))
    return listing.kind === 'complete'
      ? []
      : [{ ...named, ...decideUnread(lease, observation.contract.contract, listing) }];
  if (reading.kind === 'unknown')
    return [{ ...named, action: 'wait', reason: 'unknown', detail: reading.problem }];
  if (reading.kind === 'gone')
    return [{ ...named, action: 'ignore', reason: 'gone', detail: 'it is gone from the board' }];
  if (lease.parked !== undefined) {
    return [
      {
        ...named,
        action: 'wait',
        reason: 'parked',
        detail: lease.parked.detail,
        toResume: lease.parked.toResume,
      },
    ];
  }
  const contract = observation.contract.contract;
  const why = contract && unwantedBecause(reading.issue as Issue, contract, workflow);
  if (why !== undefined)
    return [
      { ...named, action: 'ignore', reason: why, detail: describeUnwanted(why, reading.issue, workflow) },
    ];
  return [
    {
      ...named,
      action: 'wait',
      reason: 'read-incomplete',
      detail: 'the list of active issues did not show it',
    },
  ];
}

/** What keeps an issue waiting of whose board too little could be read. */
function waitForBoard({
  problem,
  limitedUntil,
}: IncompleteListing): Pick<Decision, 'action' | 'reason' | 'detail' | 'until'> {
  return limitedUntil === undefined
    ? { action: 'wait', reason: 'read-incomplete', detail: problem }
    : { action: 'wait', reason: 'quota', detail: problem, until: limitedUntil };
}

/** While the board cannot be read, only what stood in an active state may be waiting for a turn. */
function decideUnread(
  { seenState }: Lease,
  contract: Contract | undefined,
  listing: IncompleteListing,
): Pick<Decision, 'action' | 'reason' | 'detail' | 'until'> {
  const waiting = waitForBoard(listing);
  const isWaiting =
    seenState === undefined ||
    contract === undefined ||
    contract.active.some(({ key }) => key === stateKey(seenState));
  if (isWaiting) return waiting;
  return {
    action: 'ignore',
    reason: waiting.reason,
    detail: `it was last seen in "${seenState}", which is not active; ${listing.problem}`,
  };
}

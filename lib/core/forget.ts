import type { Decision } from './decision.ts';
import type { Instant, IssueId, Reading } from './issue.ts';
import { type Lease, protocolVersion } from './lease.ts';
import type { CompleteListing, Observation } from './observation.ts';
import { describeUnwanted, unwantedBecause } from './wanted.ts';
import type { Workflow } from './workflow.ts';

/** As many as a tracker answers in one read by id. */
const perLook = 100;

/** So many leases are forgotten in one tick at most. */
const perTick = 25;

/**
 * Idle issues of which nothing is waited for, to be read by id in this tick to find out whether they are finished: no list
 * shows that. They are read seldom and in turn, since a board may have thousands of them.
 */
export function chooseDormant(
  leases: Iterable<Lease>,
  { contract, listing, epoch, timing }: Pick<Observation, 'contract' | 'listing' | 'epoch' | 'timing'>,
  now: Instant,
): readonly IssueId[] {
  if (!contract.valid || listing.kind === 'incomplete' || epoch % timing.dormantLookTicks !== 0) return [];
  const shown = shownIn(listing);
  const ids = [...leases]
    .filter((lease) => isDormant(lease) && !shown.has(lease.issueId))
    .filter((lease) => lease.finishedSince === undefined || isRipe(lease, timing, now))
    .map(({ issueId }) => issueId)
    .sort();
  const first = ids.length === 0 ? 0 : ((epoch / timing.dormantLookTicks) * perLook) % ids.length;
  return [...ids.slice(first), ...ids.slice(0, first)].slice(0, perLook);
}

/**
 * What is noted of dormant issues, and which of their leases are forgotten: those of issues that were read as finished
 * twice, with `forgetAfterMs` between the two reads; an issue that is gone is as good as finished then. The history stays.
 * What is lost are counters of a finished issue and the number of its latest attempt.
 */
export function decideForgotten(
  observation: Observation,
  leases: readonly Lease[],
  workflow: Workflow,
  now: Instant,
): readonly Decision[] {
  const { listing, dormant } = observation;
  if (dormant.size === 0 || listing.kind === 'incomplete') return [];
  const shown = shownIn(listing);
  const decisions = leases
    .filter((lease) => isDormant(lease) && !shown.has(lease.issueId))
    .flatMap((lease) => decideDormant(lease, dormant.get(lease.issueId), observation, workflow, now));
  const forgotten = decisions.filter(({ action }) => action === 'forget');
  return [...decisions.filter(({ action }) => action !== 'forget'), ...forgotten.slice(0, perTick)];
}

function decideDormant(
  lease: Lease,
  reading: Reading | undefined,
  observation: Observation,
  workflow: Workflow,
  now: Instant,
): readonly Decision[] {
  const said = judge(reading, observation, workflow);
  if (said === undefined) return [];
  const decision: Decision = { issueId: lease.issueId, key: lease.key, action: 'ignore', ...said };
  const isNoted = lease.finishedSince !== undefined;
  if (said.reason !== 'gone' && said.reason !== 'terminal')
    return isNoted ? [{ ...decision, note: { set: {}, remove: ['finishedSince'] } }] : [];
  if (!isNoted) return [{ ...decision, note: { set: { finishedSince: now }, remove: [] } }];
  if (!isRipe(lease, observation.timing, now)) return [];
  return [
    { ...decision, action: 'forget', detail: `${said.detail} and has long been; its lease is forgotten` },
  ];
}

/** What the board says of a dormant issue; undefined where it says nothing that counts. */
function judge(
  reading: Reading | undefined,
  { contract: live }: Observation,
  workflow: Workflow,
): Pick<Decision, 'reason' | 'detail'> | undefined {
  if (!live.valid || reading === undefined || reading.kind === 'unknown') return undefined;
  if (reading.kind === 'gone') return { reason: 'gone', detail: 'it is gone from the board' };
  const why = unwantedBecause(reading.issue, live.contract, workflow);
  return why === undefined
    ? { reason: 'read-incomplete', detail: 'the list of active issues did not show it' }
    : { reason: why, detail: describeUnwanted(why, reading.issue, workflow) };
}

/** Whether nothing of the lease is waited for: no turn, no move, no person and no time. */
function isDormant({ phase, pv, pending, parked, nextAt }: Lease): boolean {
  return (
    phase === 'idle' &&
    pv <= protocolVersion &&
    pending === undefined &&
    parked === undefined &&
    nextAt === undefined
  );
}

/** Whether the issue was read as finished long enough ago. */
function isRipe({ finishedSince }: Lease, { forgetAfterMs }: Observation['timing'], now: Instant): boolean {
  return finishedSince !== undefined && finishedSince + forgetAfterMs <= now;
}

function shownIn({ issues, broken, strays = [] }: CompleteListing): ReadonlySet<IssueId> {
  return new Set([...issues, ...broken, ...strays].map(({ id }) => id));
}

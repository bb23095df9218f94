import {
  type Contract,
  contractOf,
  type LiveContract,
  resolveContract,
  unreadBoard,
} from '../core/contract.ts';
import { chooseDormant } from '../core/forget.ts';
import type { Instant, IssueId, StateName } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { Observation } from '../core/observation.ts';
import { isMovedByPerson } from '../core/person-move.ts';
import { costBetween, limitAhead, sparesHints, type TrackerQuota } from '../core/tracker-quota.ts';
import { unwantedBecause } from '../core/wanted.ts';
import type { Board, BoardRecord, LiveTask, Ports } from './ports.ts';
import { readMerged } from './read-merged.ts';
import { waitForAll } from './wait-for-all.ts';

/** What one pass knows before it looks at a board. */
export interface Surroundings {
  readonly epoch: number;
  /** Every lease of the generation, read after the epoch was taken. */
  readonly leases: readonly Lease[];
  /** The runner's live tasks, listed before the leases were read; empty where they were not listed. */
  readonly liveTasks: readonly LiveTask[];
}

export interface BoardObservation {
  readonly board: Board;
  readonly record: BoardRecord | undefined;
  readonly observation: Observation;
  /** What its tracker had taken before it was looked at. */
  readonly quotaBefore: TrackerQuota | undefined;
  /** Why nobody knows how the tasks of its leases stand. */
  readonly tasksUnread?: string | undefined;
}

/** What the board as a whole showed. */
type Sight = Pick<Observation, 'contract' | 'listing' | 'merged' | 'mergesUnread'>;

/**
 * Reads one board: its contract, its active issues, what its leases say, and what the runner says of their tasks. It
 * writes nothing. What cannot be read is recorded as unknown and never taken for absent. A board whose tracker has said
 * that it is limited is asked for nothing until then.
 */
export async function observeBoard(
  ports: Ports,
  board: Board,
  around: Surroundings,
): Promise<BoardObservation> {
  const record = await ports.ledger.board(board.id);
  const leases = new Map(
    around.leases.filter((lease) => lease.board === board.id).map((lease) => [lease.issueId, lease]),
  );
  const quotaBefore = board.tracker.quota();
  const limitedUntil = limitAhead(record, ports.clock.now());
  const sight =
    limitedUntil === undefined
      ? await readBoard(ports, board, record, around.epoch)
      : leaveUnread(record, limitedUntil);
  const look = { ...sight, epoch: around.epoch, timing: ports.settings.timing };
  const dormant = isSpared(quotaBefore, board.tracker.quota())
    ? chooseDormant(leases.values(), look, ports.clock.now())
    : [];
  const [readings, { tasks, tasksUnread }] = await waitForAll([
    limitedUntil === undefined ? readById(board, leases, sight, dormant) : noReadings,
    describeTasks(ports, leases),
  ]);
  const observation: Observation = {
    board: board.id,
    epoch: around.epoch,
    ...sight,
    ...readings,
    workflowProblem: board.workflowProblem,
    leases,
    tasks,
    liveTasks: around.liveTasks.filter((task) => task.board === board.id),
    record: {
      paused: record?.paused,
      breakers: record?.breakers,
      quotaResetAt: limitedUntil ?? board.tracker.quota()?.limitedUntil,
    },
    timing: ports.settings.timing,
    lateWriteMs: board.tracker.lateWriteMs,
  };
  return { board, record, observation, quotaBefore, tasksUnread };
}

async function readBoard(
  ports: Ports,
  board: Board,
  record: BoardRecord | undefined,
  epoch: number,
): Promise<Sight> {
  const contract = await readContract(board, record, 'list');
  const listing = await readListing(board, contract);
  return {
    contract,
    listing,
    ...(contract.valid ? await readMerged(ports, board, contract.contract, listing, epoch) : { merged: [] }),
  };
}

/** Nothing is known of the board now, which stops nothing and starts nothing. */
function leaveUnread(record: BoardRecord | undefined, limitedUntil: Instant): Sight {
  return {
    contract: uncheckedContract(record, limitedUntil),
    listing: { kind: 'incomplete', problem: describeLimit(limitedUntil), limitedUntil },
    merged: [],
  };
}

/** The last contract that held, while the board is not asked whether it still does. */
export function uncheckedContract(record: BoardRecord | undefined, limitedUntil: Instant): LiveContract {
  return {
    valid: false,
    problems: [unreadBoard(describeLimit(limitedUntil))],
    contract: record?.contract && contractOf(record.contract),
  };
}

function describeLimit(until: Instant): string {
  return `the quota of its tracker is used up, and nothing is asked until ${new Date(until).toISOString()}`;
}

/** A board that does not tell its states cannot be checked: unknown is not valid. */
export async function readContract(
  { tracker, workflow }: Board,
  record: BoardRecord | undefined,
  next?: 'list',
): Promise<LiveContract> {
  try {
    return resolveContract(workflow, await tracker.states(next), record?.contract);
  } catch (error) {
    return {
      valid: false,
      problems: [unreadBoard(messageOf(error))],
      contract: record?.contract && contractOf(record.contract),
    };
  }
}

async function readListing(
  { tracker, workflow }: Board,
  live: LiveContract,
): Promise<Observation['listing']> {
  const contract = live.contract;
  const states =
    contract?.active.map(({ name }) => name) ??
    (workflow.tracker.active_states as readonly string[] as readonly StateName[]);
  try {
    const [listing, inHandoff] = await waitForAll([
      tracker.list(states),
      contract?.handoff ? tracker.count(contract.handoff.name) : 0,
    ]);
    return { kind: 'complete', ...listing, inHandoff };
  } catch (error) {
    const problem = `the active issues could not be listed: ${messageOf(error)}`;
    return { kind: 'incomplete', problem, limitedUntil: tracker.quota()?.limitedUntil };
  }
}

/** What nobody waits for is not read while little is left of the quota. */
function isSpared(before: TrackerQuota | undefined, now: TrackerQuota | undefined): boolean {
  return now === undefined || sparesHints(costBetween(before, now));
}

type Readings = Pick<Observation, 'readings' | 'dormant'>;
const noReadings: Readings = { readings: new Map(), dormant: new Map() };

/**
 * A turn is stopped, and a person's move believed, on a read by id only: a list may be stale. What is read of dormant issues
 * stands apart, since nothing else is decided by it.
 */
async function readById(
  { tracker, workflow }: Board,
  leases: ReadonlyMap<IssueId, Lease>,
  { listing, contract: { contract } }: Sight,
  dormant: readonly IssueId[],
): Promise<Readings> {
  const wanted = new Set(listedAsWanted(listing, contract, workflow));
  const moved = new Set(listedAsMoved(listing, leases));
  const ids = [...leases.values()]
    .filter((lease) => moved.has(lease.issueId) || (!wanted.has(lease.issueId) && concernsTick(lease)))
    .map((lease) => lease.issueId);
  if (ids.length + dormant.length === 0) return noReadings;
  const read = await tracker.readMany([...ids, ...dormant]);
  const apart = new Set(dormant);
  return {
    readings: new Map([...read].filter(([id]) => !apart.has(id))),
    dormant: new Map([...read].filter(([id]) => apart.has(id))),
  };
}

function listedAsWanted(
  listing: Observation['listing'],
  contract: Contract | undefined,
  workflow: Board['workflow'],
): readonly IssueId[] {
  if (listing.kind === 'incomplete') return [];
  return listing.issues
    .filter((issue) => contract === undefined || unwantedBecause(issue, contract, workflow) === undefined)
    .map((issue) => issue.id);
}

function listedAsMoved(
  listing: Observation['listing'],
  leases: ReadonlyMap<IssueId, Lease>,
): readonly IssueId[] {
  if (listing.kind === 'incomplete') return [];
  return listing.issues
    .filter((issue) => {
      const lease = leases.get(issue.id);
      return lease?.phase === 'idle' && isMovedByPerson(lease, issue);
    })
    .map((issue) => issue.id);
}

function concernsTick(lease: Lease): boolean {
  return (
    lease.phase !== 'idle' ||
    lease.pending !== undefined ||
    lease.parked !== undefined ||
    lease.nextAt !== undefined
  );
}

async function describeTasks(
  ports: Ports,
  leases: ReadonlyMap<IssueId, Lease>,
): Promise<{ readonly tasks: Observation['tasks']; readonly tasksUnread?: string }> {
  const arns = [...leases.values()]
    .filter((lease) => lease.phase !== 'idle')
    .flatMap(({ liveArn, launchArn }) => liveArn ?? launchArn ?? []);
  if (arns.length === 0) return { tasks: new Map() };
  try {
    return { tasks: await ports.runner.describe(arns) };
  } catch (error) {
    return { tasks: 'unknown', tasksUnread: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

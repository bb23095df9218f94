import type { Decision } from '../core/decision.ts';
import type { BoardId, Issue, IssueId, IssueKey, Reading } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import { noCounters } from '../core/lease.ts';
import { describeUnwanted, unwantedBecause } from '../core/wanted.ts';
import { describeTurnEnded } from './list-history.ts';
import type { ExplainedIssue, ExplainReport, HistoryEntry } from './operations.ts';
import type { PlannedBoard } from './plan-boards.ts';
import { type DryRun, planOnly } from './plan-only.ts';
import { reportDecision, toTime } from './plan-report.ts';
import type { Board, Ports } from './ports.ts';
import { waitForAll } from './wait-for-all.ts';

interface Place {
  readonly board: BoardId;
  readonly issueId: IssueId;
}

/**
 * Why an issue runs, waits, is parked or is ignored, whatever column it is in. Of an issue that neither a lease nor a
 * board knows, `board` is null. Where several boards have the key it is the one on `onBoard`, else the first.
 */
export async function explainIssue(
  ports: Ports,
  key: string,
  onBoard?: string | undefined,
): Promise<ExplainedIssue> {
  const dry = await planOnly(ports);
  const places = await findPlaces(dry, key);
  const place = onBoard === undefined ? places[0] : places.find(({ board }) => board === onBoard);
  if (place === undefined) return unknownIssue(key);
  const planned = dry.planned.find(({ seen }) => seen.board.id === place.board);
  const lease = dry.leases.find((one) => one.board === place.board && one.issueId === place.issueId);
  const reading = planned === undefined ? undefined : await readIssue(planned, place.issueId);
  const decisions = (dry.boards.find(({ board }) => board === place.board)?.decisions ?? []).filter(
    ({ issueId }) => issueId === place.issueId,
  );
  const issue = reading?.kind === 'found' ? reading.issue : undefined;
  return {
    key: issue?.key ?? lease?.key ?? key,
    board: place.board,
    title: issue?.title ?? null,
    state: issue?.state ?? null,
    decisions: (decisions.length > 0 ? decisions : decideUnplanned(planned, place, key, reading)).map(
      reportDecision,
    ),
    ...describeLedger(lease),
    lastTurn: await findLastTurn(ports, place),
    alsoOn: places.filter((one) => one !== place).map(({ board }) => board),
  };
}

/**
 * Every board's issue of this key: first those with a lease, then those that the plan names. In columns that ticks do not read, an issue is found by its id,
 * which is its key on some boards.
 */
async function findPlaces(dry: DryRun, key: string): Promise<readonly Place[]> {
  const leased = dry.leases.filter((one) => one.key === key || (one.issueId as string) === key);
  // Ticks take the boards in turn; who asks twice gets the same answer.
  const others = dry.planned
    .filter(({ seen }) => leased.every(({ board }) => board !== seen.board.id))
    .sort((a, b) => (a.seen.board.id < b.seen.board.id ? -1 : 1))
    .map((planned) => ({ planned, place: findInPlan(dry, planned, key) }));
  const inPlan = others.flatMap(({ place }) => place ?? []);
  const elsewhere = await waitForAll(
    others
      .filter(({ place }) => place === undefined)
      .map(async ({ planned }) => (await findOnBoard(planned, key)) ?? []),
  );
  return [...leased, ...inPlan, ...elsewhere.flat()];
}

function findInPlan({ boards }: DryRun, { seen }: PlannedBoard, key: string): Place | undefined {
  const { listing } = seen.observation;
  const board = seen.board.id;
  const listed = listing.kind === 'complete' ? [...listing.issues, ...listing.broken] : [];
  const decisions = boards.find((report) => report.board === board)?.decisions ?? [];
  const known = [...listed.map((one) => ({ issueId: one.id, key: one.key })), ...decisions];
  const one = known.find((candidate) => (candidate.key as string) === key);
  return one && { board, issueId: one.issueId };
}

async function findOnBoard({ seen }: PlannedBoard, key: string): Promise<Place | undefined> {
  // What cannot be looked up now is not denied: the report says which boards could not be read.
  const issueId = await seen.board.tracker.find(key).catch(() => undefined);
  return issueId && { board: seen.board.id, issueId };
}

async function readIssue({ seen }: PlannedBoard, issueId: IssueId): Promise<Reading> {
  const { listing, readings } = seen.observation;
  const listed = listing.kind === 'complete' ? listing.issues.find(({ id }) => id === issueId) : undefined;
  if (listed !== undefined) return { kind: 'found', issue: listed };
  return readings.get(issueId) ?? seen.board.tracker.read(issueId);
}

/** What there is to say of an issue about which nothing has to be decided. */
function decideUnplanned(
  planned: PlannedBoard | undefined,
  { issueId }: Place,
  key: string,
  reading: Reading | undefined,
): readonly Decision[] {
  const named = { issueId, key: key as IssueKey };
  if (planned === undefined || reading === undefined)
    return [{ ...named, action: 'ignore', reason: 'unknown', detail: 'its board is not served now' }];
  if (reading.kind === 'gone')
    return [{ ...named, action: 'ignore', reason: 'gone', detail: 'it is gone from the board' }];
  if (reading.kind === 'unknown')
    return [{ ...named, action: 'wait', reason: 'unknown', detail: reading.problem }];
  return decideFound(planned.seen.board, planned, reading.issue);
}

function decideFound(board: Board, { seen }: PlannedBoard, issue: Issue): readonly Decision[] {
  const named = { issueId: issue.id, key: issue.key, issue };
  const { contract } = seen.observation.contract;
  const why = contract && unwantedBecause(issue, contract, board.workflow);
  if (why !== undefined) {
    const isMerged = seen.observation.merged.some((one) => one.issue.id === issue.id);
    const detail = `${describeUnwanted(why, issue, board.workflow)}${isMerged ? afterMerge : ''}`;
    return [{ ...named, action: 'ignore', reason: why, detail }];
  }
  const detail = 'the list of active issues did not show it; the next tick looks again';
  return [{ ...named, action: 'wait', reason: 'read-incomplete', detail }];
}

/** Else the plan would have moved it. */
const afterMerge =
  '; its pull request was merged, but a turn began after that or a person took it back, so that a person decides what it is';

function describeLedger(
  lease: Lease | undefined,
): Pick<
  ExplainReport,
  'phase' | 'turns' | 'counters' | 'spentUsd' | 'turnsWithUnknownUsage' | 'parked' | 'nextAt'
> {
  const parked = lease?.parked;
  return {
    phase: lease?.phase ?? 'idle',
    turns: lease?.turns ?? 0,
    counters: { ...(lease?.counters ?? noCounters) },
    spentUsd: lease?.spendUsd ?? 0,
    turnsWithUnknownUsage: lease?.unknownUsageTurns ?? 0,
    parked: parked === undefined ? null : { ...parked, since: toTime(parked.since) },
    nextAt: lease?.nextAt === undefined ? null : toTime(lease.nextAt),
  };
}

async function findLastTurn({ ledger }: Ports, { board, issueId }: Place): Promise<HistoryEntry | null> {
  const last = (await ledger.history(board, issueId)).at(-1);
  return last === undefined ? null : describeTurnEnded(last);
}

function unknownIssue(key: string): ExplainedIssue {
  return {
    key,
    board: null,
    title: null,
    state: null,
    decisions: [],
    ...describeLedger(undefined),
    lastTurn: null,
    alsoOn: [],
  };
}

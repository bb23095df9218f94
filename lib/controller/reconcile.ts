import type { TickRecord, TickSummary } from '../core/board-record.ts';
import { countHandoff, type HandoffCount } from '../core/count-handoff.ts';
import type { BoardId, Instant } from '../core/issue.ts';
import { isStuck } from '../core/stuck.ts';
import { finishTick, finishTickOwing, startTick } from '../core/tick-writes.ts';
import {
  costBetween,
  sparesHints,
  sumCosts,
  type TickCost,
  type TrackerQuota,
} from '../core/tracker-quota.ts';
import { applyPlans } from './apply-plans.ts';
import { type BoardReport, reportBoard } from './board-report.ts';
import { beginInvocation, type Invocation } from './invocation.ts';
import { look } from './look.ts';
import { type PlannedBoard, planBoards } from './plan-boards.ts';
import type { Ports, Tracker } from './ports.ts';
import { recordBoards } from './record-boards.ts';

/** A tick looks at most this often before it ends; what came meanwhile gets a tick of its own. */
const maxRounds = 2;

export type TickReport =
  | {
      readonly kind: 'done';
      readonly epoch: number;
      readonly summary: TickSummary;
      readonly boards: readonly BoardReport[];
    }
  /** Nothing was due: a tick runs, every hint has been seen, or those that came wait for the schedule. */
  | { readonly kind: 'not-admitted' }
  /** The ledger is lost or new; the report says what the look found. */
  | { readonly kind: 'closed'; readonly opened: boolean; readonly detail: string };

/**
 * The tick: observe → plan → apply, for every board. What triggered it carries no meaning. It may crash, repeat and
 * overlap: ticks are numbered, a newer number disarms the claims of an older one, and everything else is conditional.
 */
export async function reconcile(ports: Ports, trigger: 'scheduled' | 'hint'): Promise<TickReport> {
  const startedAt = ports.clock.now();
  if (trigger === 'hint' && !(await mayHurry(ports))) return { kind: 'not-admitted' };
  const tick = await ports.ledger.changeTick(startTick(trigger, startedAt));
  if (tick === 'refused') return trigger === 'hint' ? { kind: 'not-admitted' } : look(ports);
  const run = beginInvocation(ports, 'tick', tick.gen, tick.epoch);
  report(run, 'tick-started', { reason: trigger });
  return runRounds(run, tick, startedAt);
}

/** A hint that has to wait stays counted, and is seen by the next tick of the schedule. */
async function mayHurry({ ledger }: Ports): Promise<boolean> {
  const last = await ledger.tick();
  return last?.epoch === undefined || sparesHints(last.summary?.cost);
}

async function runRounds(run: Invocation, tick: TickRecord, startedAt: Instant): Promise<TickReport> {
  const { ports } = run;
  const me = { gen: run.gen, epoch: run.epoch! };
  const mayLookAgain = () => ports.clock.now() - startedAt < ports.settings.timing.tickBudgetMs / 2;
  const boards: BoardReport[] = [];
  const asked: Asked = new Map([[ports.pullRequests, ports.pullRequests.quota()]]);
  let repairMs = 0;
  let took = tick.dirty ?? 0;
  for (let round = 1; ; round += 1) {
    const result = await runRound(run, tick, startedAt, asked);
    boards.push(...result.boards);
    repairMs += result.repairMs;
    const summary = summarise(result, boards, {
      startedAt,
      finishedAt: ports.clock.now(),
      rounds: round,
      cost: costOf(asked),
    });
    if (result.changed && round < maxRounds && mayLookAgain()) continue;
    const finish = {
      finishedAt: ports.clock.now(),
      cursor: (tick.cursor ?? 0) + 1,
      summary,
      ...(result.swept ? { sweptAt: startedAt } : {}),
    };
    const done = await ports.ledger.changeTick(finishTick(me, took, finish));
    if (done === 'refused') {
      const now = await ports.ledger.tick();
      if (now?.gen === me.gen && now.epoch === me.epoch) {
        if (round < maxRounds && mayLookAgain()) {
          took = now.dirty ?? took;
          continue;
        }
        await ports.ledger.changeTick(finishTickOwing(me, took, finish));
        await ports.trigger.requestTick().catch(() => undefined);
      }
    }
    report(run, 'tick-ended', {
      complete: summary.complete,
      live: summary.liveLeases,
      cap: ports.settings.maxConcurrentAgents,
      problems: summary.problems.length,
      repairMs,
      inHandoff: summary.inHandoff,
      waits: countEach(summary.waits),
      ...summary.cost,
    });
    return { kind: 'done', epoch: me.epoch, summary, boards: mergeReports(boards) };
  }
}

interface RoundResult extends HandoffCount {
  readonly boards: readonly BoardReport[];
  readonly problems: readonly string[];
  readonly changed: boolean;
  readonly swept: boolean;
  readonly liveLeases: number;
  readonly openWrites: number;
  readonly stuckLeases: number;
  readonly repairMs: number;
}

/** One pass over all boards: every board is observed and planned, then all repairs are made, then starts. */
async function runRound(
  run: Invocation,
  tick: TickRecord,
  startedAt: Instant,
  asked: Asked,
): Promise<RoundResult> {
  const planned = await planBoards(run.ports, {
    epoch: run.epoch!,
    sweptAt: tick.sweptAt,
    readLeases: () => run.ports.ledger.leases(run.gen),
  });
  noteAsked(asked, planned.plans);
  const taken = planned.leases.filter((lease) => lease.phase !== 'idle').length;
  const unrecorded = await recordBoards(run, planned.plans, taken);
  const applied = await applyPlans(run, planned.plans, { startedAt, cursor: tick.cursor ?? 0 });
  const boards = planned.plans.map((one) => {
    const report = reportBoard(one);
    return {
      ...report,
      decisions: report.decisions.map((decision) => applied.revised.get(decision) ?? decision),
    };
  });
  // What an unserved board has left open cannot be finished here, and is waited for by nobody.
  const served = new Set(planned.plans.map(({ seen }) => seen.board.id));
  const leases = planned.leases.filter((lease) => served.has(lease.board));
  return {
    boards,
    // While they cannot be listed nobody stops a task that no lease names: somebody has to be told.
    problems: [planned.sweepProblem ?? [], planned.problems, unrecorded, applied.problems].flat(),
    changed: applied.changed,
    swept: planned.swept,
    ...countHandoff(planned.plans.map(({ seen }) => seen.observation)),
    liveLeases: leases.filter((lease) => lease.phase !== 'idle').length,
    openWrites: leases.filter((lease) => lease.pending !== undefined).length,
    stuckLeases: leases.filter((lease) => isStuck(lease, startedAt)).length,
    repairMs: applied.repairMs,
  };
}

/** Whom this tick asks, with what they had taken before. */
type Asked = Map<Pick<Tracker, 'quota'>, TrackerQuota | undefined>;

function noteAsked(asked: Asked, plans: readonly PlannedBoard[]): void {
  for (const { seen } of plans)
    if (!asked.has(seen.board.tracker)) asked.set(seen.board.tracker, seen.quotaBefore);
}

/** What they took while the tick was at work, also for whoever asked them besides it. */
function costOf(asked: Asked): TickCost | undefined {
  return sumCosts(
    [...asked].flatMap(([one, before]) => {
      const after = one.quota();
      return after === undefined ? [] : [costBetween(before, after)];
    }),
  );
}

function summarise(
  last: RoundResult,
  boards: readonly BoardReport[],
  { cost, ...course }: Pick<TickSummary, 'startedAt' | 'finishedAt' | 'rounds' | 'cost'>,
): TickSummary {
  const decisions: Record<string, number> = {};
  for (const { action, reason } of boards.flatMap((board) => board.decisions))
    decisions[`${action}/${reason}`] = (decisions[`${action}/${reason}`] ?? 0) + 1;
  return {
    ...course,
    complete: last.problems.length === 0,
    decisions,
    problems: shorten(last.problems),
    inHandoff: last.inHandoff,
    parkedInHandoff: last.parkedInHandoff,
    waits: [
      ...last.boards
        .flatMap((board) => board.decisions)
        .filter(({ action }) => action === 'wait')
        .map(({ reason }) => reason),
      ...last.boards.filter(({ limitedUntil }) => limitedUntil !== undefined).map(() => 'quota'),
    ],
    liveLeases: last.liveLeases,
    openWrites: last.openWrites,
    stuckLeases: last.stuckLeases,
    ...(cost === undefined ? {} : { cost }),
  };
}

/** As many as a person reads: they are kept in the tick's record, which has to stay small enough to be stored. */
function shorten(problems: readonly string[]): readonly string[] {
  const told = problems.slice(0, mostProblems).map((problem) => problem.slice(0, mostCharacters));
  const more = problems.length - told.length;
  return more === 0 ? told : [...told, `and ${more} more`];
}

const mostProblems = 50;
const mostCharacters = 500;

/** `blocked 2`, `parked 1`: what waits, by reason. */
function countEach(reasons: readonly string[]): readonly string[] {
  return [...new Set(reasons)].map((reason) => `${reason} ${reasons.filter((one) => one === reason).length}`);
}

/** A second round's decisions follow the first one's, board by board. */
function mergeReports(reports: readonly BoardReport[]): readonly BoardReport[] {
  const merged = new Map<BoardId, BoardReport>();
  for (const report of reports) {
    const before = merged.get(report.board);
    merged.set(
      report.board,
      before === undefined ? report : { ...report, decisions: [...before.decisions, ...report.decisions] },
    );
  }
  return [...merged.values()];
}

function report(
  run: Invocation,
  fact: 'tick-started' | 'tick-ended',
  more: Readonly<Record<string, string | number | boolean | readonly string[]>>,
): void {
  run.ports.reporter.report({
    time: run.ports.clock.now(),
    fact,
    invocation: run.id,
    actor: run.actor,
    gen: run.gen,
    epoch: run.epoch,
    ...more,
  });
}

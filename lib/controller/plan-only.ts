import { adoptionOrder } from '../core/adoption-order.ts';
import type { TickRecord } from '../core/board-record.ts';
import type { Decision } from '../core/decision.ts';
import type { IssueId } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import { type BoardReport, reportBoard } from './board-report.ts';
import { adoptedLease } from './look.ts';
import { type PlannedBoard, planBoards } from './plan-boards.ts';
import type { Ports } from './ports.ts';

/** What the next tick would do, and what it would do it from. */
export interface DryRun {
  readonly tick: TickRecord | undefined;
  readonly leases: readonly Lease[];
  readonly planned: readonly PlannedBoard[];
  readonly boards: readonly BoardReport[];
}

/**
 * Observes and plans as the next tick's first look will, and writes nothing. A ledger that is new or lost counts as empty,
 * except for the turns that are alive: the next look adopts them. Throws when a board cannot be planned.
 */
export async function planOnly(ports: Ports): Promise<DryRun> {
  const tick = await ports.ledger.tick();
  const isOpen = tick?.epoch !== undefined;
  const kept = tick === undefined ? [] : await ports.ledger.leases(tick.gen);
  const adopted = isOpen ? [] : await leasesToAdopt(ports, kept);
  const { plans, leases, problems } = await planBoards(ports, {
    epoch: (tick?.epoch ?? 0) + 1,
    sweptAt: tick?.sweptAt,
    readLeases: async () => [...kept, ...adopted],
  });
  if (problems.length > 0) throw new Error(problems.join('; '));
  const ids = new Set(adopted.map(({ issueId }) => issueId));
  const boards = plans.map(reportBoard).map((report) => withAdoptions(report, adopted, ids));
  return { tick, leases, planned: plans, boards };
}

async function leasesToAdopt(ports: Ports, kept: readonly Lease[]): Promise<readonly Lease[]> {
  const tasks = adoptionOrder(await ports.runner.list());
  const adopted: Lease[] = [];
  for (const task of tasks) {
    const isTaken = [...kept, ...adopted].some(
      (lease) => lease.board === task.board && lease.issueId === task.issueId,
    );
    if (!isTaken) adopted.push({ ...adoptedLease(task, ports.clock.now()), v: 1 });
  }
  return adopted;
}

/** The turn goes on, and that it gets its lease back is news. What else is to be done with it comes after. */
function withAdoptions(
  report: BoardReport,
  adopted: readonly Lease[],
  ids: ReadonlySet<IssueId>,
): BoardReport {
  const adoptions = adopted
    .filter(({ board }) => board === report.board)
    .map(
      (lease): Decision => ({
        issueId: lease.issueId,
        key: lease.key,
        action: 'adopt',
        reason: 'ledger-lost',
        detail: 'its turn is alive and no lease names it; the turn goes on',
        turnId: lease.turnId,
      }),
    );
  const rest = report.decisions.filter(({ action, issueId }) => !(action === 'keep' && ids.has(issueId)));
  return { ...report, decisions: [...adoptions, ...rest] };
}

import type { Instant } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import { type Plan, planTick } from '../core/plan.ts';
import { type BoardObservation, observeBoard } from './observe.ts';
import type { Board, LiveTask, Ports } from './ports.ts';
import { waitForAll } from './wait-for-all.ts';

export interface PlannedBoard {
  readonly seen: BoardObservation;
  readonly plan: Plan;
}

export interface PlannedBoards {
  readonly plans: readonly PlannedBoard[];
  readonly leases: readonly Lease[];
  readonly problems: readonly string[];
  /** Whether the live tasks were listed. */
  readonly swept: boolean;
  /** Why they could not be, where it was time to. */
  readonly sweepProblem: string | undefined;
}

/** What a plan is made from, apart from the boards and the runner. */
export interface LedgerView {
  readonly epoch: number;
  /** When the live tasks were last listed. */
  readonly sweptAt: Instant | undefined;
  /** Every lease of the generation. */
  readonly readLeases: () => Promise<readonly Lease[]>;
}

/**
 * Observes and plans every board, each isolated from the others, in an order that rotates from tick to tick so that the
 * deployment's slots are not always offered to the same board first. It writes and tells nothing, so that a tick and a
 * person who only asks get the same plan from the same code.
 */
export async function planBoards(ports: Ports, view: LedgerView): Promise<PlannedBoards> {
  const { liveTasks, sweepProblem } = await sweep(ports, view.sweptAt);
  const [leases, served] = await waitForAll([view.readLeases(), ports.boards()]);
  const boards = rotate(served, view.epoch);
  const problems: string[] = [];
  const plans: PlannedBoard[] = [];
  let used = leases.filter((lease) => lease.phase !== 'idle').length;
  for (const board of boards) {
    try {
      const seen = await observeBoard(ports, board, {
        epoch: view.epoch,
        leases,
        liveTasks: liveTasks ?? [],
      });
      const plan = planTick(
        seen.observation,
        board.workflow,
        { cap: ports.settings.maxConcurrentAgents, used },
        ports.clock.now(),
      );
      used += plan.decisions.filter(({ action }) => action === 'start').length;
      plans.push({ seen, plan });
    } catch (error) {
      problems.push(`board ${board.id}: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  return { plans, leases, problems, swept: liveTasks !== undefined, sweepProblem };
}

interface Sweep {
  readonly liveTasks?: readonly LiveTask[];
  readonly sweepProblem?: string;
}

/** Lists the live tasks, now and then: before the leases are read, so that a task newer than its lease is no orphan. */
async function sweep(ports: Ports, sweptAt: Instant | undefined): Promise<Sweep> {
  if ((sweptAt ?? 0) + ports.settings.timing.sweepMs > ports.clock.now()) return {};
  try {
    return { liveTasks: await ports.runner.list() };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    return { sweepProblem: `the live tasks could not be listed: ${why}` };
  }
}

function rotate(boards: readonly Board[], by: number): readonly Board[] {
  const first = boards.length === 0 ? 0 : by % boards.length;
  return [...boards.slice(first), ...boards.slice(0, first)];
}

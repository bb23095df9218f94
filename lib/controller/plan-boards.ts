import type { TickRecord } from '../core/board-record.ts';
import type { Change } from '../core/change.ts';
import type { Lease } from '../core/lease.ts';
import { type Plan, planTick } from '../core/plan.ts';
import type { Invocation } from './invocation.ts';
import { type BoardObservation, observeBoard } from './observe.ts';
import type { Board, BoardRecord, LiveTask, Ports } from './ports.ts';

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
}

/**
 * Observes and plans every board, each isolated from the others, in an order that rotates from tick to tick so that the
 * deployment's slots are not always offered to the same board first.
 */
export async function planBoards(run: Invocation, tick: TickRecord): Promise<PlannedBoards> {
  const { ports } = run;
  const liveTasks = await sweep(ports, tick);
  const [leases, served] = await Promise.all([ports.ledger.leases(run.gen), ports.boards()]);
  const boards = rotate(served, tick.epoch ?? 0);
  const problems: string[] = [];
  const plans: PlannedBoard[] = [];
  let used = leases.filter((lease) => lease.phase !== 'idle').length;
  for (const board of boards) {
    try {
      const seen = await observeBoard(ports, board, {
        epoch: run.epoch!,
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
      tellBoard(run, seen);
      await keepContract(ports, seen);
    } catch (error) {
      problems.push(`board ${board.id}: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  return { plans, leases, problems, swept: liveTasks !== undefined };
}

/** Lists the live tasks, now and then: before the leases are read, so that a task newer than its lease is no orphan. */
async function sweep(ports: Ports, tick: TickRecord): Promise<readonly LiveTask[] | undefined> {
  if ((tick.sweptAt ?? 0) + ports.settings.timing.sweepMs > ports.clock.now()) return undefined;
  return ports.runner.list().catch(() => undefined);
}

function rotate(boards: readonly Board[], by: number): readonly Board[] {
  const first = boards.length === 0 ? 0 : by % boards.length;
  return [...boards.slice(first), ...boards.slice(0, first)];
}

function tellBoard(run: Invocation, { board, observation }: BoardObservation): void {
  const common = {
    time: run.ports.clock.now(),
    invocation: run.id,
    actor: run.actor,
    gen: run.gen,
    epoch: run.epoch,
    board: board.id,
  };
  const valid = observation.contract.valid && board.workflowProblem === undefined;
  const rules = observation.contract.valid ? [] : observation.contract.problems.map(({ rule }) => rule);
  run.ports.reporter.report({ ...common, fact: 'contract-checked', valid, rules });
  if (!valid) run.ports.reporter.report({ ...common, fact: 'alarm', reason: 'contract-invalid' });
  const { listing } = observation;
  run.ports.reporter.report({
    ...common,
    fact: 'board-read',
    complete: listing.kind === 'complete',
    ...(listing.kind === 'complete'
      ? { issues: listing.issues.length, broken: listing.broken.length, inHandoff: listing.inHandoff }
      : {}),
  });
}

/** Keeps the contract that holds, with the ids of its states, so that a later rename reads as one. */
async function keepContract(ports: Ports, { board, record, observation }: BoardObservation): Promise<void> {
  if (!observation.contract.valid) return;
  const contract = observation.contract.record;
  if (JSON.stringify(contract) === JSON.stringify(record?.contract)) return;
  const change: Change<BoardRecord> = {
    operation: 'keep-contract',
    when: [
      record === undefined ? [{ field: 'v', is: 'absent' }] : [{ field: 'v', is: 'equal', value: record.v }],
    ],
    set: { contract },
    remove: [],
    add: {},
    append: {},
  };
  await ports.ledger.changeBoard(board.id, change);
}

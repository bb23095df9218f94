import type { Change } from '../core/change.ts';
import type { Invocation } from './invocation.ts';
import type { BoardObservation } from './observe.ts';
import type { PlannedBoard } from './plan-boards.ts';
import type { BoardRecord, Ports } from './ports.ts';

/**
 * Tells what a tick saw of its boards and keeps the contracts that hold. Answers what failed; no board hinders another.
 * `live` is how many leases of the deployment hold a slot.
 */
export async function recordBoards(
  run: Invocation,
  planned: readonly PlannedBoard[],
  live: number,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { seen } of planned) {
    tellBoard(run, seen, live);
    try {
      await keepContract(run.ports, seen);
    } catch (error) {
      problems.push(`board ${seen.board.id}: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  return problems;
}

function tellBoard(run: Invocation, { board, observation }: BoardObservation, live: number): void {
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
    live,
    cap: run.ports.settings.maxConcurrentAgents,
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

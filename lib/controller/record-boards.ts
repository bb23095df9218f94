import { keepLearnt } from '../core/board-writes.ts';
import type { Invocation } from './invocation.ts';
import type { BoardObservation } from './observe.ts';
import type { PlannedBoard } from './plan-boards.ts';
import type { Ports } from './ports.ts';

/**
 * Tells what a tick saw of its boards, and keeps the contracts that hold and the limits that were met. Answers what
 * failed or could not be seen; no board hinders another. `live` is how many leases of the deployment hold a slot.
 */
export async function recordBoards(
  run: Invocation,
  planned: readonly PlannedBoard[],
  live: number,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { seen } of planned) {
    tellBoard(run, seen, live);
    problems.push(...findUnseen(seen).map((problem) => `board ${seen.board.id}: ${problem}`));
    try {
      await keepSeen(run.ports, seen);
    } catch (error) {
      problems.push(`board ${seen.board.id}: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  return problems;
}

/**
 * What a tick has to leave out: for a while that is nothing, and for long nobody would know why nothing starts or ends. A
 * contract that cannot be read has an alarm of its own, and so has a quota.
 */
function findUnseen({
  observation: { contract, listing },
  tasksUnread,
}: BoardObservation): readonly string[] {
  const isUnlisted = contract.valid && listing.kind === 'incomplete' && listing.limitedUntil === undefined;
  return [
    ...(isUnlisted ? [listing.problem] : []),
    ...(tasksUnread === undefined ? [] : [`how its tasks stand is not known: ${tasksUnread}`]),
  ];
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
  const { listing } = observation;
  // A contract that could not be checked for the sake of a quota is not said to be broken.
  const isLimited = listing.kind === 'incomplete' && listing.limitedUntil !== undefined;
  if (!isLimited || board.workflowProblem !== undefined) {
    const valid = observation.contract.valid && board.workflowProblem === undefined;
    const rules = observation.contract.valid ? [] : observation.contract.problems.map(({ rule }) => rule);
    run.ports.reporter.report({ ...common, fact: 'contract-checked', valid, rules });
    if (!valid) run.ports.reporter.report({ ...common, fact: 'alarm', reason: 'contract-invalid' });
  }
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
  if (observation.mergesUnread !== undefined) {
    const problem = observation.mergesUnread;
    run.ports.reporter.report({ ...common, fact: 'refused', reason: 'merges-unknown', problem });
  }
}

async function keepSeen(ports: Ports, { board, record, observation }: BoardObservation): Promise<void> {
  const { contract, record: seen } = observation;
  const change = keepLearnt(record, { contract, limitedUntil: seen.quotaResetAt }, ports.clock.now());
  if (change !== undefined) await ports.ledger.changeBoard(board.id, change);
}

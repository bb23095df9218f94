import type { Problem } from '../core/contract.ts';
import type { Decision } from '../core/decision.ts';
import type { BoardId, Instant } from '../core/issue.ts';
import type { PlannedBoard } from './plan-boards.ts';
import type { Board } from './ports.ts';

/** What was decided about one board, refusals included. */
export interface BoardReport {
  readonly board: BoardId;
  readonly valid: boolean;
  /** Since when it starts nothing because a person said so. */
  readonly pausedSince: Instant | undefined;
  readonly problems: readonly Problem[];
  readonly decisions: readonly Decision[];
  /** Until when the board is not read, where its tracker's quota is the cause. */
  readonly limitedUntil?: Instant | undefined;
}

export function reportBoard({ seen, plan }: PlannedBoard): BoardReport {
  const { board, observation } = seen;
  return {
    board: board.id,
    pausedSince: observation.record.paused?.since,
    valid: observation.contract.valid && board.workflowProblem === undefined,
    problems: [...describeWorkflow(board), ...plan.problems],
    decisions: plan.decisions,
    ...(observation.listing.kind === 'incomplete' && observation.listing.limitedUntil !== undefined
      ? { limitedUntil: observation.listing.limitedUntil }
      : {}),
  };
}

function describeWorkflow({ workflowProblem }: Board): readonly Problem[] {
  if (workflowProblem === undefined) return [];
  const { rule, path, message } = workflowProblem;
  return [{ rule, path, message }];
}

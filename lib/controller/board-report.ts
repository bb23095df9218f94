import type { Problem } from '../core/contract.ts';
import type { Decision } from '../core/decision.ts';
import type { BoardId } from '../core/issue.ts';
import type { PlannedBoard } from './plan-boards.ts';

/** What was decided about one board, refusals included. */
export interface BoardReport {
  readonly board: BoardId;
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly decisions: readonly Decision[];
}

export function reportBoard({ seen, plan }: PlannedBoard): BoardReport {
  const { board, observation } = seen;
  return {
    board: board.id,
    valid: observation.contract.valid && board.workflowProblem === undefined,
    problems: [...describeFile(board.workflowProblem), ...plan.problems],
    decisions: plan.decisions,
  };
}

function describeFile(problem: string | undefined): readonly Problem[] {
  return problem === undefined ? [] : [{ rule: 'workflow-file', path: '', message: problem }];
}

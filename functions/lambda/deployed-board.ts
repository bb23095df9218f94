import type { Board, Tracker } from '../../lib/controller/ports.ts';
import type { BoardId } from '../../lib/core/issue.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import { addressOf } from './board-access.ts';

/** The board of a workflow as a deployment serves it. */
export function deployedBoard(workflow: Workflow, tracker: Tracker): Board {
  return {
    id: deployedBoardId(workflow),
    tracker,
    workflow,
    workflowProblem: undefined,
    repository: addressOf(workflow),
  };
}

/** What a deployment calls the board: the same for as long as the workflow names the same one. */
export function deployedBoardId({ tracker: { kind, endpoint, project } }: Workflow): BoardId {
  const host = endpoint === undefined ? '' : `${new URL(endpoint).host}/`;
  return `${kind}:${host}${project.toLowerCase()}` as BoardId;
}

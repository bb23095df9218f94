import { codeHostOf, hostedAddress } from '../adapters/github/endpoint.ts';
import { githubBoard } from '../adapters/github/github-board.ts';
import { localBoard } from '../adapters/local-board/local-board.ts';
import type { Tracker } from '../controller/ports.ts';
import type { Workflow } from '../core/workflow.ts';
import { machineGitHub } from './machine-github.ts';

/** How long a write of a dead process may still land at a tracker that is elsewhere, on one machine. */
export const remoteLateWriteMs = 150_000;

/**
 * The tracker of the board at this place, of a kind that this machine serves. `repository` is the address of the workflow's
 * repository, where that is known. It asks for nothing yet.
 */
export function connectTracker(workflow: Workflow, place: string, repository?: string): Tracker {
  const { kind, project, endpoint, terminal_states } = workflow.tracker;
  if (kind === 'local') return localBoard({ folder: place, terminalStates: terminal_states });
  const board = githubBoard(workflow, {
    access: machineGitHub(),
    lateWriteMs: remoteLateWriteMs,
    // A folder of that name comes first.
    isHosted: repository === hostedAddress(codeHostOf(endpoint), workflow.repository),
  });
  if (board === undefined) throw new Error(`${project} is a board of the kind ${kind}, which nothing serves`);
  return board;
}

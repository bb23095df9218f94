import { codeHostOf } from '../adapters/github/endpoint.ts';
import { labelBoard } from '../adapters/github/label-board.ts';
import { projectBoard } from '../adapters/github/project-board.ts';
import { localBoard } from '../adapters/local-board/local-board.ts';
import type { Tracker } from '../controller/ports.ts';
import type { Workflow } from '../core/workflow.ts';
import { machineGitHub } from './machine-github.ts';
import { hostedAddress } from './repository-address.ts';

/** How long a write of a dead process may still land at a tracker that is elsewhere, on one machine. */
export const remoteLateWriteMs = 150_000;

/**
 * The tracker of the board at this place, of a kind that this machine serves. `repository` is the address of the workflow's
 * repository, where that is known. It asks for nothing yet.
 */
export function connectTracker(workflow: Workflow, place: string, repository?: string): Tracker {
  const { tracker } = workflow;
  const { kind, project } = tracker;
  if (kind === 'local') return localBoard({ folder: place, terminalStates: tracker.terminal_states });
  const { active_states, handoff_state, terminal_states, in_progress_state, merged_state } = tracker;
  const states = { active: active_states, handoff: handoff_state, terminal: terminal_states };
  const shared = { client: machineGitHub().client(tracker), project, lateWriteMs: remoteLateWriteMs };
  if (kind === 'github-project') {
    return projectBoard({ ...shared, repository: ownRepository(workflow, repository), states });
  }
  const others = [in_progress_state, merged_state].filter((name) => name !== undefined);
  return labelBoard({ ...shared, states: { ...states, others }, trusted: tracker.trusted_actors });
}

/** `owner/repo` says whose issues are meant as well; a URL or a path says only where the work is done. */
function ownRepository(
  { repository: name, tracker }: Workflow,
  address: string | undefined,
): string | undefined {
  const isHosted = address === hostedAddress(codeHostOf(tracker.endpoint), name);
  return isHosted ? name.replace(/\.git$/, '') : undefined;
}

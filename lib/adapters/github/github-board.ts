import type { Tracker } from '../../controller/ports.ts';
import type { Workflow } from '../../core/workflow.ts';
import { isHostedName } from './endpoint.ts';
import type { GitHubAccess } from './github-access.ts';
import { labelBoard } from './label-board.ts';
import { projectBoard } from './project-board.ts';

export interface GitHubBoardOptions {
  readonly access: GitHubAccess;
  /** How long a write of a dead invocation may still land, in milliseconds. */
  readonly lateWriteMs: number;
  /** Whether `repository` names one at the tracker's own host; by default, whether it is written `owner/repo`. */
  readonly isHosted?: boolean;
}

/** The tracker of a workflow whose board is at GitHub; undefined for a board of another kind. It asks for nothing yet. */
export function githubBoard(
  { tracker, repository }: Workflow,
  { access, lateWriteMs, isHosted = isHostedName(repository) }: GitHubBoardOptions,
): Tracker | undefined {
  const { active_states, handoff_state, terminal_states, in_progress_state, merged_state } = tracker;
  const states = { active: active_states, handoff: handoff_state, terminal: terminal_states };
  const shared = () => ({ client: access.client(tracker), project: tracker.project, lateWriteMs });
  switch (tracker.kind) {
    case 'github': {
      const others = [in_progress_state, merged_state].filter((name) => name !== undefined);
      return labelBoard({ ...shared(), states: { ...states, others }, trusted: tracker.trusted_actors });
    }
    case 'github-project': {
      // `owner/repo` says whose issues are meant as well; a URL or a path says only where the work is done.
      const own = isHosted ? repository.replace(/\.git$/, '') : undefined;
      return projectBoard({ ...shared(), repository: own, states });
    }
    default:
      return undefined;
  }
}

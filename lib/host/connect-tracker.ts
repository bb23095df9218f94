import { personalToken } from '../adapters/github/credential.ts';
import { type GitHubClient, githubClient } from '../adapters/github/github-client.ts';
import { labelBoard } from '../adapters/github/label-board.ts';
import { localBoard } from '../adapters/local-board/local-board.ts';
import type { Tracker } from '../controller/ports.ts';
import type { Workflow } from '../core/workflow.ts';
import { githubTokenVariable } from './board-place.ts';
import { programVersion } from './program-version.ts';

/** How long a write of a dead process may still land at a tracker that is elsewhere, on one machine. */
export const remoteLateWriteMs = 150_000;

/** Boards at the same address share a client, because a quota is the token's and not the board's. */
const clients = new Map<string, GitHubClient>();

/** The tracker of the board at this place, of a kind that this machine serves. It asks for nothing yet. */
export function connectTracker({ tracker }: Workflow, place: string): Tracker {
  if (tracker.kind === 'local') return localBoard({ folder: place, terminalStates: tracker.terminal_states });
  const { active_states, handoff_state, terminal_states, in_progress_state, merged_state } = tracker;
  return labelBoard({
    client: githubAt(tracker.endpoint),
    project: tracker.project,
    states: {
      active: active_states,
      handoff: handoff_state,
      terminal: terminal_states,
      others: [in_progress_state, merged_state].filter((name) => name !== undefined),
    },
    trusted: tracker.trusted_actors,
    lateWriteMs: remoteLateWriteMs,
  });
}

function githubAt(endpoint: string | undefined): GitHubClient {
  const key = endpoint ?? '';
  const client =
    clients.get(key) ??
    githubClient({
      credential: personalToken(() => process.env[githubTokenVariable]),
      endpoint,
      userAgent: `evenkeel/${programVersion}`,
    });
  clients.set(key, client);
  return client;
}

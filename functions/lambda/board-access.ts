import { codeHostOf } from '../../lib/adapters/github/endpoint.ts';
import { type GitHubAccess, githubAccess } from '../../lib/adapters/github/github-access.ts';
import { readIdentity } from '../../lib/adapters/github/identity.ts';
import { labelBoard } from '../../lib/adapters/github/label-board.ts';
import { projectBoard } from '../../lib/adapters/github/project-board.ts';
import type { DeploymentSecret } from '../../lib/adapters/secrets/deployment-secret.ts';
import type { SecretReader } from '../../lib/adapters/secrets/secret-reader.ts';
import type { GitTokens, Tracker } from '../../lib/controller/ports.ts';
import type { Workflow } from '../../lib/core/workflow.ts';

/** How a deployment reaches its boards, and its turns their repositories. Nothing is asked for before it is needed. */
export interface BoardAccess {
  tracker(workflow: Workflow): Tracker;
  gitTokens(workflows: () => readonly Workflow[]): GitTokens;
}

/** Who the deployment is stands in its secret. */
export type OpenBoardAccess = (secrets: SecretReader<DeploymentSecret>) => BoardAccess;

/** How long a write of a function that is no more may still land: it has ended by then, and so has what it sent. */
const lateWriteMs = 240_000;

export const deployedBoardAccess: OpenBoardAccess = (secrets) => {
  const github = openGitHub(secrets);
  return {
    tracker: (workflow) => trackerOf(workflow, github),
    gitTokens: (workflows) => github.gitTokens(async () => workflows().map(({ tracker }) => tracker)),
  };
};

function trackerOf({ tracker, repository }: Workflow, github: GitHubAccess): Tracker {
  const { kind, project } = tracker;
  const { active_states, handoff_state, terminal_states, in_progress_state, merged_state } = tracker;
  const states = { active: active_states, handoff: handoff_state, terminal: terminal_states };
  const shared = { client: github.client(tracker), project, lateWriteMs };
  switch (kind) {
    case 'github': {
      const others = [in_progress_state, merged_state].filter((name) => name !== undefined);
      return labelBoard({ ...shared, states: { ...states, others }, trusted: tracker.trusted_actors });
    }
    case 'github-project':
      return projectBoard({ ...shared, repository: isHosted(repository) ? repository : undefined, states });
    default:
      throw new Error(
        `tracker.kind ${kind} cannot be served by this version's functions, which serve boards of the kinds github and github-project`,
      );
  }
}

/** `owner/repo`, which says whose issues are meant as well; a URL says only where the work is done. */
function isHosted(repository: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(repository);
}

/** What git is given for a repository: an address as it stands, and that at the tracker's own host for `owner/repo`. */
export function addressOf({ repository, tracker }: Workflow): string {
  if (!isHosted(repository)) return repository;
  return `https://${codeHostOf(tracker.endpoint)}/${repository.replace(/\.git$/, '')}.git`;
}

function openGitHub(secrets: SecretReader<DeploymentSecret>): GitHubAccess {
  return githubAccess({
    identity: async (renewed) => {
      const secret = await (renewed === undefined ? secrets.current() : secrets.renewed());
      const identity = readIdentity(
        {
          appId: secret.githubAppId,
          privateKey: secret.githubAppPrivateKey,
          token: secret.githubToken,
          gitToken: secret.gitToken,
        },
        fields,
      );
      if (identity === undefined)
        throw new Error("the deployment's secret has neither githubAppId nor githubToken");
      if (identity.kind === 'unclear') throw new Error(`in the deployment's secret, ${identity.problem}`);
      return identity;
    },
    // An App has a quota for each owner; of a person's token each client learns the same one from its answers.
    quotaOf: 'owner',
    userAgent: 'evenkeel',
  });
}

const fields = {
  appId: 'githubAppId',
  privateKey: 'githubAppPrivateKey',
  token: 'githubToken',
  gitToken: 'gitToken',
} as const;

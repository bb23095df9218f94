import { codeHostOf, hostedAddress, isHostedName } from '../../lib/adapters/github/endpoint.ts';
import { type GitHubAccess, githubAccess } from '../../lib/adapters/github/github-access.ts';
import { githubBoard } from '../../lib/adapters/github/github-board.ts';
import { readIdentity } from '../../lib/adapters/github/identity.ts';
import type { DeploymentSecret } from '../../lib/adapters/secrets/deployment-secret.ts';
import type { SecretReader } from '../../lib/adapters/secrets/secret-reader.ts';
import type { GitTokens, PullRequests, Tracker } from '../../lib/controller/ports.ts';
import type { Workflow } from '../../lib/core/workflow.ts';

/** How a deployment reaches its boards, and its turns their repositories. Nothing is asked for before it is needed. */
export interface BoardAccess {
  tracker(workflow: Workflow): Tracker;
  gitTokens(workflows: () => readonly Workflow[]): GitTokens;
  pullRequests(workflows: () => readonly Workflow[]): PullRequests;
}

/** Who the deployment is stands in its secret. */
export type OpenBoardAccess = (secrets: SecretReader<DeploymentSecret>) => BoardAccess;

/** How long a write of a function that is no more may still land: it has ended by then, and so has what it sent. */
const lateWriteMs = 240_000;

export const deployedBoardAccess: OpenBoardAccess = (secrets) => {
  const github = openGitHub(secrets);
  return {
    tracker: (workflow) => trackerOf(workflow, github),
    gitTokens: (workflows) => github.gitTokens(addressesOf(workflows)),
    pullRequests: (workflows) => github.pullRequests(addressesOf(workflows)),
  };
};

function addressesOf(workflows: () => readonly Workflow[]) {
  return async () => workflows().map(({ tracker }) => tracker);
}

/** The tracker of a deployment's board, reached in this way. Throws for a board that no deployment serves. */
export function trackerOf(workflow: Workflow, access: GitHubAccess): Tracker {
  const board = githubBoard(workflow, { access, lateWriteMs });
  if (board !== undefined) return board;
  throw new Error(
    `tracker.kind ${workflow.tracker.kind} cannot be served by this version's functions, which serve boards of the kinds github and github-project`,
  );
}

/** What git is given for a repository: an address as it stands, and that at the tracker's own host for `owner/repo`. */
export function addressOf({ repository, tracker }: Workflow): string {
  return isHostedName(repository) ? hostedAddress(codeHostOf(tracker.endpoint), repository) : repository;
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

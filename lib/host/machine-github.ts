import { isAbsolute } from 'node:path';
import { codeHostOf } from '../adapters/github/endpoint.ts';
import {
  endpointsOf,
  findCodeHost,
  type GitHubAccess,
  githubAccess,
} from '../adapters/github/github-access.ts';
import { type GitHubIdentity, readIdentity, type UnclearIdentity } from '../adapters/github/identity.ts';
import type { Workflow } from '../core/workflow.ts';
import { programVersion } from './program-version.ts';

let access: GitHubAccess | undefined;

/** This machine's way to GitHub. Who it is stands in its environment, and is read when it is needed. */
export function machineGitHub(): GitHubAccess {
  access ??= githubAccess({
    identity: async () => {
      const identity = findGitHubIdentity();
      if (identity === undefined) throw new Error('neither GITHUB_TOKEN nor GITHUB_APP_ID is set');
      if (identity.kind === 'unclear') throw new Error(identity.problem);
      return identity;
    },
    quotaOf: findGitHubIdentity()?.kind === 'app' ? 'owner' : 'token',
    userAgent: `evenkeel/${programVersion}`,
  });
  return access;
}

/** Undefined where nothing is set. */
export function findGitHubIdentity(
  { GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_TOKEN, GIT_TOKEN }: NodeJS.ProcessEnv = process.env,
): GitHubIdentity | UnclearIdentity | undefined {
  return readIdentity(
    { appId: GITHUB_APP_ID, privateKey: GITHUB_APP_PRIVATE_KEY, token: GITHUB_TOKEN, gitToken: GIT_TOKEN },
    {
      appId: 'GITHUB_APP_ID',
      privateKey: 'GITHUB_APP_PRIVATE_KEY',
      token: 'GITHUB_TOKEN',
      gitToken: 'GIT_TOKEN',
    },
  );
}

/**
 * How the turns of boards at GitHub reach their repositories, and why so, where that is not by a token of their own; one or
 * two sentences for each repository that is not on this machine.
 */
export function describeTurnAccess(
  boards: readonly { readonly workflow: Workflow; readonly repository: string }[],
  env: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const identity = findGitHubIdentity(env);
  if (identity === undefined || identity.kind === 'unclear') return [];
  const elsewhere = boards.filter(
    ({ workflow, repository }) => endpointsOf([workflow.tracker]).length > 0 && !isAbsolute(repository),
  );
  const said = elsewhere.map(({ workflow, repository }) => {
    const { endpoint } = workflow.tracker;
    const shown = repository.replace(/\/\/[^/@]*@/, '//');
    const isThere = findCodeHost(repository, [endpoint]) !== undefined;
    const only = `only used for addresses that begin with https://${codeHostOf(endpoint)}/`;
    const asUser = `Turns reach ${shown} as the user of this machine does, because`;
    if (identity.kind === 'app')
      return isThere ? undefined : `${asUser} tokens of the GitHub App are ${only}.`;
    const kept = 'GITHUB_TOKEN may move cards and is kept from turns';
    if (identity.gitToken === undefined)
      return `${asUser} ${kept}, and GIT_TOKEN is not set. Set it to a token that may write contents and pull requests of that repository alone, or let evenkeel come as a GitHub App.`;
    return isThere
      ? `Turns reach ${shown} by GIT_TOKEN, because ${kept}. They all share it, and it does not end with them.`
      : `${asUser} ${kept}, and GIT_TOKEN is ${only}.`;
  });
  return [...new Set(said.filter((message) => message !== undefined))];
}

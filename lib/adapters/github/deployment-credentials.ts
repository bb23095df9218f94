import { type Credential, personalToken } from './credential.ts';
import { type GitHubApp, githubApp } from './github-app.ts';
import { GitHubError } from './github-error.ts';
import type { GitHubIdentity } from './identity.ts';

/** What a deployment comes with, by who it is when it comes. */
export interface DeploymentCredentials {
  /** Throws a `GitHubError` with a message for people where nobody can say it. */
  readonly identity: (renewed?: 'renewed') => Promise<GitHubIdentity>;
  /** Throws where the deployment is no App. */
  appAt(endpoint: string | undefined): GitHubApp;
  /** For a board: of a person the token, of an App the one of its installation on `scope`. */
  forBoard(endpoint: string | undefined, scope: string): Credential;
  /** A person's token for git, or the other one where there is none. */
  forGit(): Credential;
}

export interface DeploymentCredentialsOptions {
  readonly identity: DeploymentCredentials['identity'];
  readonly userAgent: string;
  readonly now?: () => number;
}

export function deploymentCredentials(options: DeploymentCredentialsOptions): DeploymentCredentials {
  const identity = tellAsRefused(options.identity);
  const apps = new Map<string, GitHubApp>();

  function appAt(endpoint: string | undefined): GitHubApp {
    const key = endpoint ?? '';
    const kept =
      apps.get(key) ??
      githubApp({
        ...options,
        endpoint,
        identity: async (renewed) => {
          const known = await identity(renewed);
          if (known.kind === 'app') return known;
          throw new GitHubError('unauthorized', 'there is no GitHub App any more; a token took its place');
        },
      });
    apps.set(key, kept);
    return kept;
  }

  const ofPerson = (choose: (known: Person) => string) =>
    personalToken(async (renewed) => {
      const known = await identity(renewed);
      return known.kind === 'token' ? choose(known) : undefined;
    });

  return {
    identity,
    appAt,
    forBoard(endpoint, scope) {
      const person = ofPerson(({ token }) => token);
      const choose = async () =>
        (await identity()).kind === 'app' ? appAt(endpoint).credential(scope) : person;
      return {
        token: async () => (await choose()).token(),
        renew: async (refused) => (await choose()).renew(refused),
      };
    },
    forGit: () => ofPerson(({ token, gitToken }) => gitToken ?? token),
  };
}

type Person = Extract<GitHubIdentity, { readonly kind: 'token' }>;

/** What is wrong with a person's settings is no absence and no outage: nothing is done until it is mended. */
function tellAsRefused(identity: DeploymentCredentials['identity']): DeploymentCredentials['identity'] {
  return async (renewed) => {
    try {
      return await identity(renewed);
    } catch (error) {
      throw new GitHubError('unauthorized', (error as Error).message);
    }
  };
}

import githubAppJwt from 'universal-github-app-jwt';
import * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import type { Credential } from './credential.ts';
import { githubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import type { AppIdentity } from './identity.ts';

/** An App at one endpoint. What it may do it may do where it is installed, and nowhere else. */
export interface GitHubApp {
  /**
   * What a tracker uses: all that the installation may do. `scope` is the `owner/repo` of a board that is a repository, or
   * the organisation of a board that is a project.
   */
  credential(scope: string): Credential;
  /** A new token for this repository alone: its contents and pull requests, and nothing else. Throws a `GitHubError`. */
  mint(repository: string): Promise<InstallationToken>;
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAt: Instant;
}

export interface GitHubAppOptions {
  /** Who the App is; `renewed` asks for what holds now instead of what was read before. */
  readonly identity: (renewed?: 'renewed') => Promise<AppIdentity>;
  readonly endpoint?: string | undefined;
  readonly userAgent: string;
  readonly now?: () => Instant;
}

/** https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
export function githubApp(options: GitHubAppOptions): GitHubApp {
  const { identity, now = Date.now } = options;
  const client = githubClient({ ...options, credential: appCredential(identity, now) });
  const installations = new Map<string, number>();
  const held = new Map<string, Promise<InstallationToken>>();

  async function findInstallation(scope: string): Promise<number> {
    const known = installations.get(scope);
    if (known !== undefined) return known;
    const at = scope.includes('/') ? 'repos' : 'orgs';
    const { id } = await client.get(`/${at}/${scope}/installation`, installationSchema, 'step');
    installations.set(scope, id);
    return id;
  }

  /** An App that was taken off a repository and put there again has another installation. */
  async function create(scope: string, restriction: object): Promise<InstallationToken> {
    const wasKnown = installations.has(scope);
    const id = await findInstallation(scope);
    try {
      const path = `/app/installations/${id}/access_tokens`;
      const { token, expires_at } = await client.post(path, restriction, tokenSchema);
      return { token, expiresAt: Date.parse(expires_at) };
    } catch (error) {
      if (!wasKnown || !(error instanceof GitHubError) || error.kind !== 'missing') throw error;
      installations.delete(scope);
      return create(scope, restriction);
    }
  }

  /** Kept until shortly before it expires, and made once however many ask at the same time. */
  async function current(scope: string): Promise<string> {
    const before = held.get(scope);
    const made = await before?.catch(() => undefined);
    if (made !== undefined && made.expiresAt - now() > marginMs) return made.token;
    if (held.get(scope) === before) held.set(scope, create(scope, {}));
    return (await held.get(scope))?.token ?? current(scope);
  }

  return {
    credential: (scope) => ({
      token: () => explained(scope, identity, () => current(scope)),
      renew: (refused) =>
        explained(scope, identity, async () => {
          const made = await held.get(scope)?.catch(() => undefined);
          if (made?.token === refused) held.delete(scope);
          return current(scope);
        }),
    }),
    mint: (repository) =>
      explained(repository, identity, () =>
        create(repository, { repositories: [repository.split('/')[1]], permissions: permissionsOfTurns }),
      ),
  };
}

/** Never issues, so that no turn moves a card, and never workflows. */
const permissionsOfTurns = { contents: 'write', pull_requests: 'write', metadata: 'read' };

/** No request begins with a token that ends before its answer. */
const marginMs = 300_000;

const installationSchema = z.object({ id: z.number() });
const tokenSchema = z.object({
  token: z.string().min(1),
  expires_at: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
});

/** Clocks differ: it is made as if a minute ago, and ends within the ten minutes that the vendor allows. */
const skewS = 60;
/** The library sets itself back by this much already. */
const skewOfLibraryS = 30;

function appCredential(identity: GitHubAppOptions['identity'], now: () => Instant): Credential {
  async function sign({ appId: id, privateKey }: AppIdentity): Promise<string> {
    const at = Math.floor(now() / 1_000) - (skewS - skewOfLibraryS);
    return (await githubAppJwt({ id, privateKey, now: at })).token;
  }
  return {
    token: async () => sign(await identity()),
    renew: async () => {
      const [before, after] = [await identity(), await identity('renewed')];
      const isSame = before.appId === after.appId && before.privateKey === after.privateKey;
      return isSame ? undefined : sign(after);
    },
  };
}

/**
 * What the App may not do is told as a token that is none: an error of any other kind would be taken for a word about the
 * issue or the person that the token was wanted for.
 */
async function explained<Value>(
  scope: string,
  identity: GitHubAppOptions['identity'],
  attempt: () => Promise<Value>,
): Promise<Value> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const app = `the GitHub App ${(await identity()).appId}`;
    const problem = {
      missing: scope.includes('/')
        ? `${app} is not installed on ${scope}; install it there, from "Install App" in its settings`
        : `${app} is not installed on an organisation ${scope}; install it there, from "Install App" in its settings; no App sees the project of a person, which takes a token of that person`,
      unauthorized: `GitHub does not take the key of ${app}; its id and its private key must belong together, and the clock of this machine must be right`,
      forbidden: `${app} may not act on ${scope} (${error.message}); see whether its installation is suspended`,
      refused: `${app} may not do what is needed on ${scope} (${error.message}); let it read and write contents, issues and pull requests, and accept that where it is installed; and see whether the repository has another name by now`,
    }[error.kind as string];
    throw problem === undefined ? error : new GitHubError('unauthorized', problem);
  }
}

import type { GitTokens } from '../../controller/ports.ts';
import type { Instant } from '../../core/issue.ts';
import { type Credential, personalToken } from './credential.ts';
import { codeHostOf, endpointOf, isInsecure } from './endpoint.ts';
import { type GitHubApp, githubApp } from './github-app.ts';
import { type GitHubClient, githubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import type { GitHubIdentity } from './identity.ts';

/** Where a board is; only those of the kinds `github` and `github-project` are meant. */
export interface BoardAddress {
  readonly kind: string;
  readonly endpoint?: string | undefined;
  /** `owner/repo`, or `owner/number` of a project. */
  readonly project: string;
}

/** How a deployment comes to GitHub: for its boards, and for its turns. */
export interface GitHubAccess {
  /** What this board is read and written through. Boards that share a quota share it, and are counted each for itself. */
  client(board: BoardAddress): GitHubClient;
  /** What turns get for repositories at the hosts of these boards, which are asked for anew each time. */
  gitTokens(boards: () => Promise<readonly BoardAddress[]>): GitTokens;
}

export interface GitHubAccessOptions {
  /**
   * Who the deployment is; `renewed` asks for what holds now instead of what was read before. Fails, with a message for
   * people, where nobody can say it.
   */
  readonly identity: (renewed?: 'renewed') => Promise<GitHubIdentity>;
  /** A person's token has one quota for every board; an App has one for each account that it is installed on. */
  readonly quotaOf: 'token' | 'owner';
  readonly userAgent: string;
  readonly now?: () => Instant;
}

export function githubAccess(options: GitHubAccessOptions): GitHubAccess {
  const identity = tellAsRefused(options.identity);
  const clients = new Map<string, GitHubClient>();
  const apps = new Map<string, GitHubApp>();

  function appAt(endpoint: string | undefined): GitHubApp {
    return keep(apps, endpoint ?? '', () =>
      githubApp({
        ...options,
        endpoint,
        identity: async (renewed) => {
          const known = await identity(renewed);
          if (known.kind === 'app') return known;
          throw new GitHubError('unauthorized', 'there is no GitHub App any more; a token took its place');
        },
      }),
    );
  }

  function credentialFor(endpoint: string | undefined, scope: string): Credential {
    const ofPerson = personalToken(async (renewed) => {
      const known = await identity(renewed);
      return known.kind === 'token' ? known.token : undefined;
    });
    const choose = async () =>
      (await identity()).kind === 'app' ? appAt(endpoint).credential(scope) : ofPerson;
    return {
      token: async () => (await choose()).token(),
      renew: async (refused) => (await choose()).renew(refused),
    };
  }

  return {
    client: ({ kind, endpoint, project }) => {
      const [account = ''] = project.split('/');
      // A project belongs to nobody's repository.
      const scope = kind === 'github-project' ? account : project;
      const owner = options.quotaOf === 'token' ? '' : account.toLowerCase();
      return keep(clients, `${endpoint ?? ''} ${owner}`, () =>
        githubClient({ ...options, endpoint, credential: credentialFor(endpoint, scope) }),
      ).share();
    },
    gitTokens: (boards) => ({
      mint: async (repository) => {
        const place = findCodeHost(repository, endpointsOf(await boards()));
        if (place === undefined) return 'none';
        const known = await identity();
        if (known.kind === 'app') {
          const { token, expiresAt } = await appAt(place.endpoint).mint(place.project);
          const revokeUrl = `${endpointOf(place.endpoint).rest}/installation/token`;
          return { username, password: token, expiresAt, revokeUrl };
        }
        if (known.gitToken === undefined) return 'none';
        return { username, password: known.gitToken, expiresAt: undefined, revokeUrl: undefined };
      },
    }),
  };
}

/** Whatever the vendor's git servers are told besides a token; they do not read it. */
const username = 'x-access-token';

/** Undefined is the vendor's own. */
export function endpointsOf(boards: readonly BoardAddress[]): readonly (string | undefined)[] {
  const atGitHub = boards.filter(({ kind }) => kind === 'github' || kind === 'github-project');
  return atGitHub.map(({ endpoint }) => endpoint);
}

interface Place {
  readonly endpoint: string | undefined;
  /** `owner/repo`. */
  readonly project: string;
}

/**
 * Where a repository is, if it is served by the host of one of these endpoints and its address is one that a token may be
 * sent to: no other host is ever told one, nor one in the clear, nor beside a name that stands in the address.
 */
export function findCodeHost(
  repository: string,
  endpoints: readonly (string | undefined)[],
): Place | undefined {
  if (!/^https?:\/\//i.test(repository) || !URL.canParse(repository) || isInsecure(repository))
    return undefined;
  const { host, pathname, username, password } = new URL(repository);
  const [, project] = /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(pathname) ?? [];
  if (project === undefined || username !== '' || password !== '') return undefined;
  const at = endpoints.findIndex((endpoint) => codeHostOf(endpoint).toLowerCase() === host);
  return at < 0 ? undefined : { endpoint: endpoints[at], project };
}

/** What is wrong with a person's settings is no absence and no outage: nothing is done until it is mended. */
function tellAsRefused(identity: GitHubAccessOptions['identity']): GitHubAccessOptions['identity'] {
  return async (renewed) => {
    try {
      return await identity(renewed);
    } catch (error) {
      throw new GitHubError('unauthorized', (error as Error).message);
    }
  };
}

function keep<Value>(kept: Map<string, Value>, key: string, make: () => Value): Value {
  const value = kept.get(key) ?? make();
  kept.set(key, value);
  return value;
}

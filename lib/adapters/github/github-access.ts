import type { GitTokens, PullRequests } from '../../controller/ports.ts';
import type { Instant } from '../../core/issue.ts';
import type { Credential } from './credential.ts';
import { deploymentCredentials } from './deployment-credentials.ts';
import { codeHostOf, endpointOf, isInsecure } from './endpoint.ts';
import { type GitHubClient, githubClient } from './github-client.ts';
import type { GitHubIdentity } from './identity.ts';
import { type HostedRepository, pullRequests } from './pull-requests.ts';

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
  /** The pull requests of what turns push to repositories at the same hosts. */
  pullRequests(boards: () => Promise<readonly BoardAddress[]>): PullRequests;
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
  const { identity, appAt, forBoard, forGit } = deploymentCredentials(options);
  const clients = new Map<string, GitHubClient>();
  const repositories = new Map<string, HostedRepository>();

  /** One for each quota, with the credential that asks for it first. */
  function clientOf(endpoint: string | undefined, quota: string, credential: Credential): GitHubClient {
    const key = `${endpoint ?? ''} ${quota}`;
    const kept = clients.get(key) ?? githubClient({ ...options, endpoint, credential });
    clients.set(key, kept);
    return kept;
  }

  function quotaOf(project: string): string {
    return options.quotaOf === 'token' ? '' : accountOf(project).toLowerCase();
  }

  /** What turns push with opens their pull requests too; the token of the board where there is no other. */
  async function reachRepository({ endpoint, project }: Place): Promise<HostedRepository> {
    const known = await identity();
    // Kept, so that what it takes is counted on.
    const reach = (access: string, quota: string, credential: Credential): HostedRepository => {
      const key = `${endpoint ?? ''} ${project} ${access}`;
      const client = () => clientOf(endpoint, quota, credential).share(credential);
      const codeHost = codeHostOf(endpoint);
      const kept = repositories.get(key) ?? { project, codeHost, client: client(), access };
      repositories.set(key, kept);
      return kept;
    };
    const quota = quotaOf(project);
    if (known.kind === 'app')
      return reach(`the GitHub App ${known.appId}`, quota, appAt(endpoint).credential(project));
    const credential = forGit();
    return known.gitToken === undefined
      ? reach('the token of the board', quota, credential)
      : reach('the token that turns push with', `${quota} git`, credential);
  }

  return {
    client: ({ kind, endpoint, project }) => {
      // A project belongs to nobody's repository.
      const scope = kind === 'github-project' ? accountOf(project) : project;
      return clientOf(endpoint, quotaOf(project), forBoard(endpoint, scope)).share();
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
    pullRequests: (boards) =>
      pullRequests(async (repository) => {
        const place = findCodeHost(onTheWeb(repository), endpointsOf(await boards()));
        return place && reachRepository(place);
      }),
  };
}

function accountOf(project: string): string {
  return project.split('/')[0] ?? '';
}

/** Whatever the vendor's git servers are told besides a token; they do not read it. */
const username = 'x-access-token';

/** Undefined is the vendor's own. */
export function endpointsOf(boards: readonly BoardAddress[]): readonly (string | undefined)[] {
  const atGitHub = boards.filter(({ kind }) => kind === 'github' || kind === 'github-project');
  return atGitHub.map(({ endpoint }) => endpoint);
}

/** Whether pull requests of a repository are known, of those that the hosts of these endpoints serve. */
export function isAtCodeHost(repository: string, endpoints: readonly (string | undefined)[]): boolean {
  return findCodeHost(onTheWeb(repository), endpoints) !== undefined;
}

/** The address on the web of a repository that git reaches by ssh. Pull requests are asked for at the board's own host. */
function onTheWeb(repository: string): string {
  const [, host, path] = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/]([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
  return host === undefined ? repository : `https://${host}/${path}`;
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

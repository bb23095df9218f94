import { personalToken } from '../../../lib/adapters/github/credential.ts';
import { codeHostOf } from '../../../lib/adapters/github/endpoint.ts';
import { type GitHubClient, githubClient } from '../../../lib/adapters/github/github-client.ts';
import { pullRequests } from '../../../lib/adapters/github/pull-requests.ts';
import type { PullRequests } from '../../../lib/controller/ports.ts';
import type { PullRequestsWorld, SeenPullRequest } from '../../contracts/pull-requests-world.ts';
import { type GitHubPerson, githubPerson } from './github-person.ts';
import { type PullRequest, type StateRefs, stateRefs } from './github-pulls.ts';
import { type GitHubServer, githubServer } from './github-server.ts';
import type { Repository } from './github-state.ts';

/** The pull requests of a repository at a GitHub server of its own. */
export interface GitHubPullRequestsWorld extends PullRequestsWorld {
  readonly server: GitHubServer;
  readonly home: Repository;
  readonly refs: StateRefs;
  readonly alice: GitHubPerson;
  readonly client: GitHubClient;
  /** The same, whose patience is at its end after the first look. */
  readonly hasty: PullRequests;
  /** Every one from branches of this name, those of forks too. */
  of(branch: string): readonly PullRequest[];
}

export async function makePullRequestsWorld(): Promise<GitHubPullRequestsWorld> {
  const server = await githubServer();
  const { state } = server;
  const { pulls } = state;
  const home = state.repository('acme/web');
  const alice = githubPerson(state, 'alice', { 'acme/web': 'write' });
  const refs = stateRefs();
  pulls.useRefs(home, refs);
  refs.point('develop', 'main');
  const repository = `${state.web}/acme/web.git`;
  const client = githubClient({
    credential: personalToken(() => server.token),
    endpoint: server.endpoint,
    userAgent: 'evenkeel/test',
    timing: { readMs: 20_000, writeMs: 20_000, retryMs: 1 },
  });
  const place = { project: 'acme/web', codeHost: codeHostOf(server.endpoint), client, access: 'this token' };
  const find = async (where: string) => (where === repository ? place : undefined);
  const of = (branch: string) => pulls.all.filter(({ head }) => head === branch);
  const openOne = (branch: string) => of(branch).findLast((one) => one.state === 'OPEN')!;
  return {
    ...{ server, home, refs, alice, client, repository, of },
    pullRequests: pullRequests(find, { tries: 5, pauseMs: 1, withinMs: 20_000 }),
    hasty: pullRequests(find, { tries: 5, pauseMs: 1, withinMs: 0 }),
    push: async (branch) => refs.push(branch),
    pushNothing: async (branch) => refs.point(branch, 'main'),
    deleteBranch: async (branch) => refs.remove(branch),
    merge: async (branch) => pulls.merge(openOne(branch)),
    close: async (branch) => pulls.close(openOne(branch)),
    open: async (branch, base) => void pulls.open(home, alice.account, { head: branch, base }),
    edit: async (branch, { draft, ...change }) => {
      const isDraft = draft ?? openOne(branch).isDraft;
      Object.assign(openOne(branch), change, { isDraft });
    },
    seen: async (branch) => of(branch).map(show),
    loseAnswer: () => server.fail('CreatePullRequest', 'lose'),
    breakDown: () => server.breakDown(),
    dispose: () => server.close(),
  };
}

function show({ number, state, title, body, isDraft, base }: PullRequest): SeenPullRequest {
  const kind = ({ OPEN: 'open', MERGED: 'merged', CLOSED: 'closed' } as const)[state];
  return { number, state: kind, title, body, draft: isDraft, base };
}

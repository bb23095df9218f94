import { setTimeout as pause } from 'node:timers/promises';
import type { PullRequests } from '../../controller/ports.ts';
import type { PullRequest, WantedPullRequest } from '../../core/pull-request.ts';
import { sumQuotas } from '../../core/tracker-quota.ts';
import { demandWhole, type GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { pageReader } from './list-pages.ts';
import { findMergedBranches } from './merged-branches.ts';
import {
  createPullRequest,
  isOwn,
  type ListedPullRequest,
  listPullRequests,
  readListed,
  readPullRequest,
  updatePullRequest,
} from './pull-request-queries.ts';
import { changedBody, newBody, titleOf } from './pull-request-text.ts';

/** A repository that pull requests are opened in. */
export interface HostedRepository {
  /** `owner/repo`. */
  readonly project: string;
  /** The host of the repository, as it stands in addresses for people. */
  readonly codeHost: string;
  readonly client: GitHubClient;
  /** Whose access the client has, for people. */
  readonly access: string;
}

/** What a push or a new pull request may take until the vendor shows it. */
const lag = { tries: 5, pauseMs: 2_000, withinMs: 12_000 };

/**
 * Pull requests of the repositories that `find` knows. `lag` is how often, how far apart, and for how long in all one is
 * looked for, because others wait meanwhile; a later call goes on.
 */
export function pullRequests(
  find: (repository: string) => Promise<HostedRepository | undefined>,
  lagging: typeof lag = lag,
): PullRequests {
  const reached = new Map<string, GitHubClient>();
  const reach = async (repository: string) => {
    const place = await find(repository);
    if (place !== undefined) reached.set(repository, place.client);
    return place;
  };
  return {
    quota: () => sumQuotas([...new Set(reached.values())].map((client) => client.spent())),
    async put(repository, wanted) {
      let place: HostedRepository | undefined;
      try {
        place = await reach(repository);
        return place === undefined ? 'none' : await put(place, wanted, lagging);
      } catch (error) {
        return { kind: 'refused', problem: explainRefusal(error, place) };
      }
    },
    async merged(repository, base, branches) {
      const place = branches.length === 0 ? undefined : await reach(repository);
      if (place === undefined) return new Map();
      return findMergedBranches(place.client, place.project, base, branches);
    },
  };
}

async function put(
  place: HostedRepository,
  wanted: WantedPullRequest,
  { tries, pauseMs, withinMs }: typeof lag,
): Promise<PullRequest | 'none'> {
  let draft = wanted.draft;
  const until = Date.now() + withinMs;
  for (let left = tries; ; left -= 1) {
    const { repositoryId, found } = await findOfBranch(place, wanted.branch);
    if (found !== undefined) return keepCurrent(place, found, wanted);
    const made = await create(place, repositoryId, { ...wanted, draft });
    if (made === 'none' || typeof made === 'object') return made;
    if (left <= 1) throw describeStanding(made, wanted.branch);
    if (made === 'no-drafts') draft = false;
    else if (Date.now() >= until) throw new GitHubError('late', 'GitHub takes long to show what was pushed');
    else await pause(pauseMs);
  }
}

/**
 * The one of this branch in any state, with what a new one would be opened in. Those of forks are of other branches. Where
 * there are several, an open one goes before a merged one, and that before a closed one; of these the newest.
 */
async function findOfBranch({ client, project }: HostedRepository, branch: string) {
  const [owner, name] = project.split('/');
  const read = async (size: number, after?: string) => {
    const variables = { owner, name, branch, size, after };
    const { data, errors } = await client.query(listPullRequests, variables, 'step');
    demandWhole(errors);
    return data.repository;
  };
  const pages = pageReader();
  const { id: repositoryId, pullRequests: first } = await pages.one(read);
  const nodes = await pages.rest(first, async (after, size) => (await read(size, after)).pullRequests);
  const own = nodes.map(readListed).filter((one) => isOwn(one, repositoryId));
  const found = order.map((state) => own.find((one) => one.state === state)).find((one) => one !== undefined);
  return { repositoryId, found };
}

const order = ['OPEN', 'MERGED', 'CLOSED'] as const;

const kinds = { OPEN: 'open', MERGED: 'merged', CLOSED: 'closed' } as const;

/** Writes our block, if it is there and says something else. A person has decided about one that is not open. */
async function keepCurrent(
  { client, codeHost }: HostedRepository,
  { id, number, url, state }: ListedPullRequest,
  wanted: WantedPullRequest,
): Promise<PullRequest> {
  if (state !== 'OPEN') return { kind: kinds[state], number, url };
  const { data, errors } = await client.query(readPullRequest, { id }, 'step');
  demandWhole(errors);
  const { node } = data;
  const body = node.state === 'OPEN' ? changedBody(node.body, wanted, codeHost) : undefined;
  if (body !== undefined && body !== node.body)
    demandWhole((await client.mutate(updatePullRequest, { id, body })).errors);
  return { kind: kinds[node.state], number, url };
}

/** Why none was made: what may pass with the vendor's lag, and what another try does differently. */
type Obstacle = 'exists' | 'no-branch' | 'no-drafts';

async function create(
  { client, codeHost }: HostedRepository,
  repository: string,
  wanted: WantedPullRequest,
): Promise<PullRequest | 'none' | Obstacle> {
  const { branch, base, draft } = wanted;
  const texts = { title: titleOf(wanted, codeHost), body: newBody(wanted, codeHost) };
  const { data, errors } = await client.mutate(createPullRequest, {
    ...{ repository, branch, base, draft },
    ...texts,
  });
  const made = data?.createPullRequest?.pullRequest;
  if (made != null) return { kind: 'open', ...made };
  const said = errors[0]?.message ?? '';
  const refusal = refusals.find(({ says }) => says.test(said));
  if (refusal?.means === 'no-base')
    throw new GitHubError('refused', `there is no branch '${base}' to merge into; correct \`base\``);
  if (refusal !== undefined) return refusal.means;
  demandWhole(errors);
  throw new GitHubError('broken', 'GitHub did not say which pull request it made');
}

/** In this order: where a branch is not there, the vendor says as well that there are no commits between the two. */
const refusals = [
  { says: /already exists/i, means: 'exists' },
  { says: /base ref must be a branch/i, means: 'no-base' },
  { says: /head (ref must be a branch|sha can't be blank)/i, means: 'no-branch' },
  { says: /no commits between/i, means: 'none' },
  { says: /draft pull requests are not supported/i, means: 'no-drafts' },
] as const;

function describeStanding(obstacle: Obstacle, branch: string): GitHubError {
  return obstacle === 'exists'
    ? new GitHubError('broken', 'GitHub says that there is a pull request, and does not show it')
    : new GitHubError('refused', `GitHub shows no branch ${branch}`);
}

/** What was certainly not done, in words for people; anything else is thrown again. */
function explainRefusal(error: unknown, place: HostedRepository | undefined): string {
  if (!(error instanceof GitHubError)) throw error;
  const { kind, message } = error;
  if (!['unauthorized', 'forbidden', 'missing', 'refused'].includes(kind)) throw error;
  if (place === undefined || kind === 'refused') return message;
  const { access, project } = place;
  return kind === 'unauthorized'
    ? `${message} (${access})`
    : `${access} may not write pull requests of ${project} (${message}); let it read contents there, and read and write pull requests`;
}

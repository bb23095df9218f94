import { type PageArguments, pageOf, typedError } from './answer-page.ts';
import type { Views } from './answer-queries.ts';
import type { PullRequest } from './github-pulls.ts';
import type { GitHubState, Repository } from './github-state.ts';

type Input<Fields> = { readonly input: Fields };

interface NewPull {
  readonly repositoryId: string;
  readonly headRefName: string;
  readonly baseRefName: string;
  readonly title: string;
  readonly body?: string | null;
  readonly draft?: boolean | null;
}

interface PullFilter extends PageArguments {
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly states?: readonly string[] | null;
}

/** What a repository shows of its branches and pull requests. */
export function viewPulls(state: GitHubState, repository: Repository) {
  const { pulls } = state;
  return {
    pullRequests: ({ headRefName, baseRefName, states, ...asked }: PullFilter) => {
      if (pulls.access === 'none') throw forbidden();
      const shown = pulls
        .listed(repository)
        .filter(
          ({ head, base, state: stands }) =>
            (headRefName == null || head === headRefName) &&
            (baseRefName == null || base === baseRefName) &&
            (states == null || states.includes(stands)),
        );
      return pageOf(shown, (pull) => viewPull(state, pull), asked);
    },
    ref: ({ qualifiedName }: { qualifiedName: string }) => {
      const oid = pulls.refs(repository).oid(qualifiedName.replace(/^refs\/heads\//, ''));
      return oid === undefined || !pulls.showsBranches ? null : { target: { __typename: 'Commit', oid } };
    },
  };
}

export function viewPull({ web, pulls }: GitHubState, pull: PullRequest) {
  const { id, number, repository, fork, head, base, title, body, isDraft, state } = pull;
  return {
    __typename: 'PullRequest',
    ...{ id, number, title, body, isDraft, state },
    headRefOid: pulls.headOf(pull),
    url: `${web}/${repository.owner}/${repository.name}/pull/${number}`,
    headRefName: head,
    baseRefName: base,
    isCrossRepository: fork !== undefined && !pull.forkIsGone,
    headRepository: pull.forkIsGone ? null : { id: fork === undefined ? repository.id : `R_${fork}` },
    mergedAt: pull.state === 'MERGED' ? new Date(pull.endedAt!).toISOString().replace(/\.\d+Z$/, 'Z') : null,
  };
}

/** The roots that write pull requests. `after` is told of each when it is done. */
export function answerPulls(views: Views, after: (field: string) => void): Record<string, unknown> {
  const { state } = views;
  const { pulls } = state;
  const done = (field: string, pull: PullRequest) => {
    after(field);
    return { pullRequest: viewPull(state, pull) };
  };
  return {
    createPullRequest: ({ input }: Input<NewPull>) => {
      const repository = state.repositories.find(({ id }) => id === input.repositoryId);
      if (repository === undefined) throw notFound(input.repositoryId);
      if (pulls.access !== 'write') throw forbidden();
      const problem = refuseNew(views, repository, input);
      // The vendor answers with a payload that holds nothing.
      if (problem !== undefined) {
        return {
          pullRequest: () => {
            throw typedError('UNPROCESSABLE', problem);
          },
        };
      }
      const { headRefName: head, baseRefName: base, title, body, draft } = input;
      const fields = { head, base, title, body: body ?? '', isDraft: draft ?? false };
      return done('createPullRequest', pulls.open(repository, views.viewer(), fields));
    },
    updatePullRequest: ({ input }: Input<{ pullRequestId: string; body: string }>) => {
      const pull = pulls.all.find(({ id }) => id === input.pullRequestId);
      if (pull === undefined) throw notFound(input.pullRequestId);
      if (pulls.access !== 'write') throw forbidden();
      if (input.body.length > longestBody) throw typedError('UNPROCESSABLE', 'Body is too long');
      pull.body = input.body;
      return done('updatePullRequest', pull);
    },
  };
}

const longestBody = 65_536;

/** In the vendor's words, all that is wrong in one line. */
function refuseNew({ state }: Views, repository: Repository, input: NewPull): string | undefined {
  const { pulls } = state;
  const { headRefName: head, baseRefName: base, title, body, draft } = input;
  if (title.length > 256) return 'Title is too long (maximum is 256 characters)';
  if ((body ?? '').length > longestBody) return `Body is too long (maximum is ${longestBody} characters)`;
  const noHead = !pulls.sees(repository, head);
  const noBase = pulls.refs(repository).oid(base) === undefined;
  if (noHead || noBase) {
    const names = [...(noHead ? ['Head'] : []), ...(noBase ? ['Base'] : [])];
    const refs = names.map((name) => `, ${name} ref must be a branch`).join('');
    return `Head sha can't be blank, Base sha can't be blank, No commits between ${base} and ${head}${refs}`;
  }
  const isThere = pulls.all.some(
    (one) =>
      one.repository === repository &&
      one.fork === undefined &&
      one.state === 'OPEN' &&
      one.head === head &&
      one.base === base,
  );
  if (isThere) return `A pull request already exists for ${repository.owner}:${head}.`;
  if (!pulls.refs(repository).isAhead(base, head)) return `No commits between ${base} and ${head}`;
  return draft && !pulls.takesDrafts
    ? 'Draft pull requests are not supported in this repository.'
    : undefined;
}

function forbidden() {
  return typedError('FORBIDDEN', 'Resource not accessible by personal access token');
}

function notFound(id: string) {
  return typedError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`);
}

import * as z from 'zod';
import type { Operation } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { pageSchema } from './list-pages.ts';

const states = z.enum(['OPEN', 'CLOSED', 'MERGED']);

/** What tells a branch of the repository from one of the same name in a fork. */
export const originText = 'isCrossRepository headRepository { id }';
export const originSchema = z.object({
  isCrossRepository: z.boolean(),
  /** Null where the fork is gone. */
  headRepository: z.object({ id: z.string() }).nullable(),
});

/** Only of what is seen to be in the repository itself. */
export function isOwn(
  { isCrossRepository, headRepository }: z.output<typeof originSchema>,
  repository: string,
) {
  return !isCrossRepository && headRepository?.id === repository;
}

/** One from the branch, as a list shows it. */
const listedSchema = z.object({
  id: z.string(),
  number: z.number(),
  url: z.string(),
  state: states,
  ...originSchema.shape,
});
export type ListedPullRequest = z.output<typeof listedSchema>;

export function readListed(node: unknown): ListedPullRequest {
  const parsed = listedSchema.safeParse(node);
  if (parsed.success) return parsed.data;
  throw new GitHubError('broken', 'a pull request came in a form that is not understood');
}

const listSchema = z.object({ repository: z.object({ id: z.string(), pullRequests: pageSchema }) });
/** Every one from branches of this name, newest first. */
export const listPullRequests: Operation<z.output<typeof listSchema>> = {
  text: `query ListPullRequests($owner: String!, $name: String!, $branch: String!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    id
    pullRequests(headRefName: $branch, first: $size, after: $after, orderBy: {field: CREATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes { id number url state ${originText} }
    }
  }
}`,
  data: listSchema,
};

const readSchema = z.object({ node: z.object({ state: states, body: z.string() }) });
export const readPullRequest: Operation<z.output<typeof readSchema>> = {
  text: `query ReadPullRequest($id: ID!) {
  node(id: $id) { ... on PullRequest { state body } }
}`,
  data: readSchema,
};

const createSchema = z
  .object({
    createPullRequest: z
      .object({ pullRequest: z.object({ number: z.number(), url: z.string() }).nullish() })
      .nullish(),
  })
  .nullish();
export const createPullRequest: Operation<z.output<typeof createSchema>> = {
  text: `mutation CreatePullRequest($repository: ID!, $branch: String!, $base: String!, $title: String!, $body: String!, $draft: Boolean!) {
  createPullRequest(input: {repositoryId: $repository, headRefName: $branch, baseRefName: $base, title: $title, body: $body, draft: $draft}) {
    pullRequest { number url }
  }
}`,
  data: createSchema,
};

const updateSchema = z.object({ updatePullRequest: z.unknown() });
export const updatePullRequest: Operation<z.output<typeof updateSchema>> = {
  text: `mutation UpdatePullRequest($id: ID!, $body: String!) {
  updatePullRequest(input: {pullRequestId: $id, body: $body}) { pullRequest { id } }
}`,
  data: updateSchema,
};

import * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import { demandWhole, type GitHubClient, type Operation } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { isOwn, originSchema, originText } from './pull-request-queries.ts';

/** One request asks for so many branches, at the price of one point. */
const mostBranches = 100;
/** Of one branch; more can only be of forks. */
const mostMerges = 20;

/**
 * Those of these branches that have a merged pull request into `base`, and hold nothing newer: the branch is gone since, or
 * stands where it was merged; with the time of the last such merge. Throws a `GitHubError` where that cannot be told of each.
 */
export async function findMergedBranches(
  client: GitHubClient,
  project: string,
  base: string,
  branches: readonly string[],
): Promise<ReadonlyMap<string, Instant>> {
  const [owner, name] = project.split('/');
  const merged = new Map<string, Instant>();
  for (let at = 0; at < branches.length; at += mostBranches) {
    const some = branches.slice(at, at + mostBranches);
    const variables = Object.fromEntries(
      some.flatMap((branch, n) => [
        [`b${n}`, branch],
        [`r${n}`, `refs/heads/${branch}`],
      ]),
    );
    const { data, errors } = await client.query(
      askFor(some.length),
      { owner, name, base, baseRef: `refs/heads/${base}`, ...variables },
      'survey',
    );
    demandWhole(errors);
    if (data.repository.base === null)
      throw new GitHubError('refused', `GitHub shows no branch '${base}' of ${project}`);
    for (const [n, branch] of some.entries()) {
      const at = findMerge(data.repository, n);
      if (at !== undefined) merged.set(branch, at);
    }
  }
  return merged;
}

const pullRequestsSchema = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean() }),
  nodes: z.array(z.object({ ...originSchema.shape, headRefOid: z.string(), mergedAt: z.iso.datetime() })),
});
const refSchema = z.object({ target: z.object({ oid: z.string() }) }).nullable();
/** The base comes along because it is known to be there: who does not see it would take every branch for gone. */
const answerSchema = z.object({ repository: z.looseObject({ id: z.string(), base: refSchema }) });
type Repository = z.output<typeof answerSchema>['repository'];

function askFor(count: number): Operation<z.output<typeof answerSchema>> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const variables = numbers.map((n) => `, $b${n}: String!, $r${n}: String!`).join('');
  const fields = numbers.map(
    (n) => `
    b${n}: pullRequests(headRefName: $b${n}, baseRefName: $base, states: MERGED, first: ${mostMerges}) { pageInfo { hasNextPage } nodes { ${originText} headRefOid mergedAt } }
    r${n}: ref(qualifiedName: $r${n}) { target { oid } }`,
  );
  return {
    text: `query FindMergedBranches($owner: String!, $name: String!, $base: String!, $baseRef: String!${variables}) {
  repository(owner: $owner, name: $name) {
    id
    base: ref(qualifiedName: $baseRef) { target { oid } }${fields.join('')}
  }
}`,
    data: answerSchema,
  };
}

function findMerge(repository: Repository, n: number): Instant | undefined {
  const merges = pullRequestsSchema.safeParse(repository[`b${n}`]);
  const ref = refSchema.safeParse(repository[`r${n}`]);
  if (!merges.success || !ref.success)
    throw new GitHubError('broken', 'an answer of GitHub is not what was asked for');
  const own = merges.data.nodes.filter((one) => isOwn(one, repository.id));
  const now = ref.data?.target.oid;
  const found = own.filter(({ headRefOid }) => now === undefined || headRefOid === now);
  if (found.length === 0 && merges.data.pageInfo.hasNextPage)
    throw new GitHubError('refused', 'a branch has more merged pull requests than are looked through');
  return found.length === 0 ? undefined : Math.max(...found.map(({ mergedAt }) => Date.parse(mergedAt)));
}

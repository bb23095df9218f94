import * as z from 'zod';
import { demandWhole, type GitHubClient, type Operation } from './github-client.ts';
import { GitHubError } from './github-error.ts';

/** One request asks for so many branches, at the price of one point. */
const mostBranches = 100;
/** Of one branch; more can only be of forks. */
const mostMerges = 20;

/**
 * Those of these branches that have a merged pull request into `base`, and hold nothing newer: the branch is gone since, or
 * stands where it was merged. Throws a `GitHubError` where that cannot be told of each.
 */
export async function findMergedBranches(
  client: GitHubClient,
  project: string,
  base: string,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const [owner, name] = project.split('/');
  const merged = new Set<string>();
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
      { owner, name, base, ...variables },
      'survey',
    );
    demandWhole(errors);
    for (const [n, branch] of some.entries()) if (isMerged(data.repository, n)) merged.add(branch);
  }
  return merged;
}

const pullRequestsSchema = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean() }),
  nodes: z.array(z.object({ isCrossRepository: z.boolean(), headRefOid: z.string() })),
});
const refSchema = z.object({ target: z.object({ oid: z.string() }) }).nullable();
const answerSchema = z.object({ repository: z.record(z.string(), z.unknown()) });
type Repository = z.output<typeof answerSchema>['repository'];

function askFor(count: number): Operation<z.output<typeof answerSchema>> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const variables = numbers.map((n) => `, $b${n}: String!, $r${n}: String!`).join('');
  const fields = numbers.map(
    (n) => `
    b${n}: pullRequests(headRefName: $b${n}, baseRefName: $base, states: MERGED, first: ${mostMerges}) { pageInfo { hasNextPage } nodes { isCrossRepository headRefOid } }
    r${n}: ref(qualifiedName: $r${n}) { target { oid } }`,
  );
  return {
    text: `query FindMergedBranches($owner: String!, $name: String!, $base: String!${variables}) {
  repository(owner: $owner, name: $name) {${fields.join('')}
  }
}`,
    data: answerSchema,
  };
}

function isMerged(repository: Repository, n: number): boolean {
  const merges = pullRequestsSchema.safeParse(repository[`b${n}`]);
  const ref = refSchema.safeParse(repository[`r${n}`]);
  if (!merges.success || !ref.success)
    throw new GitHubError('broken', 'an answer of GitHub is not what was asked for');
  const own = merges.data.nodes.filter(({ isCrossRepository }) => !isCrossRepository);
  const now = ref.data?.target.oid;
  const found = own.some(({ headRefOid }) => now === undefined || headRefOid === now);
  if (!found && merges.data.pageInfo.hasNextPage)
    throw new GitHubError('refused', 'a branch has more merged pull requests than are looked through');
  return found;
}

import * as z from 'zod';
import type { IssueId } from '../../core/issue.ts';
import { demandWhole, type GitHubClient, type Operation } from './github-client.ts';

/** What people call an issue: `web#42`, `acme/web#42`, `#42` or `42`. */
interface CalledIssue {
  readonly repository: string | undefined;
  readonly number: number;
}

function readKey(key: string): CalledIssue | undefined {
  const [, repository, number] = /^(?:([\w.-]+(?:\/[\w.-]+)?)#|#?)([1-9]\d{0,8})$/.exec(key.trim()) ?? [];
  return number === undefined ? undefined : { repository, number: Number(number) };
}

/** The issue of this repository that is called so. Throws a `GitHubError` where that cannot be told. */
export async function findIssue(
  client: GitHubClient,
  project: string,
  key: string,
): Promise<IssueId | undefined> {
  const called = readKey(key);
  if (called === undefined || !isOf(called.repository, project)) return undefined;
  return (await look(client, project, called.number))?.id;
}

/** The card of this project, by its owner and number, whose issue is called so. */
export async function findCard(
  client: GitHubClient,
  {
    owner,
    number,
    repository,
  }: { readonly owner: string; readonly number: number; readonly repository: string | undefined },
  key: string,
): Promise<IssueId | undefined> {
  const called = readKey(key);
  const place = repository ?? (called?.repository && hosted(owner, called.repository));
  if (called === undefined || place === undefined || !isOf(called.repository, place)) return undefined;
  const cards = (await look(client, place, called.number))?.projectItems.nodes ?? [];
  return cards.find(({ project }) => project.number === number && isSame(project.owner.login, owner))?.id;
}

function hosted(owner: string, repository: string): string {
  return repository.includes('/') ? repository : `${owner}/${repository}`;
}

function isOf(called: string | undefined, project: string): boolean {
  if (called === undefined) return true;
  return isSame(called, called.includes('/') ? project : (project.split('/')[1] ?? ''));
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function look(client: GitHubClient, place: string, number: number) {
  const [owner, name] = place.split('/');
  const { data, errors } = await client.query(findOperation, { owner, name, number }, 'step');
  const found = data.repository?.issueOrPullRequest;
  const isMissing = found == null && errors.length > 0 && errors.every(({ type }) => type === 'NOT_FOUND');
  if (!isMissing) demandWhole(errors);
  return found != null && 'id' in found ? found : undefined;
}

const id = z.string().transform((text) => text as IssueId);
const issueSchema = z.object({
  __typename: z.literal('Issue'),
  id,
  projectItems: z.object({
    nodes: z.array(
      z.object({
        id,
        project: z.object({ number: z.int(), owner: z.object({ login: z.string().default('') }) }),
      }),
    ),
  }),
});
const otherSchema = z.object({ __typename: z.string().refine((name) => name !== 'Issue') });
const findSchema = z.object({
  repository: z.object({ issueOrPullRequest: z.union([issueSchema, otherSchema]).nullable() }).nullable(),
});

const findOperation: Operation<z.output<typeof findSchema>> = {
  text: `query FindIssue($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue {
        id
        projectItems(first: 50) { nodes { id project { number owner { ... on Organization { login } ... on User { login } } } } }
      }
    }
  }
}`,
  data: findSchema,
};

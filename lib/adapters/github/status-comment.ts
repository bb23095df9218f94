import * as z from 'zod';
import type { Commented } from '../../controller/ports.ts';
import { demandWhole, type GitHubClient, type Operation } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { fitText, longestBody, makeHarmless } from './harmless-text.ts';

export interface StatusComment {
  readonly marker: string;
  readonly body: string;
  readonly ref: string | undefined;
}

/** Older comments than these are not looked through. */
const mostPages = 20;

/**
 * Puts the one status comment of an issue: the one it was told of, else the one of our own account that holds the marker,
 * else a new one. The latest comments are looked at first. Throws a `GitHubError` where a later try may do better; a
 * repetition adds no second comment.
 */
export async function putComment(
  client: GitHubClient,
  issueId: string,
  comment: StatusComment,
): Promise<Commented> {
  try {
    return { ref: await put(client, issueId, comment) };
  } catch (error) {
    if (!(error instanceof GitHubError) || !lasting.includes(error.kind)) throw error;
    return { problem: error.message };
  }
}

/** A locked issue, or a token that may not: the next try would be refused as well. */
const lasting: readonly GitHubError['kind'][] = ['forbidden', 'missing', 'refused'];

async function put(client: GitHubClient, issueId: string, comment: StatusComment): Promise<string> {
  const body = printable(comment);
  if (comment.ref !== undefined && (await replace(client, comment.ref, body))) return comment.ref;
  const found = await find(client, issueId, comment.marker);
  if (found !== undefined && (await replace(client, found, body))) return found;
  const { data, errors } = await client.mutate(addComment, { issue: issueId, body });
  const made = data.addComment?.commentEdge?.node?.id;
  if (made !== undefined) return made;
  demandWhole(errors);
  throw new Error('GitHub did not say which comment it made.');
}

/** False when there is no such comment any more. */
async function replace(client: GitHubClient, id: string, body: string): Promise<boolean> {
  const { errors } = await client.mutate(updateComment, { id, body });
  if (errors.length > 0 && errors.every(({ type }) => type === 'NOT_FOUND')) return false;
  demandWhole(errors);
  return true;
}

async function find(client: GitHubClient, issue: string, marker: string): Promise<string | undefined> {
  let before: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, errors } = await client.query(listComments, { issue, before }, 'step');
    demandWhole(errors);
    const { nodes, pageInfo } = data.node.comments;
    const ours = nodes.findLast(({ viewerDidAuthor, body }) => viewerDidAuthor && body.includes(marker));
    if (ours !== undefined) return ours.id;
    if (!pageInfo.hasPreviousPage || pageInfo.startCursor === null) return undefined;
    before = pageInfo.startCursor;
  }
  return undefined;
}

/** The body with its marker, harmless, and no longer than the vendor takes. */
function printable({ body, marker }: StatusComment): string {
  const text = fitText(makeHarmless(body.replaceAll(marker, '')), longestBody - marker.length - 2);
  return `${text.trimEnd()}\n${marker}`;
}

const listSchema = z.object({
  node: z.object({
    comments: z.object({
      pageInfo: z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullable() }),
      nodes: z.array(z.object({ id: z.string(), body: z.string(), viewerDidAuthor: z.boolean() })),
    }),
  }),
});
const listComments: Operation<z.output<typeof listSchema>> = {
  text: `query ListComments($issue: ID!, $before: String) {
  node(id: $issue) {
    ... on Issue { comments(last: 100, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { id body viewerDidAuthor } } }
  }
}`,
  data: listSchema,
};

const addSchema = z.object({
  addComment: z
    .object({ commentEdge: z.object({ node: z.object({ id: z.string() }).nullish() }).nullish() })
    .nullish(),
});
const addComment: Operation<z.output<typeof addSchema>> = {
  text: `mutation AddComment($issue: ID!, $body: String!) {
  addComment(input: {subjectId: $issue, body: $body}) { commentEdge { node { id } } }
}`,
  data: addSchema,
};

const updateSchema = z.object({ updateIssueComment: z.unknown() });
const updateComment: Operation<z.output<typeof updateSchema>> = {
  text: `mutation UpdateComment($id: ID!, $body: String!) {
  updateIssueComment(input: {id: $id, body: $body}) { issueComment { id } }
}`,
  data: updateSchema,
};

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
 * else a new one. The latest comments are looked at first. Throws a `GitHubError` where a later try may do better; neither
 * a repetition nor somebody who puts it at the same time leaves a second comment.
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
  const found = await findOne(client, issueId, comment.marker);
  if (found !== undefined && (await replace(client, found, body))) return found;
  const made = await add(client, issueId, body);
  // A tick and the event of the same turn's end may both have found none and made one: then both keep the first.
  const kept = (await findOne(client, issueId, comment.marker)) ?? made;
  if (kept !== made) await replace(client, kept, body);
  return kept;
}

async function add(client: GitHubClient, issue: string, body: string): Promise<string> {
  const { data, errors } = await client.mutate(addComment, { issue, body });
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

/** The comment of our own account that holds the marker; where there are several, the first, and the others are taken back. */
async function findOne(client: GitHubClient, issue: string, marker: string): Promise<string | undefined> {
  let before: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, errors } = await client.query(listComments, { issue, before }, 'step');
    demandWhole(errors);
    const { nodes, pageInfo } = data.node.comments;
    const [first, ...others] = nodes.filter(
      ({ viewerDidAuthor, body }) => viewerDidAuthor && body.includes(marker),
    );
    for (const { id } of others) await takeBack(client, id);
    if (first !== undefined) return first.id;
    if (!pageInfo.hasPreviousPage || pageInfo.startCursor === null) return undefined;
    before = pageInfo.startCursor;
  }
  return undefined;
}

/** Somebody else may have been quicker. */
async function takeBack(client: GitHubClient, id: string): Promise<void> {
  const { errors } = await client.mutate(deleteComment, { id });
  demandWhole(errors.filter(({ type }) => type !== 'NOT_FOUND'));
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

const deleteSchema = z.object({ deleteIssueComment: z.unknown() });
const deleteComment: Operation<z.output<typeof deleteSchema>> = {
  text: `mutation DeleteComment($id: ID!) {
  deleteIssueComment(input: {id: $id}) { clientMutationId }
}`,
  data: deleteSchema,
};

import * as z from 'zod';
import type { Operation } from './github-client.ts';
import { listedFields, wholeFields, wholeSchema } from './issue-fields.ts';
import { pageSchema } from './list-pages.ts';
import type { NodesOperation } from './read-nodes.ts';

/** The texts of a board of labels. test/support/github holds each against the vendor's schema. */

const labelPage = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  nodes: z.array(z.object({ id: z.string(), name: z.string() })),
});
const viewer = z.object({ login: z.string() });

const surveySchema = z.object({
  viewer,
  repository: z.object({
    isArchived: z.boolean(),
    hasIssuesEnabled: z.boolean(),
    labels: labelPage,
    issues: pageSchema.optional(),
    handoff: z.object({ totalCount: z.int() }).optional(),
  }),
});

/** The contract; with `$list` also the first page of the active issues and the number of those that were handed off. */
export const survey: Operation<z.output<typeof surveySchema>> = {
  text: `query Survey($owner: String!, $name: String!, $active: [String!], $handoff: [String!], $size: Int!, $list: Boolean!) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    isArchived hasIssuesEnabled
    labels(first: 100, orderBy: {field: CREATED_AT, direction: ASC}) { pageInfo { hasNextPage endCursor } nodes { id name } }
    issues(first: $size, states: [OPEN], labels: $active, orderBy: {field: CREATED_AT, direction: ASC}) @include(if: $list) {
      pageInfo { hasNextPage endCursor } nodes { ...Listed }
    }
    handoff: issues(first: 1, states: [OPEN], labels: $handoff) @include(if: $list) { totalCount }
  }
}${listedFields}`,
  data: surveySchema,
};
const moreLabelsSchema = z.object({ repository: z.object({ labels: labelPage }) });
export const moreLabels: Operation<z.output<typeof moreLabelsSchema>> = {
  text: `query MoreLabels($owner: String!, $name: String!, $after: String!) {
  repository(owner: $owner, name: $name) {
    labels(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) { pageInfo { hasNextPage endCursor } nodes { id name } }
  }
}`,
  data: moreLabelsSchema,
};

const pageOfIssues = z.object({ repository: z.object({ issues: pageSchema }) });
export const listIssues: Operation<z.output<typeof pageOfIssues>> = {
  text: `query ListIssues($owner: String!, $name: String!, $labels: [String!]!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: $size, after: $after, states: [OPEN], labels: $labels, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor } nodes { ...Listed }
    }
  }
}${listedFields}`,
  data: pageOfIssues,
};

const countSchema = z.object({
  repository: z.object({ issues: z.object({ totalCount: z.int() }) }),
});
export const countIssues: Operation<z.output<typeof countSchema>> = {
  text: `query CountIssues($owner: String!, $name: String!, $labels: [String!]!) {
  repository(owner: $owner, name: $name) { issues(first: 1, states: [OPEN], labels: $labels) { totalCount } }
}`,
  data: countSchema,
};

const place = z.object({ viewer, repository: z.object({ id: z.string() }) });
export type Place = z.output<typeof place>;
/** Something else may have the id by now: an issue that was made a discussion. */
const other = z.object({ __typename: z.string().refine((name) => name !== 'Issue') });
const wholeNode = z.union([z.object({ __typename: z.literal('Issue'), ...wholeSchema.shape }), other]);
export type WholeNode = z.output<typeof wholeNode>;

export const readIssues: NodesOperation<Place, WholeNode> = {
  text: `query ReadIssues($owner: String!, $name: String!, $ids: [ID!]!) {
  viewer { login }
  repository(owner: $owner, name: $name) { id }
  nodes(ids: $ids) { __typename ...Whole }
}${wholeFields}`,
  place,
  node: wholeNode,
};

const standing = z.object({
  state: z.string(),
  labels: z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })) }),
});
/** An issue's labels and whether it is open, right after a part of a move. */
export type Standing = z.output<typeof standing>;
const part = z.object({ labelable: standing.nullable() }).nullish();
const moveSchema = z.object({ add: part, remove: part });

/** The parts are done in this order, each by itself: an issue is never without a label for a moment. */
export const moveLabels: Operation<z.output<typeof moveSchema>> = {
  text: `mutation MoveLabels($issue: ID!, $add: [ID!]!, $remove: [ID!]!, $adds: Boolean!, $removes: Boolean!) {
  add: addLabelsToLabelable(input: {labelableId: $issue, labelIds: $add}) @include(if: $adds) { labelable { ...Standing } }
  remove: removeLabelsFromLabelable(input: {labelableId: $issue, labelIds: $remove}) @include(if: $removes) { labelable { ...Standing } }
}
fragment Standing on Labelable { ... on Issue { state } labels(first: 100) { nodes { id name } } }`,
  data: moveSchema,
};

import * as z from 'zod';
import type { Operation } from './github-client.ts';
import { promptText, type WaitsFor, waitsForSchema, waitsForText } from './issue-fields.ts';
import { pageSchema } from './list-pages.ts';
import {
  type CardNode,
  cardFields,
  cardNode,
  countedText,
  movesSchema,
  movesText,
  otherContent,
  status,
  statusSchema,
} from './project-card-fields.ts';
import type { NodesOperation } from './read-nodes.ts';

/** The texts of a board that is a project. test/support/github holds each against the vendor's schema. */

const boardFields = `
fragment Board on ProjectV2 {
  id closed viewerCanUpdate
  field(name: "Status") { __typename ... on ProjectV2SingleSelectField { id options { id name } } }
}`;
const boardSchema = z.object({
  id: z.string(),
  closed: z.boolean(),
  viewerCanUpdate: z.boolean(),
  /** Null where there is no such field, and without options where it is one of another type. */
  field: z
    .object({
      id: z.string().optional(),
      options: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
    })
    .nullable(),
});
export type ProjectFields = z.output<typeof boardSchema>;

const viewer = z.object({ login: z.string() });
const ownerOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object({
      __typename: z.string(),
      projectV2: z.object({ ...boardSchema.shape, ...shape }).nullish(),
    })
    .nullable();
const repositorySchema = z
  .object({ id: z.string(), isArchived: z.boolean(), hasIssuesEnabled: z.boolean() })
  .nullish();

/** The repository whose issues are worked on, where the workflow names one of this host. */
const repositoryFields =
  'repository(owner: $repositoryOwner, name: $repositoryName) @include(if: $hasRepository) { id isArchived hasIssuesEnabled }';
const ownVariables =
  '$owner: String!, $number: Int!, $repositoryOwner: String!, $repositoryName: String!, $hasRepository: Boolean!';

/** Not all of them: whoever counts has the whole number as well. */
const countedPage = z.object({ totalCount: z.int(), ...pageSchema.shape });
export type CountedPage = z.output<typeof countedPage>;
const surveySchema = z.object({
  viewer,
  repositoryOwner: ownerOf({ items: pageSchema.optional(), handoff: countedPage.optional() }),
  repository: repositorySchema,
});
export type SurveyedProject = z.output<typeof surveySchema>;

/** The contract; with `$list` also the first page of the active cards, and of those that were handed off. */
export const surveyProject: Operation<SurveyedProject> = {
  text: `query SurveyProject(${ownVariables}, $active: String, $handoff: String, $list: Boolean!, $count: Boolean!, $size: Int!) {
  viewer { login }
  repositoryOwner(login: $owner) {
    __typename
    ... on ProjectV2Owner {
      projectV2(number: $number) {
        ...Board
        items(first: $size, query: $active) @include(if: $list) { pageInfo { hasNextPage endCursor } nodes { ...Card } }
        handoff: items(first: $size, query: $handoff) @include(if: $count) { ${countedText} }
      }
    }
  }
  ${repositoryFields}
}${boardFields}${cardFields}`,
  data: surveySchema,
};

const pageOf = <Items extends z.ZodType>(items: Items) =>
  z.object({ repositoryOwner: z.object({ projectV2: z.object({ items }) }) });
const pageText = (
  name: string,
  fields: string,
) => `query ${name}($owner: String!, $number: Int!, $filter: String, $size: Int!, $after: String) {
  repositoryOwner(login: $owner) {
    ... on ProjectV2Owner {
      projectV2(number: $number) { items(first: $size, after: $after, query: $filter) { ${fields} } }
    }
  }
}`;
const pageOfCards = pageOf(pageSchema);
export const listCards: Operation<z.output<typeof pageOfCards>> = {
  text: `${pageText('ListCards', 'pageInfo { hasNextPage endCursor } nodes { ...Card }')}${cardFields}`,
  data: pageOfCards,
};

const pageOfCounted = pageOf(countedPage);
export const countCards: Operation<z.output<typeof pageOfCounted>> = {
  text: pageText('CountCards', countedText),
  data: pageOfCounted,
};

const placeSchema = z.object({
  viewer,
  repositoryOwner: ownerOf({}).refine((owner) => owner?.projectV2 != null),
  repository: repositorySchema.refine((repository) => repository !== null),
});
export type ProjectPlace = z.output<typeof placeSchema>;

export const readCards: NodesOperation<ProjectPlace, CardNode> = {
  text: `query ReadCards(${ownVariables}, $ids: [ID!]!) {
  viewer { login }
  repositoryOwner(login: $owner) { __typename ... on ProjectV2Owner { projectV2(number: $number) { ...Board } } }
  ${repositoryFields}
  nodes(ids: $ids) {
    __typename
    ... on ProjectV2Item { ...Card project { id } content { ... on Issue { ${promptText} ${waitsForText} ${movesText} } } }
  }
}${boardFields}${cardFields}`,
  place: placeSchema,
  node: cardNode,
};

/** What these issues wait for. */
export const readBlockers: NodesOperation<unknown, WaitsFor> = {
  text: `query ReadBlockers($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Issue { ${waitsForText} } } }`,
  place: z.unknown(),
  node: waitsForSchema,
};

const moveSchema = z.object({
  move: z
    .object({
      projectV2Item: z
        .object({
          status: statusSchema,
          content: z
            .union([
              z.object({
                __typename: z.literal('Issue'),
                state: z.enum(['OPEN', 'CLOSED']),
                timelineItems: movesSchema,
              }),
              otherContent,
            ])
            .nullable(),
        })
        .nullable(),
    })
    .nullish(),
});
export type MovedCard = z.output<typeof moveSchema>;
export const moveCard: Operation<MovedCard> = {
  text: `mutation MoveCard($project: ID!, $item: ID!, $field: ID!, $option: String!) {
  move: updateProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field, value: {singleSelectOptionId: $option}}) {
    projectV2Item { ${status} content { __typename ... on Issue { state ${movesText} } } }
  }
}`,
  data: moveSchema,
};

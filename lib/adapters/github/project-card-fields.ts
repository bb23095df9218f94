import * as z from 'zod';
import { actorSchema, listedFields, listedSchema, promptSchema, waitsForSchema } from './issue-fields.ts';

export const status = `status: fieldValueByName(name: "Status") { __typename ... on ProjectV2ItemFieldSingleSelectValue { optionId name } }`;
export const statusSchema = z
  .object({ optionId: z.string().nullish(), name: z.string().nullish() })
  .nullable()
  .transform((value) => (value?.optionId || value?.name ? value : undefined));

/** What a list asks of each card: one connection, so that a page of a hundred costs one point. */
export const cardFields = `
fragment Card on ProjectV2Item {
  id type isArchived ${status}
  priority: fieldValueByName(name: "Priority") { __typename ... on ProjectV2ItemFieldSingleSelectValue { name } ... on ProjectV2ItemFieldNumberValue { number } }
  content { __typename ... on Issue { ...Listed repository { id nameWithOwner } } }
}${listedFields}`;
const placed = z.object({ repository: z.object({ id: z.string(), nameWithOwner: z.string() }) });
export const otherContent = z.object({ __typename: z.string().refine((name) => name !== 'Issue') });
const cardShape = {
  id: z.string(),
  type: z.string(),
  isArchived: z.boolean(),
  status: statusSchema,
  priority: z.object({ name: z.string().nullish(), number: z.number().nullish() }).nullable(),
};
const listedIssue = z.object({
  __typename: z.literal('Issue'),
  ...listedSchema.shape,
  ...placed.shape,
});
/** Content that this token may not see is null. */
export const cardSchema = z.object({
  ...cardShape,
  content: z.union([listedIssue, otherContent]).nullable(),
});
export type Card = z.output<typeof cardSchema>;
/** A card with an issue on it. */
export type IssueCard = Card & { readonly content: z.output<typeof listedIssue> };

export const countedText = `totalCount pageInfo { hasNextPage endCursor }
          nodes { id isArchived ${status} content { __typename ... on Issue { state stateReason(enableDuplicate: true) repository { id } } } }`;

/** What has to be known of a card to count it. */
export const countedSchema = z.object({
  id: z.string(),
  isArchived: z.boolean(),
  status: statusSchema,
  content: z
    .union([
      z.object({
        __typename: z.literal('Issue'),
        state: z.enum(['OPEN', 'CLOSED']),
        stateReason: z.string().nullish(),
        repository: z.object({ id: z.string() }),
      }),
      otherContent,
    ])
    .nullable(),
});
export type CountedCard = z.output<typeof countedSchema>;
/** The latest moves of a card as its issue tells them; the record may lag, and lacks what happened before it was kept. */
export const movesText =
  'timelineItems(last: 10, itemTypes: [PROJECT_V2_ITEM_STATUS_CHANGED_EVENT]) { nodes { __typename ... on ProjectV2ItemStatusChangedEvent { id actor { __typename login } previousStatus status project { id } } } }';
export const movesSchema = z.object({
  nodes: z.array(
    z
      .object({
        id: z.string(),
        actor: actorSchema.nullish(),
        previousStatus: z.string(),
        status: z.string(),
        project: z.object({ id: z.string() }).nullish(),
      })
      .nullable(),
  ),
});
export type CardMoves = z.output<typeof movesSchema>;

const wholeIssue = z.object({
  ...listedIssue.shape,
  ...promptSchema.shape,
  ...waitsForSchema.shape,
  timelineItems: movesSchema,
});
const wholeCard = z.object({
  __typename: z.literal('ProjectV2Item'),
  ...cardShape,
  project: z.object({ id: z.string() }),
  content: z.union([wholeIssue, otherContent]).nullable(),
});
const otherNode = z.object({ __typename: z.string().refine((name) => name !== 'ProjectV2Item') });
export const cardNode = z.union([wholeCard, otherNode]);
export type CardNode = z.output<typeof cardNode>;
/** A card as a read by id needs it: a list's fields, what the prompt needs, what the issue waits for, and its latest moves. */
export type WholeCard = z.output<typeof wholeCard> & { readonly content: z.output<typeof wholeIssue> };

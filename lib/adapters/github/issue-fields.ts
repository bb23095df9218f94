import * as z from 'zod';
import type { Blocker, Instant, Issue, IssueId, IssueKey, StateName } from '../../core/issue.ts';

/**
 * What a list asks of each issue: little, and one connection, so that a page of a hundred issues costs one point. Open
 * blockers and sub-issues come as numbers.
 */
export const listedFields = `
fragment Listed on Issue {
  id number title url state stateReason(enableDuplicate: true) createdAt updatedAt
  labels(first: 100) { nodes { id name } }
  issueDependenciesSummary { blockedBy }
  subIssuesSummary { total completed }
}`;

/** What an issue waits for, by name. */
export const waitsForText = ['blockedBy', 'subIssues']
  .map((relation) => `${relation}(first: 20) { nodes { number state repository { nameWithOwner } } }`)
  .join(' ');

/** What is learnt of an issue beyond a list: what it waits for, how it came to where it is, and who changed its text last. */
export const detailFields = `
fragment Details on Issue {
  ${waitsForText}
  lastEditedAt editor { __typename login }
  timelineItems(last: 50, itemTypes: [LABELED_EVENT, UNLABELED_EVENT, CLOSED_EVENT, REOPENED_EVENT, RENAMED_TITLE_EVENT]) {
    nodes {
      __typename
      ... on LabeledEvent { createdAt actor { __typename login } label { id name } }
      ... on UnlabeledEvent { actor { __typename login } label { id name } }
      ... on ClosedEvent { actor { __typename login } }
      ... on ReopenedEvent { createdAt actor { __typename login } }
      ... on RenamedTitleEvent { actor { __typename login } }
    }
  }
}`;

/** What only a prompt needs of an issue. No issue is assigned to more than ten. */
export const promptText = 'body assignees(first: 10) { nodes { login } }';

/** An issue as a read by id needs it: a list's fields, the details, what the prompt needs, and where it is. */
export const wholeFields = `${listedFields}${detailFields}
fragment Whole on Issue { ...Listed ...Details ${promptText} repository { id } }`;

export const actorSchema = z.object({ __typename: z.string(), login: z.string() });
export type Actor = z.output<typeof actorSchema>;

/** Null where the account is deleted. */
const maybeActor = actorSchema.nullish().transform((found) => found ?? undefined);

const timelineEvent = z.object({
  __typename: z.string(),
  /** Of an arrival. */
  createdAt: z.string().nullish(),
  actor: maybeActor,
  label: z.object({ id: z.string(), name: z.string() }).nullish(),
});
export type TimelineEvent = z.output<typeof timelineEvent>;

const instant = z.iso.datetime({ offset: true }).transform((text): Instant => Date.parse(text));
/** A node that this token may not see comes as null. */
const nodesOf = <Node extends z.ZodType>(node: Node) =>
  z.object({ nodes: z.array(node.nullable()).transform((all) => all.filter((one) => one !== null)) });

export const listedSchema = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  url: z.string(),
  state: z.enum(['OPEN', 'CLOSED']),
  stateReason: z.string().nullish(),
  createdAt: instant,
  updatedAt: z.string(),
  labels: nodesOf(z.object({ id: z.string(), name: z.string() })),
  issueDependenciesSummary: z.object({ blockedBy: z.int() }),
  subIssuesSummary: z.object({ total: z.int(), completed: z.int() }),
});
export type ListedIssue = z.output<typeof listedSchema>;

const related = nodesOf(
  z.object({
    number: z.int(),
    state: z.string(),
    repository: z.object({ nameWithOwner: z.string() }),
  }),
);
export const waitsForSchema = z.object({ blockedBy: related, subIssues: related });
export type WaitsFor = z.output<typeof waitsForSchema>;
export const detailSchema = z.object({
  ...waitsForSchema.shape,
  /** Of its description; null where it is as it was written first. */
  lastEditedAt: z.string().nullable(),
  editor: maybeActor,
  timelineItems: nodesOf(timelineEvent),
});
export type IssueDetails = z.output<typeof detailSchema>;
export const promptSchema = z.object({
  body: z.string(),
  assignees: nodesOf(z.object({ login: z.string() })),
});
export type PromptFields = z.output<typeof promptSchema>;

export const wholeSchema = z.object({
  ...listedSchema.shape,
  ...detailSchema.shape,
  ...promptSchema.shape,
  repository: z.object({ id: z.string() }),
});
export type WholeIssue = z.output<typeof wholeSchema>;

/** `web#42`, by the name of the repository. */
export function keyOf(repository: string, number: number): IssueKey {
  return `${repository.split('/').at(-1)}#${number}` as IssueKey;
}

/** The state that a closed issue stands in, by the reason that was given. */
export function closedState(reason: string | null | undefined): StateName {
  const why =
    reason === null || reason === undefined ? '' : ` as ${reason.toLowerCase().replaceAll('_', ' ')}`;
  return `closed${why}` as StateName;
}

/** Labels as they are compared, each once. */
export function comparableLabels(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim().normalize('NFC').toLocaleLowerCase('en-US')))];
}

/** What an issue says of itself, apart from its state and who moved it. A list does not tell what only a prompt needs. */
export function describeFields(issue: ListedIssue & Partial<PromptFields>, repository: string) {
  const isPriority = (name: string) => priorityOf(name) !== undefined;
  const names = issue.labels.nodes.map(({ name }) => name);
  return {
    id: issue.id as IssueId,
    key: keyOf(repository, issue.number),
    title: issue.title,
    description: issue.body ?? '',
    url: issue.url,
    closed: issue.state === 'CLOSED',
    priority: mostUrgent(names.map(priorityOf)),
    names: names.filter((name) => !isPriority(name)),
    assignees: (issue.assignees?.nodes ?? []).map(({ login }) => login),
    createdAt: issue.createdAt,
  } as const;
}

/**
 * What an issue waits for: the open issues that block it, and its own open sub-issues. What cannot be seen or was not
 * asked for is counted without a name.
 */
export function describeBlockers(issue: ListedIssue, details: WaitsFor | undefined): readonly Blocker[] {
  const { total, completed } = issue.subIssuesSummary;
  return [
    ...nameOpen(issue.issueDependenciesSummary.blockedBy, details?.blockedBy, 'open issue', (key) => key),
    ...nameOpen(total - completed, details?.subIssues, 'open sub-issue', (key) => `its sub-issue ${key}`),
  ];
}

/** Names that were learnt before may be of issues which are closed by now; the number is always of now. */
function nameOpen(
  count: number,
  known: WaitsFor['blockedBy'] | undefined,
  noun: string,
  show: (key: IssueKey) => string,
): readonly Blocker[] {
  const open = (known?.nodes ?? []).filter(({ state }) => state === 'OPEN');
  const named = (open.length > count ? [] : open).map(({ number, repository }) =>
    show(keyOf(repository.nameWithOwner, number)),
  );
  const more = count - named.length;
  const some = named.length === 0 ? '' : 'more ';
  const one = named.length === 0 ? 'an' : 'one more';
  const counted = more <= 0 ? [] : [more === 1 ? `${one} ${noun}` : `${more} ${some}${noun}s`];
  return [...named, ...counted].map((key) => ({ key: key as IssueKey, open: true }));
}

const words: Readonly<Record<string, 1 | 2 | 3 | 4>> = {
  urgent: 1,
  critical: 1,
  high: 2,
  medium: 3,
  normal: 3,
  low: 4,
};

/** `p1` to `p4`, `priority: 2`, `priority/high` and the like; `p0` is as urgent as `p1`. */
export function priorityOf(label: string): Issue['priority'] {
  const found = /^(?:p|prio(?:rity)?\s*[:/ -]?\s*)([0-4]|[a-z]+)$/i.exec(label.trim());
  if (found === null) return undefined;
  const value = found[1]!.toLowerCase();
  if (/^[0-4]$/.test(value)) return Math.max(1, Number(value)) as 1 | 2 | 3 | 4;
  return Object.hasOwn(words, value) ? words[value] : undefined;
}

function mostUrgent(priorities: readonly Issue['priority'][]): Issue['priority'] {
  return [...priorities].sort((a, b) => (a ?? 5) - (b ?? 5))[0];
}

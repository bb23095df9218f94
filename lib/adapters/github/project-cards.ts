import * as z from 'zod';
import type { Listing } from '../../controller/ports.ts';
import { type Issue, type IssueId, type IssueKey, type StateName, stateKey } from '../../core/issue.ts';
import type { GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import {
  comparableLabels,
  describeBlockers,
  describeFields,
  type PromptFields,
  priorityOf,
  type WaitsFor,
} from './issue-fields.ts';
import { type OwnRepository, type ProjectAddress, variablesOf } from './project-address.ts';
import { blockerNames } from './project-blockers.ts';
import {
  type CardNode,
  cardSchema,
  countedSchema,
  type IssueCard,
  type WholeCard,
} from './project-card-fields.ts';
import { type ProjectPlace, readCards } from './project-queries.ts';
import type { ProjectStates } from './project-states.ts';
import { type Node, readNodes } from './read-nodes.ts';

export type CardReading =
  | { readonly kind: 'found'; readonly issue: Issue; readonly card: WholeCard; readonly viewer: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly problem: string };

export interface ProjectCardsOptions {
  readonly client: GitHubClient;
  readonly address: ProjectAddress;
  readonly own: OwnRepository;
  readonly states: ProjectStates;
}

const hidden = 'this token may not see what is on the card: give it access to the repository of that issue';

/**
 * Understands the cards of a project. A card is an issue by the card's own id, so that one issue on several projects is an
 * issue of its own on each. Drafts, pull requests, archived cards and issues of other repositories are none of ours.
 */
export function projectCards(options: ProjectCardsOptions) {
  const { client, address, own, states } = options;
  const blockers = blockerNames(client);
  return {
    async readMany(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, CardReading>> {
      const found = new Map<IssueId, CardReading>();
      if (ids.length === 0) return found;
      const { nodes, place } = await readNodes(client, readCards, variablesOf(address), ids, 'step');
      const problem = learnPlace(options, place);
      for (const id of ids) {
        const node: Node<CardNode> = nodes.get(id) ?? { kind: 'unknown', problem: 'it was not answered' };
        if (node.kind !== 'found') found.set(id, node);
        else if (problem !== undefined) found.set(id, { kind: 'unknown', problem });
        else found.set(id, judgeNode(options, node.node, place!));
      }
      return found;
    },

    /** The issues of a list that stand in one of these columns. */
    async describeList(nodes: readonly unknown[], names: readonly StateName[]): Promise<Listing> {
      const wanted = names.map(stateKey);
      const { sound, broken } = sortListed(options, nodes, new Set(wanted));
      await blockers.learn(
        JSON.stringify(wanted),
        sound.map(({ card }) => card),
      );
      const issues = sound.map(({ card, state }) => describeCard(card, state, blockers.get(card.content.id)));
      return { issues, broken };
    },

    /** How many of these stand in the column. */
    countIn(nodes: readonly unknown[], name: StateName): number {
      const ids = nodes.flatMap((node) => {
        const card = z.parse(countedSchema, node);
        if (card.content === null || !('state' in card.content) || !own.has(card.content.repository.id))
          return [];
        const standing = states.read({ ...card, content: card.content });
        return standing.kind === 'state' && stateKey(standing.state) === stateKey(name) ? [card.id] : [];
      });
      return new Set(ids).size;
    },
  };
}

/** Takes what an answer says of the board, and tells what is wrong with that, if anything. */
function learnPlace(
  { own, states }: ProjectCardsOptions,
  place: ProjectPlace | undefined,
): string | undefined {
  if (place === undefined) return 'its board was not shown';
  own.learn(place.repository);
  try {
    states.learn(place.repositoryOwner!.projectV2!);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function judgeNode({ own, states }: ProjectCardsOptions, node: CardNode, place: ProjectPlace): CardReading {
  if (!('project' in node) || node.project.id !== place.repositoryOwner?.projectV2?.id)
    return { kind: 'gone' };
  if (node.content === null) return { kind: 'unknown', problem: hidden };
  if (!('number' in node.content) || !own.has(node.content.repository.id)) return { kind: 'gone' };
  const card = { ...node, content: node.content };
  const standing = states.read(card);
  if (standing.kind === 'conflict') return { kind: 'unknown', problem: describeConflict(standing.states) };
  const issue = describeCard(card, standing.state, card.content);
  return { kind: 'found', issue, card, viewer: place.viewer.login };
}

interface Sorted {
  readonly sound: readonly { readonly card: IssueCard; readonly state: StateName }[];
  readonly broken: Listing['broken'];
}

/** One that came twice, because it moved while the pages were read, counts once. */
function sortListed(
  { own, states }: ProjectCardsOptions,
  nodes: readonly unknown[],
  wanted: ReadonlySet<string>,
): Sorted {
  const sound = new Map<string, Sorted['sound'][number]>();
  const broken = new Map<string, Listing['broken'][number]>();
  for (const node of nodes) {
    const { data: card } = cardSchema.safeParse(node);
    const id = card?.id ?? identityOf(node);
    const report = (key: string, problem: string, conflictingStates = false) =>
      broken.set(id, { id: id as IssueId, key: key as IssueKey, problem, conflictingStates });
    if (card === undefined) report(nameOf(node), 'it came in a form that is not understood');
    else if (card.content === null) report('hidden card', hidden);
    else if ('number' in card.content && own.has(card.content.repository.id)) {
      const issue = { ...card, content: card.content };
      const standing = states.read(issue);
      if (standing.kind === 'conflict') report(nameOf(node), describeConflict(standing.states), true);
      else if (wanted.has(stateKey(standing.state))) sound.set(id, { card: issue, state: standing.state });
    }
  }
  return { sound: [...sound.values()], broken: [...broken.values()] };
}

function describeCard(
  card: IssueCard & { readonly content: Partial<PromptFields> },
  state: StateName,
  details: WaitsFor | undefined,
): Issue {
  const { names, priority, ...fields } = describeFields(card.content, card.content.repository.nameWithOwner);
  return {
    ...fields,
    id: card.id as IssueId,
    state,
    conflictingStates: [],
    labels: comparableLabels(names),
    priority: fieldPriority(card) ?? priority,
    blockers: describeBlockers(card.content, details),
    // Who moves cards is not told reliably: who may move them is who may start work.
    movedBy: 'person',
    trusted: true,
  };
}

/** The field Priority: a number, or an option such as `P1`, `High` or `🔥 urgent`. */
function fieldPriority({ priority }: IssueCard): Issue['priority'] {
  const value = priority?.name ?? (typeof priority?.number === 'number' ? String(priority.number) : '');
  const plain = value.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return priorityOf(plain) ?? priorityOf(`priority: ${plain}`);
}

function describeConflict(states: readonly StateName[]): string {
  return `its status is "${states[0]}" by its id and "${states[1]}" by its name. Move the card once more`;
}

const identity = z.object({ id: z.string() });
/** A node without a name cannot be told from one that is missing: then the list is not complete. */
function identityOf(node: unknown): string {
  const known = identity.safeParse(node);
  if (known.success) return known.data.id;
  throw new GitHubError('broken', 'a card in a list of GitHub could not be read');
}

const naming = z.object({
  content: z.object({ number: z.int(), repository: z.object({ nameWithOwner: z.string() }) }),
});
function nameOf(node: unknown): string {
  const { data } = naming.safeParse(node);
  if (data === undefined) return 'unreadable card';
  const { number, repository } = data.content;
  return `${repository.nameWithOwner.split('/').at(-1)}#${number}`;
}

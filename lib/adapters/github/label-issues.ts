import * as z from 'zod';
import type { Listing } from '../../controller/ports.ts';
import { type Instant, type Issue, type IssueId, type StateName, stateKey } from '../../core/issue.ts';
import type { GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { detailKeeper, type KnownDetails } from './issue-details.ts';
import {
  comparableLabels,
  describeBlockers,
  describeFields,
  keyOf,
  type ListedIssue,
  listedSchema,
  type PromptFields,
  type WholeIssue,
} from './issue-fields.ts';
import { judgeHistory } from './label-history.ts';
import { type Place, readIssues, type WholeNode } from './label-queries.ts';
import type { LabelState, LabelStates } from './label-states.ts';
import { type Node, readNodes } from './read-nodes.ts';
import type { TrustedActors } from './trusted-actors.ts';

export type IssueReading =
  | { readonly kind: 'found'; readonly issue: Issue; readonly whole: WholeIssue; readonly viewer: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly problem: string };

export interface LabelIssuesOptions {
  readonly client: GitHubClient;
  readonly owner: string;
  readonly name: string;
  readonly states: LabelStates;
  readonly actors: TrustedActors;
  readonly now: () => Instant;
}

type Standing = Extract<LabelState, { kind: 'state' }>;
interface Sorted {
  readonly sound: readonly { readonly issue: ListedIssue; readonly state: Standing }[];
  readonly broken: Listing['broken'];
}

/** Understands the issues of a board of labels. Until it is learnt who moved a listed issue, nothing starts on it. */
export function labelIssues({ client, owner, name, states, actors, now }: LabelIssuesOptions) {
  const details = detailKeeper(client, owner, name, now);

  async function describe(
    issue: ListedIssue & Partial<PromptFields>,
    { state, labels }: Standing,
    known: Pick<KnownDetails, 'found' | 'viewer'> | undefined,
  ): Promise<Issue> {
    const { names, ...fields } = describeFields(issue, name);
    const isState = new Set(labels.map((label) => label.name));
    const stateId = labels.find((label) => label.name === state)?.id ?? labels[0]?.id;
    const history =
      known === undefined
        ? ({ movedBy: 'person', trusted: 'unknown' } as const)
        : await judgeHistory(known.found, stateId, states, actors, known.viewer);
    return {
      ...fields,
      state,
      conflictingStates: [],
      labels: comparableLabels(names.filter((one) => !isState.has(one))),
      blockers: describeBlockers(issue, known?.found),
      ...history,
    };
  }

  async function judgeNode(node: Node<WholeNode>, place: Place): Promise<IssueReading> {
    if (node.kind === 'unknown') return node;
    if (node.kind === 'gone' || !('repository' in node.node)) return { kind: 'gone' };
    const whole = node.node;
    if (whole.repository.id !== place.repository.id) return { kind: 'gone' };
    const state = states.read(whole);
    if (state.kind === 'conflict') return { kind: 'unknown', problem: describeConflict(state.states) };
    const viewer = place.viewer.login;
    details.put(whole, viewer);
    return { kind: 'found', issue: await describe(whole, state, { found: whole, viewer }), whole, viewer };
  }

  return {
    async readMany(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, IssueReading>> {
      const found = new Map<IssueId, IssueReading>();
      if (ids.length === 0) return found;
      const { nodes, place } = await readNodes(client, readIssues, { owner, name }, ids, 'step');
      for (const id of ids) {
        const node = nodes.get(id);
        const isShown = node !== undefined && place !== undefined;
        const unseen = node?.kind === 'unknown' ? node : ({ kind: 'unknown', problem: unshown } as const);
        found.set(id, isShown ? await judgeNode(node, place) : unseen);
      }
      return found;
    },

    /** The issues of a list that stand in one of these states. */
    async describeList(nodes: readonly unknown[], names: readonly StateName[]): Promise<Listing> {
      const wanted = names.map(stateKey);
      const { sound, broken } = sortListed(nodes, new Set(wanted), states, name);
      await details.learn(
        JSON.stringify(wanted),
        sound.map(({ issue }) => issue),
      );
      const issues: Issue[] = [];
      for (const { issue, state } of sound) issues.push(await describe(issue, state, details.get(issue.id)));
      return { issues, broken };
    },
  };
}

const unshown = 'its repository was not shown';

/** One that came twice, because it moved while the pages were read, counts once. */
function sortListed(
  nodes: readonly unknown[],
  wanted: ReadonlySet<string>,
  states: LabelStates,
  repository: string,
): Sorted {
  const sound = new Map<string, Sorted['sound'][number]>();
  const broken = new Map<string, Sorted['broken'][number]>();
  for (const node of nodes) {
    const { data: issue } = listedSchema.safeParse(node);
    const { id, number } = issue ?? identityOf(node);
    const state = issue && states.read(issue);
    const one = { id: id as IssueId, key: keyOf(repository, number) };
    if (issue === undefined || state === undefined)
      broken.set(id, {
        ...one,
        problem: 'it came in a form that is not understood',
        conflictingStates: false,
      });
    else if (state.kind === 'conflict')
      broken.set(id, { ...one, problem: describeConflict(state.states), conflictingStates: true });
    else if (wanted.has(stateKey(state.state))) sound.set(id, { issue, state });
  }
  return { sound: [...sound.values()], broken: [...broken.values()] };
}

function describeConflict(states: readonly StateName[]): string {
  return `it has the labels of several states: ${states.join(', ')}. Take all but one away`;
}

const identity = z.object({ id: z.string(), number: z.int() });

/** A node without a name cannot be told from one that is missing: then the list is not complete. */
function identityOf(node: unknown): z.output<typeof identity> {
  const known = identity.safeParse(node);
  if (known.success) return known.data;
  throw new GitHubError('broken', 'an issue in a list of GitHub could not be read');
}

import * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import type { GitHubClient } from './github-client.ts';
import {
  describeFields,
  detailFields,
  detailSchema,
  type IssueDetails,
  type ListedIssue,
  type WholeIssue,
} from './issue-fields.ts';
import { type ListedMemory, listedMemory } from './listed-memory.ts';
import { type NodesOperation, readNodes } from './read-nodes.ts';

/** What blocks an issue and how it came to where it is, and as whom that was asked. */
export interface KnownDetails {
  readonly updatedAt: string;
  readonly readAt: Instant;
  readonly found: IssueDetails;
  readonly viewer: string;
}

/** Keeps what a list does not tell of its issues. */
export interface DetailKeeper {
  get(id: string): KnownDetails | undefined;
  /** Takes what a read by id told anyway. */
  put(whole: WholeIssue, viewer: string): void;
  /** Learns of these, which are all that this list shows, and forgets whatever is in no list any more. */
  learn(list: string, listed: readonly ListedIssue[]): Promise<void>;
}

/**
 * The vendor's times are whole seconds: what was read so soon after an update may have missed a second one of the same time.
 * A few seconds more allow for clocks that differ.
 */
const sameTimeMs = 5_000;

/** So many issues of a list are looked into in one tick: one request, of one point. */
const mostAtOnce = 50;

const placeSchema = z.object({
  viewer: z.object({ login: z.string() }),
  repository: z.object({ id: z.string() }),
});
const readDetails: NodesOperation<z.output<typeof placeSchema>, IssueDetails> = {
  text: `query ReadDetails($owner: String!, $name: String!, $ids: [ID!]!) {
  viewer { login }
  repository(owner: $owner, name: $name) { id }
  nodes(ids: $ids) { __typename ...Details }
}${detailFields}`,
  place: placeSchema,
  node: detailSchema,
};

/**
 * A list tells neither who moved an issue nor the names of what blocks it: that would cost three times as much. It is learnt
 * for the most urgent issues with one request more, and kept for as long as the issue is not updated.
 */
export function detailKeeper(
  client: GitHubClient,
  owner: string,
  name: string,
  now: () => Instant,
): DetailKeeper {
  const known = listedMemory<KnownDetails>();
  return {
    get: known.get,
    put(whole, viewer) {
      known.put(whole.id, { updatedAt: whole.updatedAt, readAt: now(), found: whole, viewer });
    },
    async learn(list, listed) {
      const wanted = chooseWanted(listed, known);
      if (wanted.length > 0) {
        const ids = wanted.map(({ id }) => id);
        const readAt = now();
        const { nodes, place } = await readNodes(client, readDetails, { owner, name }, ids, 'survey');
        for (const { id, updatedAt } of wanted) {
          const node = nodes.get(id);
          if (node?.kind === 'found' && place !== undefined)
            known.put(id, { updatedAt, readAt, found: node.node, viewer: place.viewer.login });
        }
      }
      known.show(
        list,
        listed.map(({ id }) => id),
      );
    },
  };
}

/** What nothing is known of first, then what may be out of date; the most urgent and oldest of each. */
function chooseWanted(
  listed: readonly ListedIssue[],
  known: ListedMemory<KnownDetails>,
): readonly ListedIssue[] {
  return listed
    .filter(({ id, updatedAt }) => !isUpToDate(known.get(id), updatedAt))
    .map((issue) => ({
      issue,
      rank: (known.get(issue.id) ? 10 : 0) + (describeFields(issue, '').priority ?? 5),
    }))
    .sort((a, b) => a.rank - b.rank || a.issue.createdAt - b.issue.createdAt)
    .slice(0, mostAtOnce)
    .map(({ issue }) => issue);
}

function isUpToDate(details: KnownDetails | undefined, updatedAt: string): boolean {
  return details?.updatedAt === updatedAt && details.readAt >= Date.parse(updatedAt) + sameTimeMs;
}

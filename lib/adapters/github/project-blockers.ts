import type { GitHubClient } from './github-client.ts';
import type { WaitsFor } from './issue-fields.ts';
import { listedMemory } from './listed-memory.ts';
import type { IssueCard } from './project-card-fields.ts';
import { readBlockers } from './project-queries.ts';
import { readNodes } from './read-nodes.ts';

/** Keeps the names of what the issues of a list wait for, which tells their number only. */
export interface BlockerNames {
  get(issueId: string): WaitsFor | undefined;
  /** Learns of these cards, which are all that this list shows, and forgets what is in no list any more. */
  learn(list: string, listed: readonly IssueCard[]): Promise<void>;
}

/** So many are looked up in one tick: one request, of one point. */
const mostAtOnce = 50;

/** Looks names up where the number of open ones is another one than when they were learnt. */
export function blockerNames(client: GitHubClient): BlockerNames {
  const known = listedMemory<{ readonly count: string; readonly found: WaitsFor }>();
  return {
    get: (id) => known.get(id)?.found,
    async learn(list, listed) {
      const blocked = listed.filter(({ content }) => countOf(content) !== none);
      known.show(
        list,
        blocked.map(({ content }) => content.id),
      );
      const wanted = blocked
        .filter(({ content }) => known.get(content.id)?.count !== countOf(content))
        .slice(0, mostAtOnce);
      if (wanted.length === 0) return;
      const ids = wanted.map(({ content }) => content.id);
      const { nodes } = await readNodes(client, readBlockers, {}, ids, 'survey');
      for (const { content } of wanted) {
        const node = nodes.get(content.id);
        if (node?.kind === 'found') known.put(content.id, { count: countOf(content), found: node.node });
      }
    },
  };
}

const none = '0 0';

/** How many open issues block this one, and how many of its own sub-issues are open. */
function countOf({ issueDependenciesSummary, subIssuesSummary }: IssueCard['content']): string {
  return `${issueDependenciesSummary.blockedBy} ${subIssuesSummary.total - subIssuesSummary.completed}`;
}

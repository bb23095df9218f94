import * as z from 'zod';
import { GitHubError } from './github-error.ts';

export const pageSchema = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  nodes: z.array(z.unknown()),
});
export type Page = z.output<typeof pageSchema>;

const largest = 100;
const smallest = 10;
/** A list that never ends is no list. */
const mostPages = 200;

export interface PageReader {
  /** Every further page after the first one. All of them or a throw. */
  rest(first: Page, read: (after: string, size: number) => Promise<Page>): Promise<readonly unknown[]>;
  /** Reads one page, with a smaller size where the vendor cannot serve it in time; what could be served is remembered. */
  one<Found>(read: (size: number) => Promise<Found>): Promise<Found>;
}

/** Reads pages of a hundred; where the vendor gives up on such a page, of half as many, from then on. */
export function pageReader(): PageReader {
  let size = largest;
  async function one<Found>(read: (size: number) => Promise<Found>): Promise<Found> {
    for (;;) {
      try {
        return await read(size);
      } catch (error) {
        if (!(error instanceof GitHubError) || error.kind !== 'late' || size <= smallest) throw error;
        size = Math.max(smallest, Math.floor(size / 2));
      }
    }
  }
  return {
    one,
    async rest(first, read) {
      const nodes = [...first.nodes];
      let page = first;
      for (let pages = 1; page.pageInfo.hasNextPage; pages += 1) {
        const after = page.pageInfo.endCursor;
        if (after === null || pages >= mostPages)
          throw new GitHubError('broken', 'a list of GitHub does not come to its end');
        page = await one((current) => read(after, current));
        nodes.push(...page.nodes);
      }
      return nodes;
    },
  };
}

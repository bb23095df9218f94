import type { GitHubServer } from './github-server.ts';

/** What `act` asks of the server: GraphQL and REST have quotas of their own. */
export async function countCost({ log }: GitHubServer, act: () => Promise<unknown>) {
  const before = log.length;
  await act();
  const asked = log.slice(before);
  const graphql = asked.filter(({ operation }) => !operation.startsWith('/'));
  return {
    requests: graphql.length,
    points: graphql.reduce((sum, { points }) => sum + points, 0),
    rest: asked.length - graphql.length,
    operations: asked.map(({ operation }) => operation),
    largest: Math.max(0, ...asked.map(({ bytes }) => bytes)),
  };
}

import { GraphQLError } from 'graphql';

export interface PageArguments {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
  readonly before?: string;
}

/** An error as GitHub types it. */
export function typedError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** A page of a connection; a cursor is a position. */
export function pageOf<Item>(
  items: readonly Item[],
  view: (item: Item) => unknown,
  asked: PageArguments,
): Record<string, unknown> {
  const { first, last, after, before } = asked;
  const size = first ?? last;
  if (size === undefined)
    throw typedError(
      'MISSING_PAGINATION_BOUNDARIES',
      'You must provide a `first` or `last` value to properly paginate the connection.',
    );
  if (size < 1 || size > 100)
    throw typedError(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the connection exceeds the limit of 100 records.`,
    );
  let from = after === undefined || after === null ? 0 : Number(after) + 1;
  let to = before === undefined || before === null ? items.length : Number(before);
  if (first !== undefined) to = Math.min(to, from + first);
  else from = Math.max(from, to - size);
  const nodes = items.slice(from, to);
  return {
    totalCount: items.length,
    nodes: nodes.map(view),
    pageInfo: {
      hasNextPage: to < items.length,
      hasPreviousPage: from > 0,
      startCursor: nodes.length === 0 ? null : String(from),
      endCursor: nodes.length === 0 ? null : String(from + nodes.length - 1),
    },
  };
}

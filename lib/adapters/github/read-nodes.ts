import * as z from 'zod';
import type { Answer, GitHubClient, Operation, QueryError } from './github-client.ts';
import type { Purpose } from './quota.ts';

/** What a read by id says of one node. */
export type Node<Found> =
  | { readonly kind: 'found'; readonly node: Found }
  /** The vendor's own word: nothing has this id, though what the node belongs to was read in the same answer. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly problem: string };

/** A query of `nodes(ids: $ids)` beside what proves that the token sees the place where they are. */
export interface NodesOperation<Place, Found> {
  readonly text: string;
  readonly place: z.ZodType<Place>;
  readonly node: z.ZodType<Found>;
}

/** More are not answered at once. */
const mostIds = 100;

/**
 * Reads many nodes by id, a hundred in a request. A token that has lost sight of the place is told that no node exists,
 * just as if each were deleted; so `gone` is believed only of an answer that shows the place as well. Never throws.
 */
export async function readNodes<Place, Found>(
  client: GitHubClient,
  operation: NodesOperation<Place, Found>,
  variables: Readonly<Record<string, unknown>>,
  ids: readonly string[],
  purpose: Purpose,
): Promise<{ readonly nodes: ReadonlyMap<string, Node<Found>>; readonly place: Place | undefined }> {
  const nodes = new Map<string, Node<Found>>();
  let place: Place | undefined;
  for (let at = 0; at < ids.length; at += mostIds) {
    const some = ids.slice(at, at + mostIds);
    try {
      const answer = await client.query(documentOf(operation), { ...variables, ids: some }, purpose);
      const shown = operation.place.safeParse(answer.data);
      if (shown.success) place = shown.data;
      for (const [index, id] of some.entries()) nodes.set(id, judge(operation, answer, index, shown.success));
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      for (const id of some) nodes.set(id, { kind: 'unknown', problem });
    }
  }
  return { nodes, place };
}

type Raw = Readonly<Record<string, unknown>> & { readonly nodes: readonly unknown[] };

function documentOf({ text }: NodesOperation<unknown, unknown>): Operation<Raw> {
  return { text, data: z.looseObject({ nodes: z.array(z.unknown()) }) };
}

function judge<Found>(
  { node }: NodesOperation<unknown, Found>,
  { data, errors }: Answer<Raw>,
  index: number,
  placeIsShown: boolean,
): Node<Found> {
  const mine = errors.filter(({ path }) => path[0] === 'nodes' && path[1] === index);
  const raw = data.nodes[index];
  if (raw === null || raw === undefined) return judgeMissing(mine, placeIsShown);
  const parsed = node.safeParse(raw);
  if (parsed.success) return { kind: 'found', node: parsed.data };
  return {
    kind: 'unknown',
    problem: `it was told in a form that is not understood (${pathOf(parsed.error)})`,
  };
}

function judgeMissing<Found>(errors: readonly QueryError[], placeIsShown: boolean): Node<Found> {
  const saysMissing = errors.length > 0 && errors.every(({ type }) => type === 'NOT_FOUND');
  if (saysMissing && placeIsShown) return { kind: 'gone' };
  if (saysMissing) return { kind: 'unknown', problem: 'neither it nor its board is visible to this token' };
  return { kind: 'unknown', problem: errors[0]?.message ?? 'it was not answered' };
}

function pathOf(error: z.ZodError): string {
  return error.issues[0]?.path.join('.') ?? '';
}

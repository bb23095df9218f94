import type { Written } from '../../controller/ports.ts';
import type { TrackerState } from '../../core/issue.ts';
import { demandWhole, type GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { moveLabels, type Standing } from './label-queries.ts';
import type { LabelStates } from './label-states.ts';
import { refusalOf } from './refuse-write.ts';

export interface LabelMove {
  readonly issue: string;
  readonly to: TrackerState;
  /** Ids of the state labels that the issue was read with. */
  readonly from: readonly string[];
  readonly wasClosed: boolean;
}

/**
 * Moves an issue by its labels: adds the new one, then takes the old ones away, in one request, and judges what the vendor
 * says of the issue after each. There is no compare-and-set; whoever was faster (a close, another label, a label that was
 * taken away) is found there, and then only what this very move did is undone. Never writes a whole set, never reopens.
 */
export async function moveByLabels(
  client: GitHubClient,
  states: LabelStates,
  { issue, to, from, wasClosed }: LabelMove,
): Promise<Written> {
  const stale = from.filter((id) => id !== to.id);
  const adds = from.includes(to.id) ? [] : [to.id];
  if (adds.length + stale.length === 0) return { kind: 'written' };
  const send = (add: readonly string[], remove: readonly string[]) =>
    client.mutate(moveLabels, { issue, add, remove, adds: add.length > 0, removes: remove.length > 0 });

  let answer: Awaited<ReturnType<typeof send>>;
  try {
    answer = await send(adds, stale);
  } catch (error) {
    return refusalOf(error);
  }
  const { data, errors } = answer;
  const added = data.add?.labelable ?? undefined;
  const removed = data.remove?.labelable ?? undefined;
  if (adds.length > 0 && added === undefined) {
    // The old label went although the new one did not come: nothing of a move may remain.
    if (removed !== undefined) demandWhole((await send(stale, [])).errors);
    return refusalOf(catchErrors(() => demandWhole(errors)));
  }
  if (stale.length > 0 && removed === undefined) {
    if (adds.length > 0) demandWhole((await send([], adds)).errors);
    return refusalOf(catchErrors(() => demandWhole(errors)));
  }
  const stands = (removed ?? added)!;
  if (isFaster(added, stands, { to, from, wasClosed }, states)) {
    const closed = stands.state === 'CLOSED' && !wasClosed;
    demandWhole((await send(closed ? stale : [], adds)).errors);
    return { kind: 'changed' };
  }
  return stands.labels.nodes.some(({ id }) => id === to.id) ? { kind: 'written' } : { kind: 'changed' };
}

/** Whether somebody closed or moved the issue between its read and this move. */
function isFaster(
  added: Standing | undefined,
  stands: Standing,
  { to, from, wasClosed }: Pick<LabelMove, 'to' | 'from' | 'wasClosed'>,
  states: LabelStates,
): boolean {
  if (stands.state === 'CLOSED' && !wasClosed) return true;
  const lost = added !== undefined && from.some((id) => !added.labels.nodes.some((label) => label.id === id));
  return lost || stands.labels.nodes.some(({ id }) => id !== to.id && states.isState(id));
}

function catchErrors(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return new GitHubError('broken', 'GitHub did not say what became of the move');
}

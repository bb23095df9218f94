import type { Written } from '../../controller/ports.ts';
import { stateKey, type TrackerState } from '../../core/issue.ts';
import { type Answer, demandWhole, type GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import type { CardMoves, WholeCard } from './project-card-fields.ts';
import { type MovedCard, moveCard } from './project-queries.ts';
import type { ProjectStates } from './project-states.ts';
import { refusalOf } from './refuse-write.ts';
import { isSameName, nameOf } from './trusted-actors.ts';

export interface CardMove {
  /** As it was read. */
  readonly card: WholeCard;
  readonly viewer: string;
  readonly to: TrackerState;
}

type CardEvent = NonNullable<CardMoves['nodes'][number]>;

/**
 * Moves a card, and judges what the vendor says of it in the same answer. There is no compare-and-set: who closed the issue
 * meanwhile is found there, and who moved the card meanwhile where its record is up to date, which is not promised; then
 * the card is put back to where that person had moved it.
 */
export async function moveByStatus(
  client: GitHubClient,
  states: ProjectStates,
  { card, viewer, to }: CardMove,
): Promise<Written> {
  const place = states.field();
  if (place === undefined) throw new Error('the columns of the board were not read');
  if (card.status?.optionId === to.id) return { kind: 'written' };
  const send = (option: string) => client.mutate(moveCard, { ...place, item: card.id, option });

  let answer: Answer<MovedCard>;
  try {
    answer = await send(to.id);
    // Where only a part of the answer failed, the move may have been made all the same.
    if (!answer.data.move?.projectV2Item) demandWhole(answer.errors.filter(({ path }) => path.length < 2));
  } catch (error) {
    return refusalOf(error);
  }
  const moved = answer.data.move?.projectV2Item;
  if (!moved) throw new GitHubError('broken', 'GitHub did not say what became of the move');
  const content = moved.content !== null && 'state' in moved.content ? moved.content : undefined;
  const stoodIn = content && replacedBy(content.timelineItems, { card, viewer, to });
  const put = stoodIn === undefined ? undefined : states.find(stoodIn);
  const isFaster = put !== undefined && stateKey(put.name) !== stateKey(card.status?.name ?? '');
  const closed = content?.state === 'CLOSED' && card.content.state !== 'CLOSED';
  if (isFaster) demandWhole((await send(put.id)).errors);
  if (closed || isFaster) return { kind: 'changed' };
  return moved.status?.optionId === to.id ? { kind: 'written' } : { kind: 'changed' };
}

/** Where the card stood when our move came, by an event that was not there when the card was read. */
function replacedBy({ nodes }: CardMoves, { card, viewer, to }: CardMove): string | undefined {
  const before = new Set(card.content.timelineItems.nodes.map((event) => event?.id));
  const isOurMove = (event: CardEvent) =>
    event.actor != null &&
    isSameName(nameOf(event.actor), viewer) &&
    stateKey(event.status) === stateKey(to.name);
  const ours = nodes.findLast(
    (event) => event !== null && event.project?.id === card.project.id && isOurMove(event),
  );
  return ours && !before.has(ours.id) ? ours.previousStatus : undefined;
}

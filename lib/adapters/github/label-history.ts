import type { StateMove } from '../../controller/ports.ts';
import type { Issue, StateName } from '../../core/issue.ts';
import type { Actor, TimelineEvent, WholeIssue } from './issue-fields.ts';
import type { LabelStates } from './label-states.ts';
import { isSameName, nameOf, type TrustedActors } from './trusted-actors.ts';

type Events = Pick<WholeIssue, 'timelineItems'>;
type Texts = Pick<WholeIssue, 'lastEditedAt' | 'editor'>;

/** Whether a trusted actor, and not an automation, brought an issue to where it is. */
export interface LabelHistory {
  /** `person` where a person had a hand in its latest move, and that person is known. */
  readonly movedBy: Issue['movedBy'];
  readonly trusted: Issue['trusted'];
}

/**
 * Judges an issue by the latest events of its state labels. The move that counts is the latest one into its state: the
 * label's own event, or a later reopening. Our own moves hand on the trust of the one before: they follow a start that
 * was trusted. Trusted is what was read then: whoever changed the title or the description since has to be trusted too.
 */
export async function judgeHistory(
  issue: Events & Texts,
  stateId: string | undefined,
  states: LabelStates,
  actors: TrustedActors,
  viewer: string,
): Promise<LabelHistory> {
  const events = movesOf(issue, states);
  const movedBy = latestMove(events).some(isByPerson) ? 'person' : 'automation';
  let trusted = await actors.judge(undefined);
  for (const move of movesInto(events, stateId)) {
    trusted = await actors.judge(move.actor);
    if (trusted === true) {
      trusted = await judgeTexts(issue, move, actors);
      break;
    }
    if (!isOurs(move.actor, viewer)) break;
  }
  return { movedBy, trusted };
}

/** Whoever changed the text last since this move answers for all of it. Times are whole seconds: the same one may be later. */
async function judgeTexts(
  { lastEditedAt, editor, timelineItems: { nodes } }: Events & Texts,
  move: TimelineEvent,
  actors: TrustedActors,
): Promise<Issue['trusted']> {
  const isEdited = lastEditedAt !== null && !(Date.parse(lastEditedAt) < Date.parse(move.createdAt ?? ''));
  const rename = nodes.findLast(isRename);
  const changers = [
    ...(isEdited ? [editor] : []),
    ...(rename !== undefined && nodes.indexOf(rename) > nodes.indexOf(move) ? [rename.actor] : []),
  ];
  for (const changer of changers) {
    const trusted = await actors.judge(changer);
    if (trusted !== true) return trusted;
  }
  return true;
}

function isRename({ __typename }: TimelineEvent): boolean {
  return __typename === 'RenamedTitleEvent';
}

/** The latest arrival in a state, and what was cleared up or decided after it, which may be somebody else's doing. */
function latestMove(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  return events.slice(Math.max(0, events.findLastIndex(isArrival)));
}

/** Who cannot be learnt may have been an automation. */
function isByPerson({ actor }: TimelineEvent): boolean {
  return actor !== undefined && actor.__typename !== 'Bot';
}

/** The moves that may have brought it here, newest first: those before the label's own event only after our own moves. */
function movesInto(events: readonly TimelineEvent[], stateId: string | undefined): readonly TimelineEvent[] {
  const arrivals = events.filter(isArrival);
  const last = arrivals.findLastIndex(({ label }) => label?.id === stateId);
  const reopened = arrivals.findLastIndex(({ __typename }) => __typename === 'ReopenedEvent');
  return last < 0 ? [] : arrivals.slice(0, Math.max(last, reopened) + 1).reverse();
}

/** The latest moves from state to state, oldest first. */
export function listMoves(issue: Events, states: LabelStates, viewer: string): readonly StateMove[] {
  const into = movesOf(issue, states).filter(({ __typename }) => __typename === 'LabeledEvent');
  const nameOfMove = (event: TimelineEvent | undefined) => event?.label?.name as StateName | undefined;
  return into.map((event, at) => ({
    from: nameOfMove(into[at - 1]),
    to: nameOfMove(event),
    ours: isOurs(event.actor, viewer),
  }));
}

function isArrival({ __typename }: TimelineEvent): boolean {
  return __typename === 'LabeledEvent' || __typename === 'ReopenedEvent';
}

function movesOf({ timelineItems }: Events, states: LabelStates): readonly TimelineEvent[] {
  return timelineItems.nodes.filter(
    (event) => !isRename(event) && (!event.label || states.isState(event.label.id)),
  );
}

function isOurs(actor: Actor | undefined, viewer: string): boolean {
  return actor !== undefined && isSameName(nameOf(actor), viewer);
}

import type { Written } from '../../../lib/controller/ports.ts';
import type { Issue, StateName } from '../../../lib/core/issue.ts';
import { stateKey } from '../../../lib/core/issue.ts';
import { type Card, type CardBoard, columnNamed, noteMove, putInto } from './card-board.ts';

export interface Asked {
  readonly issue: Issue;
  readonly to: StateName;
  readonly kind: 'transition' | 'restore' | 'take-back';
}

/**
 * A write of ours reaches the board. Where nothing compares, the last writer wins; where states are labels, ours is added
 * and only the one that was read is taken away, so that a person's label stays, and the answer shows both.
 */
export function landMove(
  board: CardBoard,
  card: Card | undefined,
  { issue, to }: Asked,
  versionRead: number | undefined,
): Written | 'messy' {
  const { flavour } = board;
  if (flavour.compareAndSet && card?.version !== versionRead) return { kind: 'changed' };
  const target = columnNamed(board, to);
  if (card === undefined || card.gone || target === undefined)
    return { kind: 'rejected', problem: `There is no issue ${issue.key}.` };
  if (!flavour.statesAreLabels) {
    if (flavour.compareAndSet && card.gone) return { kind: 'changed' };
    putInto(board, card, target.name, 'us');
    return { kind: 'written' };
  }
  const from = issue.state === undefined ? undefined : stateKey(issue.state);
  const others = card.states.filter((state) => stateKey(state) !== from && state !== target.name);
  if (others.length === 0 && !card.closed) {
    putInto(board, card, target.name, 'us');
    return { kind: 'written' };
  }
  card.states = [...others, target.name];
  noteMove(board, card, issue.state, target.name, card.movedBy);
  return 'messy';
}

/** A write that is cut off after its first half: our label is there, and the one that was read is, too. */
export function landHalf(board: CardBoard, card: Card | undefined, { issue, to }: Asked): Written | 'messy' {
  const target = columnNamed(board, to);
  if (card === undefined || card.gone || target === undefined)
    return { kind: 'rejected', problem: `There is no issue ${issue.key}.` };
  card.states = [...card.states.filter((state) => state !== target.name), target.name];
  noteMove(board, card, issue.state, target.name, card.movedBy);
  return 'messy';
}

/** Takes back the label that a move has added beside somebody else's. */
export function takeBack(board: CardBoard, card: Card, to: StateName): void {
  const left = card.states.filter((state) => stateKey(state) !== stateKey(to));
  if (left.length === 0 || left.length === card.states.length) return;
  card.states = left;
  noteMove(board, card, to, left[0], card.movedBy);
}

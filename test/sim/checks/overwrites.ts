import { type Card, standingOf } from '../models/card-board.ts';
import type { Overwrite, Truth } from './truth.ts';

/** Whether a close that one of our writes replaced is still replaced, and nobody has been told. */
export function isLeftOverwritten({ memory }: Truth, { card, at, was, by }: Overwrite): boolean {
  const isPast = card.wish.at > at || memory.alarmed.has(card.id) || memory.tableLostAt >= at;
  return !isPast && !card.gone && isReplaced(card, was, by);
}

/** What was closed is open, or ended in another state than the one that people had chosen. */
function isReplaced(card: Card, was: string, by: string): boolean {
  return standingOf(card) !== 'terminal' || (was !== by && card.states[0] === by);
}

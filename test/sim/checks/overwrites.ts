import { standingOf } from '../models/card-board.ts';
import type { Overwrite, Truth } from './truth.ts';

/** Whether a close that one of our writes replaced is still replaced, and nobody has been told. */
export function isLeftOverwritten({ memory }: Truth, { card, at }: Overwrite): boolean {
  const isPast = card.wish.at > at || memory.alarmed.has(card.id) || memory.tableLostAt >= at;
  return !isPast && !card.gone && standingOf(card) !== 'terminal';
}

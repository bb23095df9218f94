import type { BoardRecord } from './board-record.ts';
import type { Change } from './change.ts';
import type { Instant } from './issue.ts';

/** A paused board starts nothing and goes on settling. Pausing it again keeps since when it is. */
export function pause(board: BoardRecord | undefined, now: Instant): Change<BoardRecord> {
  return { ...sameAsSeen(board), operation: 'pause', set: { paused: board?.paused ?? { since: now } } };
}

export function resume(board: BoardRecord | undefined): Change<BoardRecord> {
  return { ...sameAsSeen(board), operation: 'resume', remove: ['paused'] };
}

/** Refused when somebody else has changed the board's item since it was read. */
function sameAsSeen(board: BoardRecord | undefined): Change<BoardRecord> {
  return {
    operation: 'keep',
    when: [
      board === undefined ? [{ field: 'v', is: 'absent' }] : [{ field: 'v', is: 'equal', value: board.v }],
    ],
    set: {},
    remove: [],
    add: {},
    append: {},
  };
}

import type { BoardRecord } from './board-record.ts';
import type { Change } from './change.ts';
import type { LiveContract } from './contract.ts';
import type { Instant } from './issue.ts';
import { boundLimit } from './tracker-quota.ts';

/** What a tick learnt of a board that later ticks need. */
export interface Learnt {
  readonly contract: LiveContract;
  /** Until when its tracker is not to be asked, as a read just found; undefined where nothing was found. */
  readonly limitedUntil: Instant | undefined;
}

/**
 * Keeps the contract that holds, with the ids of its states, so that a later rename reads as one; and until when the
 * board is not read, so that a process that begins anew does not ask in vain. Undefined where nothing is new. Refused
 * when somebody else has changed the board's item since it was read; the next tick learns it again.
 */
export function keepLearnt(
  record: BoardRecord | undefined,
  { contract, limitedUntil }: Learnt,
  now: Instant,
): Change<BoardRecord> | undefined {
  const quotaResetAt = boundLimit(limitedUntil, now);
  const set: Partial<BoardRecord> = {
    ...(contract.valid && JSON.stringify(contract.record) !== JSON.stringify(record?.contract)
      ? { contract: contract.record }
      : {}),
    ...(quotaResetAt !== undefined && quotaResetAt !== record?.quotaResetAt ? { quotaResetAt } : {}),
  };
  if (Object.keys(set).length === 0) return undefined;
  return {
    operation: 'keep-learnt',
    when: [
      record === undefined ? [{ field: 'v', is: 'absent' }] : [{ field: 'v', is: 'equal', value: record.v }],
    ],
    set,
    remove: [],
    add: {},
    append: {},
  };
}

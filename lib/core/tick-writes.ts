import type { TickRecord } from './board-record.ts';
import type { Alternative, Change } from './change.ts';
import type { Instant } from './issue.ts';

/**
 * The writes of the tick record. It admits ticks by number, counts hints so that none is lost, and names the generation
 * under which leases live. *Missing* or *closed* (no epoch) means: nothing is dispatched. Hints only make a tick start
 * earlier; no rule of safety depends on which tick is admitted.
 */
type TickWrite = Change<TickRecord>;

const open: Alternative = [{ field: 'epoch', is: 'present' }];

/** Takes the next epoch. A hint's tick is admitted only when no tick runs and something is unseen. */
export function startTick(trigger: 'scheduled' | 'hint', now: Instant): TickWrite {
  const idleAndUnseen: Alternative = [
    ...open,
    { field: 'done', is: 'same-as', other: 'epoch' },
    { field: 'dirty', is: 'differs-from', other: 'seen' },
  ];
  return write(
    'start-tick',
    trigger === 'hint' ? idleAndUnseen : open,
    { startedAt: now, ...(trigger === 'scheduled' ? { stamp: now } : {}) },
    { epoch: 1 },
  );
}

/** Closes the tick, if no hint came since `took` was read; refused otherwise, and then one more round is owed. */
export function finishTick(me: TickIdentity, took: number, result: Partial<TickRecord>): TickWrite {
  return write('finish-tick', [...mine(me), { field: 'dirty', is: 'equal', value: took }], {
    ...result,
    done: me.epoch,
    seen: took,
  });
}

/** Closes the tick although hints came: the caller then asks for one tick more. */
export function finishTickOwing(me: TickIdentity, took: number, result: Partial<TickRecord>): TickWrite {
  return write('finish-tick-owing', mine(me), { ...result, done: me.epoch, seen: took });
}

/** Counts a hint. On an empty table it is refused rather than creating a record that would block the bootstrap. */
export function countHint(): TickWrite {
  return write('hint', open, {}, { dirty: 1 });
}

/** Puts the record closed on an empty table. */
export function putTickClosed(gen: string): TickWrite {
  return write('put-tick-closed', [{ field: 'v', is: 'absent' }], { gen });
}

/**
 * Closes a record that came out of a backup, under a generation that no other table ever had: what it says of leases is old,
 * and is read by nobody any more. What runs is found and adopted as after a lost table.
 */
export function renewGeneration(old: string, gen: string): TickWrite {
  const change = write('renew-generation', [{ field: 'gen', is: 'equal', value: old }], { gen });
  return { ...change, remove: ['epoch', 'since'] };
}

/** Notes when a look first saw the record closed. */
export function stampClosed(gen: string, now: Instant): TickWrite {
  return write('stamp-closed', [...closed(gen), { field: 'since', is: 'absent' }], { since: now });
}

/** Opens the record: every live task is leased or gone. */
export function openTick(gen: string): TickWrite {
  return write('open-tick', closed(gen), { epoch: 0, done: 0, dirty: 0, seen: 0 });
}

export interface TickIdentity {
  readonly gen: string;
  readonly epoch: number;
}

function mine(me: TickIdentity): Alternative {
  return [
    { field: 'gen', is: 'equal', value: me.gen },
    { field: 'epoch', is: 'equal', value: me.epoch },
  ];
}

function closed(gen: string): Alternative {
  return [
    { field: 'gen', is: 'equal', value: gen },
    { field: 'epoch', is: 'absent' },
  ];
}

function write(
  operation: string,
  when: Alternative,
  set: Partial<TickRecord>,
  add: TickWrite['add'] = {},
): TickWrite {
  return { operation, when: [when], set, remove: [], add, append: {} };
}

import type { TickRecord } from '../../../lib/core/board-record.ts';
import { below, flag, oneOf, struct, times, type ValueOf } from '../search/codec.ts';
import type { Model, Take } from '../search/explore.ts';
import { refused } from '../writes/item-book.ts';
import type { Broken } from '../writes/lease-writes.ts';
import { genOf, type TickOperation, type TickWrites, tickWrites } from '../writes/tick-writes.ts';
import { offTick, stepHintsTick } from './hints-tick.ts';

export interface HintsScope {
  /** How often somebody changes the board; each change sends one webhook. */
  readonly changes: number;
  readonly ticks: number;
  readonly scheduled?: number;
  readonly kills?: number;
  readonly rounds?: number;
  /** Whether every change is served in the end; a kill may leave one to a tick of the schedule that this scope has not. */
  readonly isServed?: boolean;
}

/** Rules that a mutant leaves out. */
export type HintsRule =
  | 'the hint is counted before the tick is asked for'
  | 'a hint during the tick brings one more round'
  | 'a tick has seen the hints that it took'
  | 'a tick that is out of time asks for another'
  | 'hints are compared in the finishing write'
  | 'hints are taken before the board is read';

export interface HintsWorld {
  readonly scope: HintsScope;
  readonly ticks: TickWrites;
  isLeftOut(rule: HintsRule): boolean;
}

const hintsCodec = ({ changes, ticks, scheduled, kills, rounds }: HintsScope) =>
  struct({
    record: below(4096),
    /** The newest change that somebody made, that a hint was counted for, and that a finished round has read. */
    board: below(8),
    hinted: below(8),
    served: below(8),
    changes: below(changes + 1),
    scheduled: below((scheduled ?? 0) + 1),
    kills: below((kills ?? 0) + 1),
    asked: below(8),
    /** Something was killed since the last scheduled tick: the next one serves it. */
    isOwed: flag,
    webhooks: times(changes, struct({ at: oneOf(['off', 'counts', 'asks']), change: below(8) })),
    ticks: times(
      ticks,
      struct({
        at: oneOf(['off', 'takes', 'reads', 'works', 'finishes', 'checked', 'looks', 'owes', 'asks']),
        epoch: below(16),
        took: below(8),
        read: below(8),
        rounds: below((rounds ?? 2) + 1),
      }),
    ),
  });
export type HintsState = ValueOf<ReturnType<typeof hintsCodec>>;

/**
 * No hint is lost, and one is served by at most one more round. A webhook counts its hint, then asks for a tick, which is
 * admitted only if none runs and something is unseen; a tick takes the count with its start and reads the board after it.
 */
export function hintsModel(
  scope: HintsScope,
  leftOut: readonly HintsRule[] = [],
  broken: Broken<TickOperation, TickRecord> = {},
): Model<HintsState> {
  const ticks = tickWrites(broken);
  const world: HintsWorld = { scope, ticks, isLeftOut: (rule) => leftOut.includes(rule) };
  return {
    codec: hintsCodec(scope),
    start: {
      record: ticks.numberOf({ v: 1, gen: genOf(1), epoch: 0, done: 0, dirty: 0, seen: 0 }),
      board: 0,
      hinted: 0,
      served: 0,
      changes: scope.changes,
      scheduled: scope.scheduled ?? 0,
      kills: scope.kills ?? 0,
      asked: 0,
      isOwed: false,
      webhooks: Array.from({ length: scope.changes }, () => ({ at: 'off', change: 0 })),
      ticks: Array.from({ length: scope.ticks }, () => offTick),
    },
    steps(state, take) {
      stepPeople(world, state, take);
      for (let at = 0; at < state.webhooks.length; at += 1) stepWebhook(world, state, at, take);
      stepStart(world, state, take);
      for (let at = 0; at < state.ticks.length; at += 1) stepHintsTick(world, state, at, take);
    },
    broken: lostHint,
    ...(scope.isServed ? { clean: (state) => state.served >= state.board } : {}),
    show: ({ board, hinted, served }) =>
      `board at change ${board}, hints up to ${hinted}, read up to ${served}`,
  };
}

function stepPeople(world: HintsWorld, state: HintsState, take: Take<HintsState>) {
  if (state.changes === 0) return;
  const board = state.board + 1;
  const at = world.isLeftOut('the hint is counted before the tick is asked for') ? 'asks' : 'counts';
  const webhooks = state.webhooks.with(board - 1, { at, change: board });
  take('a person', 'changes the board', { ...state, changes: state.changes - 1, board, webhooks });
}

function stepWebhook(world: HintsWorld, state: HintsState, index: number, take: Take<HintsState>) {
  const { at, change } = state.webhooks[index]!;
  if (at === 'off') return;
  const who = `webhook ${change}`;
  const asksFirst = world.isLeftOut('the hint is counted before the tick is asked for');
  const become = (next: 'off' | 'counts' | 'asks') => state.webhooks.with(index, { at: next, change });
  if (state.kills > 0)
    take(who, 'is killed', { ...state, kills: state.kills - 1, isOwed: true, webhooks: become('off') });
  if (at === 'counts') {
    const record = world.ticks.make('hint').on(state.record);
    const hinted = Math.max(state.hinted, change);
    take(who, 'counts its hint', { ...state, record, hinted, webhooks: become(asksFirst ? 'off' : 'asks') });
  } else
    take(who, 'asks for a tick', {
      ...askForTick(world, state),
      webhooks: become(asksFirst ? 'counts' : 'off'),
    });
}

/** Two ticks that are asked for do what any number of them does, unless they may come before their hint. */
export function askForTick(world: HintsWorld, state: HintsState): HintsState {
  const most = world.isLeftOut('the hint is counted before the tick is asked for') ? 7 : 2;
  return { ...state, asked: Math.min(most, state.asked + 1) };
}

function stepStart(world: HintsWorld, state: HintsState, take: Take<HintsState>) {
  const free = state.ticks.findIndex(({ at }) => at === 'off');
  if (free < 0) return;
  const start = (from: HintsState, record: number): HintsState => {
    const { epoch, dirty } = world.ticks.item(record)!;
    const tick = {
      at: 'reads',
      epoch: epoch!,
      took: dirty!,
      read: 0,
      rounds: world.scope.rounds ?? 2,
    } as const;
    return { ...from, record, ticks: state.ticks.with(free, tick) };
  };
  if (state.scheduled > 0) {
    const record = world.ticks.make('start-tick').on(state.record);
    take(
      'the schedule',
      'starts a tick',
      start({ ...state, scheduled: state.scheduled - 1, isOwed: false }, record),
    );
  }
  if (state.asked > 0) {
    const record = world.ticks.make('start-hint-tick').on(state.record);
    const served = { ...state, asked: state.asked - 1 };
    take(
      'a hint',
      record === refused ? 'is refused its tick' : 'starts a tick',
      record === refused ? served : start(served, record),
    );
  }
}

/** Nothing can happen any more, nothing was killed, and yet a counted hint has no board read after it. */
function lostHint({ changes, asked, scheduled, webhooks, ticks, served, hinted, isOwed }: HintsState) {
  const isQuiet =
    changes + asked + scheduled === 0 &&
    webhooks.every(({ at }) => at === 'off') &&
    ticks.every(({ at }) => at === 'off');
  return isQuiet && served < hinted && !isOwed ? 'HINT LOST' : undefined;
}

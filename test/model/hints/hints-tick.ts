import type { Take } from '../search/explore.ts';
import { refused } from '../writes/item-book.ts';
import { askForTick, type HintsState, type HintsWorld } from './hints-model.ts';

type Tick = HintsState['ticks'][number];

export const offTick: Tick = { at: 'off', epoch: 0, took: 0, read: 0, rounds: 0 };

interface Step {
  readonly world: HintsWorld;
  readonly state: HintsState;
  readonly index: number;
  readonly tick: Tick;
  readonly who: string;
  readonly take: Take<HintsState>;
}

export function stepHintsTick(world: HintsWorld, state: HintsState, index: number, take: Take<HintsState>) {
  const tick = state.ticks[index]!;
  if (tick.at === 'off') return;
  const step: Step = { world, state, index, tick, take, who: `tick ${tick.epoch}` };
  if (state.kills > 0)
    take(step.who, 'is killed', put(step, { ...state, kills: state.kills - 1, isOwed: true }, offTick));
  const takesLate = world.isLeftOut('hints are taken before the board is read');
  switch (tick.at) {
    case 'takes':
      return take(
        step.who,
        'takes the hints',
        put(step, state, { took: recordOf(step).dirty!, at: takesLate ? 'works' : 'reads' }),
      );
    case 'reads':
      return take(
        step.who,
        'reads the board',
        put(step, state, { read: state.board, at: takesLate ? 'takes' : 'works' }),
      );
    case 'works':
      return take(step.who, 'reconciles', put(step, state, { at: 'finishes' }));
    case 'finishes':
      return finishes(step);
    case 'checked':
      return take(step.who, 'finishes', finished(step, 'finish-tick-owing'));
    case 'looks':
      return looks(step);
    case 'owes':
      return owes(step);
    case 'asks':
      return take(step.who, 'asks for a tick', put(step, askForTick(world, state), offTick));
  }
}

/** The round is over: what it read is served, and the tick ends unless a hint came since it took them. */
function finishes(step: Step) {
  const { world, tick, take } = step;
  if (!world.isLeftOut('hints are compared in the finishing write')) {
    const anyHint = world.isLeftOut('a hint during the tick brings one more round');
    return take(step.who, 'finishes', finished(step, anyHint ? 'finish-tick-owing' : 'finish-tick'));
  }
  const isSame = recordOf(step).dirty === tick.took;
  take(
    step.who,
    isSame ? 'sees no new hint' : 'sees a new hint',
    put(step, served(step), { at: isSame ? 'checked' : 'looks' }),
  );
}

function finished(step: Step, operation: 'finish-tick' | 'finish-tick-owing'): HintsState {
  const { world, state, tick } = step;
  const seesAll = world.isLeftOut('a tick has seen the hints that it took');
  const took = seesAll ? recordOf(step).dirty! : tick.took;
  const record = world.ticks.make(operation, tick.epoch, took).on(state.record);
  const isRefused = record === refused;
  return put(
    step,
    { ...served(step), record: isRefused ? state.record : record },
    isRefused ? { at: 'looks' } : offTick,
  );
}

/** Refused: a newer tick is at work, or a hint came and is taken for one more round, or there is no time left. */
function looks(step: Step) {
  const { world, state, tick, take } = step;
  const { epoch, dirty } = recordOf(step);
  if (epoch !== tick.epoch) return take(step.who, 'sees a newer tick', put(step, state, offTick));
  if (tick.rounds <= 1) return take(step.who, 'has no time left', put(step, state, { at: 'owes' }));
  const takesLate = world.isLeftOut('hints are taken before the board is read');
  const next = { at: 'reads', rounds: tick.rounds - 1, took: takesLate ? tick.took : dirty! } as const;
  take(step.who, 'takes the hints for one more round', put(step, state, next));
}

function owes(step: Step) {
  const { world, state, tick, take } = step;
  const record = world.ticks.make('finish-tick-owing', tick.epoch, tick.took).on(state.record);
  const isAsking = record !== refused && !world.isLeftOut('a tick that is out of time asks for another');
  take(
    step.who,
    record === refused ? 'sees a newer tick' : 'finishes and owes a tick',
    put(
      step,
      { ...state, record: record === refused ? state.record : record },
      isAsking ? { at: 'asks' } : offTick,
    ),
  );
}

function served({ state, tick }: Step): HintsState {
  return { ...state, served: Math.max(state.served, tick.read) };
}

function recordOf({ world, state }: Step) {
  return world.ticks.item(state.record)!;
}

function put({ index }: Step, state: HintsState, to: Partial<Tick>): HintsState {
  return { ...state, ticks: state.ticks.with(index, { ...state.ticks[index]!, ...to }) };
}

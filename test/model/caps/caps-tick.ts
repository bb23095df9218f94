import type { Take } from '../search/explore.ts';
import {
  claims,
  confirms,
  launches,
  looksForClaim,
  looksForMark,
  marks,
  recounts,
  takesBack,
} from './caps-claim.ts';
import { type CapsWorld, columnNumber, startColumns } from './caps-model.ts';
import type { CapsState, Tick } from './caps-state.ts';
import { end, go, isCurrent, put, type Step, sendLaunch, toNextClaim, write } from './caps-step.ts';

export function stepTick(world: CapsWorld, state: CapsState, number: number, take: Take<CapsState>) {
  const tick = state.ticks[number]!;
  const step: Step = {
    world,
    state,
    number,
    tick,
    take,
    name: tick.epoch === 0 ? 'a tick' : `tick ${tick.epoch}`,
  };
  if (tick.at !== 'off') take(step.name, 'crashes', end(step, state));
  switch (tick.at) {
    case 'off':
      return starts(step);
    case 'reads':
      return reads(step);
    case 'releases':
      return releases(step);
    case 'checks its epoch':
      return take(
        step.name,
        'checks its epoch',
        isCurrent(step) ? go(step, { at: 'claims' }) : end(step, state),
      );
    case 'claims':
      return claims(step);
    case 'looks for its claim':
      return looksForClaim(step);
    case 'confirms':
      return confirms(step);
    case 'takes back':
      return takesBack(step);
    case 'marks':
      return marks(step);
    case 'looks for its mark':
      return looksForMark(step);
    case 'launches':
      return launches(step);
    case 'between rounds':
      take(step.name, 'ends', end(step, state));
      return take(step.name, 'looks once more', go(step, { ...world.off, epoch: tick.epoch, at: 'reads' }));
    case 'adds late':
      return take(step.name, 'takes its epoch', toNextClaim(step, withNewEpoch(step), 0));
    case 'recounts':
      return recounts(step);
  }
}

function starts(step: Step) {
  const { world, state, take } = step;
  if (!world.isLeftOut('the epoch is taken before the leases are read'))
    return take(step.name, 'takes the next epoch', put(step, withNewEpoch(step), { at: 'reads' }));
  // The count is taken first, and the epoch only after it.
  let counted: Tick = { ...step.tick, at: 'adds late', epoch: state.epoch + 1 };
  state.issues.forEach((_, issue) => {
    counted = count(step, counted, issue);
  });
  take(step.name, 'reads all leases without an epoch', put(step, state, counted));
}

function withNewEpoch({ world, state, number, tick }: Step): CapsState {
  const epoch = world.ticks.nextEpoch(state.epoch);
  return { ...state, epoch, ticks: state.ticks.with(number, { ...tick, epoch }) };
}

/** Leases are read one by one. A claim of an older tick is released on the spot. */
function reads(step: Step) {
  const { world, state, tick, take } = step;
  const { issue } = tick;
  const { lease } = state.issues[issue]!;
  const { phase, epoch, turn } = world.leases.facts(lease);
  if (phase === 'claimed' && epoch < tick.epoch) return readsOldClaim(step, turn);
  const resumed = phase === 'launching' ? sendLaunch(state, issue) : state;
  const deed = `reads issue ${issue}: ${phase}`;
  if (world.isLeftOut('the column is frozen') && phase !== 'idle') {
    startColumns.forEach((column, at) => {
      const counted = tick.counted.with(at, tick.counted[at]! + 1);
      take(step.name, `${deed}, now in ${column}`, afterRead(step, resumed, { ...tick, counted }));
    });
    return;
  }
  take(step.name, deed, afterRead(step, resumed, count(step, tick, issue)));
}

function readsOldClaim(step: Step, turn: number) {
  const { world, state, tick, take } = step;
  const { issue } = tick;
  if (world.isLeftOut('old claims are released or counted'))
    return take(step.name, `passes over the old claim of issue ${issue}`, afterRead(step, state, tick));
  if (!world.isLeftOut('old claims are released, not resumed'))
    return take(step.name, `sees an old claim of issue ${issue}`, go(step, { at: 'releases', turn }));
  const mine = world.leases.renamed(state.issues[issue]!.lease, 2 ** 16 + tick.epoch, {
    epoch: () => tick.epoch,
  });
  const resumed = { ...state, issues: state.issues.with(issue, { lease: mine, sent: true }) };
  take(
    step.name,
    `resumes the old claim of issue ${issue}`,
    afterRead(step, resumed, count(step, tick, issue)),
  );
}

function releases(step: Step) {
  const { tick } = step;
  const { issue } = tick;
  const readAgain = (state: CapsState) =>
    afterRead(step, state, count({ ...step, state }, { ...tick, turn: 0 }, issue));
  write(step, 'unclaim', {}, { done: readAgain, refused: readAgain, unknown: readAgain });
}

function afterRead(step: Step, state: CapsState, tick: Tick): CapsState {
  const isLast = tick.issue + 1 === state.issues.length;
  return isLast
    ? toNextClaim(step, put(step, state, tick), 0)
    : put(step, state, { ...tick, turn: 0, issue: tick.issue + 1 });
}

function count({ world, state }: Step, tick: Tick, issue: number): Tick {
  const { phase, startedFrom } = world.leases.facts(state.issues[issue]!.lease);
  if (phase === 'idle') return { ...tick, seen: tick.seen.with(issue, 'idle') };
  const column = world.scope.columns === undefined ? 0 : columnNumber(startedFrom);
  return { ...tick, counted: tick.counted.with(column, tick.counted[column]! + 1) };
}

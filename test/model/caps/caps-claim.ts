import { startColumns } from './caps-model.ts';
import { type CapsState, type Tick, turnsNamed } from './caps-state.ts';
import { end, go, isCurrent, isMine, put, type Step, sendLaunch, toNextClaim, write } from './caps-step.ts';

export function claims(step: Step) {
  const { world, state, tick, take } = step;
  const { issue } = tick;
  take(step.name, `passes over issue ${issue}`, toNextClaim(step, state, issue + 1));
  const count = world.scope.columns?.count ?? 1;
  for (let column = 0; column < count; column += 1) {
    if (tick.counted[column]! >= (world.scope.columns?.cap ?? world.scope.cap)) continue;
    claimsFrom(step, column);
  }
}

function claimsFrom(step: Step, column: number) {
  const { world, tick } = step;
  const { issue } = tick;
  const turn = newTurn(step);
  const taken = { ...tick, turn, counted: tick.counted.with(column, tick.counted[column]! + 1) };
  const isUnchecked =
    world.isLeftOut('the epoch is confirmed') || world.isLeftOut('the epoch is confirmed after the claim');
  write(
    step,
    'claim',
    {
      turn,
      by: tick.epoch,
      column: startColumns[column]!,
      seen: tick.seen[issue] === 'idle' ? 'idle' : 'stale',
    },
    {
      done: (state) =>
        put(step, state, {
          ...taken,
          seen: state.ticks[step.number]!.seen,
          at: isUnchecked ? 'marks' : 'confirms',
        }),
      refused: (state) => toNextClaim(step, state, issue + 1),
      unknown: (state) =>
        put(step, state, {
          ...taken,
          seen: state.ticks[step.number]!.seen,
          at: 'looks for its claim',
          inner: column,
        }),
    },
  );
}

/** A turn that nobody names on this issue. */
function newTurn({ world, state, tick: { issue } }: Step): number {
  const used = [world.leases.facts(state.issues[issue]!.lease).turn, ...turnsNamed(state, issue)];
  const sent = state.late.find((one) => one.issue === issue);
  if (world.isLeftOut('a claim has a turn of its own') && sent !== undefined) return sent.write.turn;
  return [1, 2, 3, 4, 5, 6].find((turn) => !used.includes(turn))!;
}

export function looksForClaim(step: Step) {
  const { world, state, tick, take } = step;
  const isFree = world.isLeftOut('an unknown claim keeps its slot');
  if (isMine(step, 'claim') && !isFree)
    return take(step.name, 'finds its claim', go(step, { at: 'confirms', inner: 0 }));
  const counted = isFree ? tick.counted.with(tick.inner, tick.counted[tick.inner]! - 1) : tick.counted;
  take(
    step.name,
    'does not find its claim',
    toNextClaim(step, put(step, state, { ...tick, counted, inner: 0 }), tick.issue + 1),
  );
}

export function confirms(step: Step) {
  const { world, take } = step;
  if (world.isLeftOut('epochs, not a second count'))
    return take(step.name, 'counts again', go(step, { at: 'recounts', inner: 0, counted: [0] }));
  if (!isCurrent(step))
    return take(step.name, 'is superseded', go(step, { ...withdrawn(step), at: 'takes back' }));
  take(step.name, 'confirms', go(step, { at: world.isLeftOut('a claim is marked') ? 'launches' : 'marks' }));
}

/** All that a tick still knows when it takes its claim back and ends. */
function withdrawn({ world, tick }: Step): Tick {
  return { ...world.off, epoch: tick.epoch, issue: tick.issue, turn: tick.turn };
}

export function takesBack(step: Step) {
  const over = (state: CapsState) => end(step, state);
  write(step, 'unclaim', {}, { done: over, refused: over, unknown: over });
}

export function marks(step: Step) {
  const { tick } = step;
  write(
    step,
    'mark',
    {},
    {
      done: (state) => put(step, state, { ...state.ticks[step.number]!, at: 'launches' }),
      refused: (state) => toNextClaim(step, state, tick.issue + 1),
      unknown: (state) => put(step, state, { ...state.ticks[step.number]!, at: 'looks for its mark' }),
    },
  );
}

export function looksForMark(step: Step) {
  const { world, state, tick, take } = step;
  if (isMine(step, 'mark')) return take(step.name, 'finds its mark', go(step, { at: 'launches' }));
  const counted = world.isLeftOut('an unknown mark keeps its slot')
    ? tick.counted.with(0, tick.counted[0]! - 1)
    : tick.counted;
  take(
    step.name,
    'does not find its mark',
    toNextClaim(step, put(step, state, { ...tick, counted }), tick.issue + 1),
  );
}

export function launches(step: Step) {
  const { world, state, tick, take } = step;
  const { turn, phase } = world.leases.facts(state.issues[tick.issue]!.lease);
  const sent = turn === tick.turn && phase !== 'idle' ? sendLaunch(state, tick.issue) : state;
  take(step.name, `launches the turn of issue ${tick.issue}`, toNextClaim(step, sent, tick.issue + 1));
}

/** Instead of epochs: after the claim, every lease is read again, one by one. */
export function recounts(step: Step) {
  const { world, state, tick, take } = step;
  const { phase } = world.leases.facts(state.issues[tick.inner]!.lease);
  const counted = tick.counted.with(0, tick.counted[0]! + (phase === 'idle' ? 0 : 1));
  const isOver = counted[0]! > world.scope.cap;
  if (tick.inner + 1 < state.issues.length)
    return take(step.name, 'counts on', go(step, { counted, inner: tick.inner + 1 }));
  take(
    step.name,
    isOver ? 'counts too many' : 'counts few enough',
    isOver
      ? go(step, { ...withdrawn(step), at: 'takes back' })
      : go(step, { counted, inner: 0, at: 'marks' }),
  );
}

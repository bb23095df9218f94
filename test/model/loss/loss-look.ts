import { refused } from '../writes/item-book.ts';
import { askToStop } from './loss-containers.ts';
import { landOn, needsNoWait, sendLate } from './loss-ledger.ts';
import { end, type LossStep, put } from './loss-run.ts';
import type { LossState } from './loss-state.ts';

/** The first look notes since when the record is closed; the wait is counted from there. */
export function stamps(step: LossStep) {
  const { world, state, run, take } = step;
  const next = world.isLeftOut('the record opens after the adoption') ? 'opens' : 'lists';
  const generation = run.isOld ? state.generation - 1 : state.generation;
  const tick = world.ticks.make('stamp-closed', generation).on(state.tick);
  take(
    step.who,
    'notes since when the record is closed',
    put(step, tick === refused ? state : { ...state, tick }, { at: next }),
  );
}

/** Task by task: the lease is there, or is adopted, or the task is asked to stop and this look may not open. */
export function lists(step: LossStep) {
  const { world, state, run, take } = step;
  if (world.scope.deletesRows && run.container === 0 && !run.isOld) {
    const cleared = withoutForeignRows(step);
    if (cleared !== undefined) return take(step.who, 'deletes rows that it did not adopt', cleared);
  }
  if (run.container === state.containers.length) {
    const next = run.mayOpen ? put(step, state, { at: 'opens', container: 0 }) : end(step, state);
    return take(step.who, `ends its list: ${run.mayOpen ? 'every task has its lease' : 'not yet'}`, next);
  }
  sees(step, run.container + 1);
}

function sees(step: LossStep, container: number) {
  const { world, state, run, take } = step;
  const { life, isNew } = state.containers[container - 1]!;
  const { issue } = world.places[container - 1]!;
  const goOn = (from: LossState) => put(step, from, { container });
  const goOnClosed = (from: LossState) => put(step, from, { container, mayOpen: false });
  const isHidden = life === 'dying' && world.isLeftOut('the list shows tasks that are asked to stop');
  const isUnseen = life === 'none' || life === 'stopped' || isHidden;
  if (isUnseen || isNew) take(step.who, `is not shown container ${container}`, goOn(state));
  if (isUnseen) return;
  const { lease } = state.issues[issue]!;
  if (lease !== 0 && world.leases.facts(lease).container === container)
    return take(step.who, `finds the lease of container ${container}`, goOn(state));
  if (run.isOld) {
    take(step.who, `adopts container ${container} in the lost generation`, goOn(state));
    return take(step.who, `asks container ${container} to stop`, goOnClosed(askToStop(state, container)));
  }
  if (adopts(step, container, goOn, goOnClosed)) return;
  const isEnough = world.isLeftOut('a task that is asked to stop keeps the record closed');
  const asked = askToStop(state, container);
  take(step.who, `asks container ${container} to stop`, isEnough ? goOn(asked) : goOnClosed(asked));
  if (world.isLeftOut('a second task keeps the record closed') && lease !== 0)
    take(step.who, `passes over container ${container}`, goOn(state));
}

/** Answers whether nothing else is possible. A look is free to ask a task to stop instead. */
function adopts(
  { world, state, take, who }: LossStep,
  container: number,
  goOn: (from: LossState) => LossState,
  goOnClosed: (from: LossState) => LossState,
): boolean {
  const { issue, turn } = world.places[container - 1]!;
  const adopt = { operation: 'adopt', turn, container } as const;
  const landed = landOn(world, state, issue, adopt);
  if (!landed.done) return false;
  take(who, `adopts container ${container}`, goOn(landed.state), landed.fault);
  if (state.faults > 0)
    take(who, `adopts container ${container}: on its way`, goOnClosed(sendLate(state, issue, adopt)));
  return state.issues[issue]!.lease !== 0;
}

function withoutForeignRows(step: LossStep): LossState | undefined {
  const { world, state } = step;
  const isForeign = (lease: number) => lease !== 0 && world.leases.facts(lease).phase !== 'running';
  if (
    world.ticks.item(state.tick)?.epoch !== undefined ||
    !state.issues.some(({ lease }) => isForeign(lease))
  )
    return undefined;
  const issues = state.issues.map((issue) => (isForeign(issue.lease) ? { ...issue, lease: 0 } : issue));
  return put(step, { ...state, issues }, { container: 0, mayOpen: false });
}

/** Opens the record by the product's own condition. The age counts as it was when the look began. */
export function opens(step: LossStep) {
  const { world, state, run, take } = step;
  const opensFirst = world.isLeftOut('the record opens after the adoption');
  const isRipe = state.isRipe || needsNoWait(world) || opensFirst;
  const isOpenAlready = world.ticks.item(state.tick)?.epoch !== undefined;
  const generation = run.isOld ? state.generation - 1 : state.generation;
  const tick = world.ticks.make('open-tick', generation).on(state.tick);
  if (tick === refused || !(isRipe || isOpenAlready))
    return take(step.who, 'may not open the record', end(step, state));
  // A record that is opened over an open one is another look's own, and has no rows yet.
  const issues = isOpenAlready ? state.issues.map((issue) => ({ ...issue, lease: 0 })) : state.issues;
  const opened = { ...state, tick, isRipe: false, issues };
  const next = opensFirst
    ? put(step, opened, { at: 'lists', container: 0, mayOpen: false })
    : end(step, opened);
  take(step.who, 'opens the record', next);
}

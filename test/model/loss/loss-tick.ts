import { askToStop } from './loss-containers.ts';
import { newEpoch } from './loss-ledger.ts';
import { end, type LossStep, put, willWrite } from './loss-run.ts';
import { abandoned, type LossRun, type LossState } from './loss-state.ts';

/** An ordinary tick: one action on one issue, as its lease stands now. */
export function acts(step: LossStep) {
  const { world, state, run } = step;
  const { lease } = state.issues[run.issue]!;
  const { phase, turn, epoch, pending } = world.leases.facts(lease);
  const write = (operation: LossRun['operation'], more: Partial<LossRun> = {}) =>
    willWrite(step, state, { operation, turn, ...more });
  if (pending?.intent === abandoned) return seesOpenMove(step, write('take-over-intent'));
  switch (phase) {
    case 'none':
    case 'idle':
      if (mayStart(step))
        return go(
          step,
          'an issue to start',
          write('claim', { turn: state.issues[run.issue]!.used + 1, seen: phase }),
        );
      return seesNothing(step, turn);
    case 'claimed':
      // A row of a lost generation has an epoch larger than ours: it is taken for a newer tick's.
      return epoch <= newEpoch ? go(step, 'an old claim', write('unclaim')) : seesNothing(step, turn);
    case 'launching':
      go(step, 'a launch to give up', write('give-up-launch'));
      return go(step, 'a launch', put(step, state, { at: 'launches', turn }));
    case 'running':
    case 'stopping':
      return seesHeld(step);
    case 'ending':
      return go(step, 'an ending', write('join'));
  }
}

function seesOpenMove(step: LossStep, takesOver: LossState) {
  const isHeld = step.state.moving.some(({ issue }) => issue === step.run.issue);
  go(
    step,
    isHeld ? 'an open move that may still land' : 'an open move',
    isHeld ? end(step, step.state) : takesOver,
  );
}

function mayStart({ world, state, run }: LossStep): boolean {
  const held = state.issues.filter(
    ({ lease }) => !['none', 'idle'].includes(world.leases.facts(lease).phase),
  );
  const turns = world.scope.issues[run.issue]!.length;
  return run.isWanted && held.length < (world.scope.cap ?? 9) && state.issues[run.issue]!.used < turns;
}

function seesHeld(step: LossStep) {
  const { world, state, run } = step;
  const { phase, turn, container } = world.leases.facts(state.issues[run.issue]!.lease);
  const hasStopped = isStopped(step, container, turn);
  if (phase === 'running' && hasStopped)
    return go(step, 'its container stopped', willWrite(step, state, { operation: 'end', turn, container }));
  if (phase === 'running')
    return go(step, 'a turn to stop', willWrite(step, state, { operation: 'stop', turn, container }));
  if (hasStopped)
    return go(
      step,
      'its container stopped',
      willWrite(step, state, { operation: 'stopped', turn, container }),
    );
  go(step, 'a turn that is stopping', end(step, askToStop(state, container)));
}

function isStopped({ world, state, run }: LossStep, container: number, turn: number): boolean {
  if (state.containers[container - 1]?.life === 'stopped') return true;
  return (
    world.isLeftOut('an adopted lease names its container') &&
    world.places.some(
      (place, at) =>
        place.issue === run.issue && place.turn === turn && state.containers[at]!.life === 'stopped',
    )
  );
}

/** Nothing to do about the lease; a task that no lease names is asked to stop. */
function seesNothing(step: LossStep, turn: number) {
  const { world, state, run } = step;
  go(step, 'nothing to do', end(step, state));
  if (world.isLeftOut('a turn without a row is told to stop')) return;
  world.places.forEach((place, at) => {
    const isAlive = ['started', 'working', 'let in'].includes(state.containers[at]!.life);
    if (place.issue === run.issue && isAlive && place.turn !== turn)
      go(step, `container ${at + 1} on no lease`, end(step, askToStop(state, at + 1)));
  });
}

function go(step: LossStep, what: string, next: LossState) {
  step.take(step.who, `sees ${what}`, next);
}

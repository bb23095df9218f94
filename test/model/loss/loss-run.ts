import type { Take } from '../search/explore.ts';
import { askToStop } from './loss-containers.ts';
import { landOn, needsNoWait, newEpoch, oldEpoch, sendLate } from './loss-ledger.ts';
import { lists, opens, stamps } from './loss-look.ts';
import { idleLossRun, isOpen, type LossWorld } from './loss-model.ts';
import { abandoned, gone, type LossRun, type LossState } from './loss-state.ts';
import { acts } from './loss-tick.ts';

/** One run of a tick or a look, at its next step. */
export interface LossStep {
  readonly world: LossWorld;
  readonly state: LossState;
  readonly index: number;
  readonly run: LossRun;
  /** The run's name, in endings and announcements. */
  readonly name: number;
  readonly who: string;
  readonly take: Take<LossState>;
}

export function stepLossRun(world: LossWorld, state: LossState, index: number, take: Take<LossState>) {
  const run = state.runs[index]!;
  const who = `${run.isOld ? 'older run' : 'run'} ${index + 1}`;
  const step: LossStep = { world, state, index, run, take, who, name: index + 1 };
  if (run.at !== 'off' && state.crashes > 0)
    take(who, 'crashes', end(step, { ...state, crashes: state.crashes - 1 }));
  switch (run.at) {
    case 'off':
      return starts(step);
    case 'acts':
      return acts(step);
    case 'writes':
      return writes(step);
    case 'confirms':
      return confirms(step);
    case 'launches':
      return launches(step);
    case 'decides':
      return decides(step);
    case 'sends':
      return sends(step);
    case 'awaits':
      return awaits(step);
    case 'stamps':
      return stamps(step);
    case 'lists':
      return lists(step);
    case 'opens':
      return opens(step);
  }
}

/** A tick on one issue while the record is open, by the product's own admission; a look while it is closed. */
function starts(step: LossStep) {
  const { world, state, take } = step;
  const record = world.ticks.item(state.tick);
  if (record === undefined) return;
  if (world.ticks.make('start-tick').on(state.tick) >= 0) {
    const isBusy = state.runs.some(
      ({ at, isOld }) => !['off', 'stamps', 'lists', 'opens'].includes(at) && !isOld,
    );
    if (isBusy) return;
    state.issues.forEach(({ isActive }, issue) => {
      take(
        step.who,
        `starts a tick on issue ${issue}`,
        put(step, state, { at: 'acts', issue, isWanted: isActive }),
      );
    });
    return;
  }
  const isRipe =
    state.isRipe || needsNoWait(world) || world.isLeftOut('the age is judged when a look begins');
  const opensFirst = world.isLeftOut('the record opens after the adoption');
  const at = record.since === undefined ? 'stamps' : opensFirst ? 'opens' : 'lists';
  take(
    step.who,
    `begins a look${isRipe ? ', after the wait' : ''}`,
    put(step, state, { at, mayOpen: isRipe }),
  );
}

/** A write of a lost generation meets nobody's row, and its answer tells nothing: both are possible. */
function writes(step: LossStep) {
  const { world, state, run, take } = step;
  const asked = askedWrite(step);
  const { title } = world.leases.make(asked.operation, asked);
  if (run.isOld && !world.isFlat) {
    take(step.who, `${title}, in the lost generation`, proceed(step, state));
    take(step.who, `${title}, in the lost generation: refused`, end(step, state));
    return;
  }
  const landed = landOn(world, state, run.issue, asked);
  if (!landed.done) return take(step.who, `${title}: refused`, end(step, state));
  const isEarly = run.operation === 'mark' && !isOpen(world, landed.state.tick);
  const next = proceed(step, landed.state);
  take(step.who, title, next, landed.fault ?? (isEarly ? 'LAUNCH BEFORE OPEN' : undefined));
  // A request that is sent twice may land twice; before a loss the version refuses the second one.
  if (run.operation === 'claim' && state.faults > 0 && state.losses > 0)
    take(step.who, `${title}: twice`, sendLate(next, run.issue, { ...asked, seen: 'stale' }), landed.fault);
}

function askedWrite({ run, name }: LossStep) {
  const { operation, turn, container, seen } = run;
  const asked = { operation, turn, container, seen } as const;
  switch (operation) {
    case 'claim':
      return { ...asked, by: run.isOld ? oldEpoch : newEpoch, column: 'todo' } as const;
    case 'intent-of-end':
    case 'take-over-intent':
    case 'clear-intent':
      return { ...asked, by: name, intent: name, other: abandoned, column: 'review' } as const;
    default:
      return { ...asked, by: name };
  }
}

/** What follows a write that is stored. */
function proceed(step: LossStep, state: LossState): LossState {
  const { run } = step;
  switch (run.operation) {
    case 'claim': {
      const issue = state.issues[run.issue]!;
      const used = Math.max(issue.used, run.turn);
      return put(
        step,
        { ...state, issues: state.issues.with(run.issue, { ...issue, used }) },
        { at: 'confirms', seen: 'none' },
      );
    }
    case 'mark':
      return put(step, state, { at: 'launches' });
    case 'stop':
      return end(step, run.container === 0 ? state : askToStop(state, run.container));
    case 'end':
    case 'join':
      return put(step, state, { at: 'decides', container: 0 });
    case 'intent-of-end':
      return put(step, state, { at: 'sends' });
    case 'take-over-intent':
      return willWrite(step, state, { operation: 'clear-intent', isWanted: true });
    case 'clear-intent':
      return run.isWanted ? end(step, state) : willWrite(step, state, { operation: 'settle' });
    default:
      return end(step, state);
  }
}

function confirms(step: LossStep) {
  const { world, state, run, take } = step;
  const isOfGeneration = !run.isOld || world.isLeftOut('the confirmation compares the generation');
  const isCurrent = isOpen(world, state.tick) && isOfGeneration;
  take(
    step.who,
    isCurrent ? 'confirms' : 'finds the record closed or another one',
    willWrite(step, state, { operation: isCurrent ? 'mark' : 'unclaim' }),
  );
}

function launches(step: LossStep) {
  const { state, run, take } = step;
  const issue = state.issues[run.issue]!;
  const sent = Math.min(2, issue.launches[run.turn - 1]! + 1);
  const launched = { ...issue, launches: issue.launches.with(run.turn - 1, sent) };
  take(
    step.who,
    `launches turn ${run.turn}`,
    end(step, { ...state, issues: state.issues.with(run.issue, launched) }),
  );
}

function decides(step: LossStep) {
  const { state, run, take } = step;
  const { isActive } = state.issues[run.issue]!;
  const operation = isActive ? 'intent-of-end' : 'settle';
  take(
    step.who,
    `reads the issue: ${isActive ? 'active' : 'not active'}`,
    willWrite(step, state, { operation, isWanted: false }),
  );
}

function sends(step: LossStep) {
  const { state, run, take } = step;
  const moving = [...state.moving, { issue: run.issue, turn: run.turn }];
  take(step.who, 'sends the hand-off', put(step, { ...state, moving }, { at: 'awaits' }));
}

function awaits(step: LossStep) {
  const { state, run, take } = step;
  if (state.moving.some(({ issue }) => issue === run.issue)) return;
  take(step.who, 'has the answer', willWrite(step, state, { operation: 'clear-intent' }));
}

export function willWrite(step: LossStep, state: LossState, write: Partial<LossRun>): LossState {
  return put(step, state, { ...write, at: 'writes' });
}

export function put({ index }: LossStep, state: LossState, to: Partial<LossRun>): LossState {
  return { ...state, runs: state.runs.with(index, { ...state.runs[index]!, ...to }) };
}

/** The run is over, and whatever still names it names one that is gone. */
export function end(step: LossStep, state: LossState): LossState {
  const { world, name, run } = step;
  const ended = put(step, state, idleLossRun);
  if (run.isOld) return ended;
  const to = {
    run: (one: number) => (one === name ? gone : one),
    intent: (one: number) => (one === name ? abandoned : one),
  };
  const issues = ended.issues.map((issue) => ({
    ...issue,
    lease: world.leases.renamed(issue.lease, 8 + name, to),
  }));
  return { ...ended, issues };
}

import type { Take } from '../search/explore.ts';
import { refused } from '../writes/item-book.ts';
import { noOperands, type SentWrite } from '../writes/lease-writes.ts';
import type { Operands, Operation } from '../writes/write-makers.ts';
import { idleLossRun, isOpen, type LossWorld } from './loss-model.ts';
import type { LossState } from './loss-state.ts';

/** What happens to the ledger and the board by itself: the loss, the bootstrap, the wait, people, what is on its way. */
export function stepLedger(world: LossWorld, state: LossState, take: Take<LossState>) {
  if (state.losses > 0) take('the table', 'is lost', lose(world, state));
  if (state.losses > 0 && world.scope.isRestored) takeRenewal(world, state, take);
  const closed = world.ticks.make('put-tick-closed', state.generation + 1).on(state.tick);
  if (closed !== refused)
    take('a person', 'bootstraps: the record is put closed', {
      ...state,
      tick: closed,
      generation: state.generation + 1,
      isRipe: false,
    });
  if (isWaiting(world, state) && isWaitOver(world, state))
    take('the wait', 'is over', {
      ...state,
      isRipe: true,
      containers: state.containers.map((one) => ({ ...one, isNew: false })),
    });
  stepPeople(state, take);
  stepMoves(world, state, take);
  stepLateWrites(world, state, take);
}

/** From a backup that a person renews: the next record is closed under a generation of its own, and never was missing. */
function takeRenewal(world: LossWorld, state: LossState, take: Take<LossState>) {
  const { generation } = state;
  const tick = world.ticks.make('renew-generation', generation, generation + 1).on(state.tick);
  if (tick === refused) return;
  const restored = { ...lose(world, state), tick, generation: generation + 1 };
  take('a person', 'puts a backup in the place of the table, and renews its generation', restored);
}

function isWaiting(world: LossWorld, { tick, isRipe }: LossState): boolean {
  const record = world.ticks.item(tick);
  return record?.since !== undefined && record.epoch === undefined && !isRipe && !needsNoWait(world);
}

/** On one machine with a local board one look is enough. */
export function needsNoWait({ scope, isLeftOut }: LossWorld): boolean {
  return scope.machine === 'with a local board' || isLeftOut('the record opens after a wait');
}

function lose(world: LossWorld, state: LossState): LossState {
  const { scope, isLeftOut } = world;
  const isRestored = isLeftOut('a restored table has a new generation');
  const isLocked = scope.machine !== undefined && !isLeftOut('a lock proves the former host dead');
  const survives = ({ write }: LossState['late'][number]) =>
    write.operation !== 'adopt' && scope.machine === undefined;
  return {
    ...state,
    losses: state.losses - 1,
    tick: isRestored ? state.tick : 0,
    isRipe: false,
    issues: state.issues.map((issue) => ({ ...issue, lease: 0 })),
    containers: state.containers.map((one) =>
      one.life === 'calling' ? { ...one, life: scope.machine === undefined ? 'called' : 'started' } : one,
    ),
    runs: state.runs.map((run) => {
      if (run.at === 'off' || isLocked) return idleLossRun;
      return { ...run, isOld: !isRestored, seen: run.seen === 'idle' ? 'stale' : run.seen };
    }),
    moving: scope.machine === 'with a local board' ? [] : state.moving,
    late: state.late.filter(survives),
  };
}

/** The wait outlasts every run of the lost generation, its calls and its moves, and makes the list of tasks complete. */
function isWaitOver({ isLeftOut }: LossWorld, { moving, late, runs, containers }: LossState): boolean {
  const noMoves = isLeftOut('the wait outlasts moves on their way');
  const noWrites = isLeftOut('the wait outlasts writes of leases');
  if (moving.length > 0 && !noMoves) return false;
  if (late.some(({ write }) => write.operation === 'claim') && !noWrites) return false;
  const mayMove = (run: LossState['runs'][number]) =>
    run.at === 'acts' ||
    run.at === 'decides' ||
    run.at === 'sends' ||
    run.at === 'awaits' ||
    (run.at === 'writes' && ['end', 'join', 'intent-of-end'].includes(run.operation));
  const isInTheWay = (run: LossState['runs'][number]) =>
    run.isOld && !(noWrites && !mayMove(run)) && !(noMoves && run.at === 'awaits');
  return !runs.some(isInTheWay) && containers.every(({ life }) => life !== 'called');
}

function stepPeople(state: LossState, take: Take<LossState>) {
  if (state.moves === 0) return;
  state.issues.forEach((issue, at) => {
    const moved = { ...issue, isActive: !issue.isActive };
    take('a person', `moves issue ${at} ${moved.isActive ? 'to' : 'away from'} the active column`, {
      ...state,
      moves: state.moves - 1,
      issues: state.issues.with(at, moved),
    });
  });
}

/** While nothing is open a hand-off may land; else only announced, on its own turn's lease. */
function stepMoves(world: LossWorld, state: LossState, take: Take<LossState>) {
  state.moving.forEach(({ issue, turn }, at) => {
    const before = state.issues[issue]!;
    const facts = world.leases.facts(before.lease);
    const isFenced = facts.turn === turn && facts.phase === 'ending' && facts.pending !== undefined;
    take(
      'a hand-off',
      `of issue ${issue} lands, turn ${turn}`,
      {
        ...state,
        moving: state.moving.toSpliced(at, 1),
        issues: state.issues.with(issue, { ...before, isActive: false }),
      },
      isOpen(world, state.tick) && !isFenced ? 'STALE WRITE' : undefined,
    );
  });
}

function stepLateWrites(world: LossWorld, state: LossState, take: Take<LossState>) {
  state.late.forEach(({ issue, write }, at) => {
    const rest = { ...state, late: state.late.toSpliced(at, 1) };
    const { title } = world.leases.make(write.operation, write);
    take('a late write', `is lost: ${title}`, rest);
    // A claim of the lost generation meets a row of the next one only where the keys do not hold the generation.
    const isOld = write.operation === 'claim' && state.losses < (world.scope.losses ?? 1);
    if (isOld && !world.isFlat) return;
    const landed = landOn(world, rest, issue, isOld ? { ...write, by: oldEpoch } : write);
    if (landed.done) take('a late write', `lands: ${title}`, landed.state, landed.fault);
  });
}

/** The epochs under which claims are stored: ticks of one generation follow one another, and older rows count higher. */
export const newEpoch = 1;
export const oldEpoch = 9;

export interface LandedOn {
  readonly state: LossState;
  readonly done: boolean;
  readonly fault: string | undefined;
}

/** Makes a conditional write on an issue's lease. */
export function landOn(
  { leases }: LossWorld,
  state: LossState,
  issue: number,
  asked: { readonly operation: Operation } & Partial<Operands>,
): LandedOn {
  const before = state.issues[issue]!;
  const write = leases.make(asked.operation, asked);
  const lease = write.on(before.lease);
  if (lease === refused) return { state, done: false, fault: undefined };
  return {
    done: true,
    fault: write.faultOn(before.lease),
    state: {
      ...state,
      issues: state.issues.with(issue, { ...before, lease }),
      runs: state.runs.map((run) =>
        run.at === 'writes' && run.issue === issue && run.operation === 'claim' && run.seen !== 'stale'
          ? { ...run, seen: 'stale' }
          : run,
      ),
      late: state.late.map((one) =>
        one.issue === issue && one.write.operation === 'claim' && one.write.seen !== 'stale'
          ? { ...one, write: { ...one.write, seen: 'stale' } }
          : one,
      ),
    },
  };
}

export function sendLate(
  state: LossState,
  issue: number,
  asked: Partial<SentWrite> & Pick<SentWrite, 'operation'>,
): LossState {
  return {
    ...state,
    faults: state.faults - 1,
    late: [...state.late, { issue, write: { ...noOperands, ...asked } }],
  };
}

import type {
  Clock,
  Launch,
  LaunchRequest,
  LiveTask,
  Runner,
  TaskState,
} from '../../lib/controller/ports.ts';
import type { Arn, TurnId } from '../../lib/core/issue.ts';
import type { Evidence } from '../../lib/core/lease.ts';

/**
 * What becomes of one launch:
 *
 * - `works`: the task runs and the caller is told so.
 * - `answer-lost`: the task runs, and the call throws.
 * - `lost`: nothing runs, now or later, and the call throws.
 * - `late`: the call throws, and the task begins at `landLaunches`.
 * - `refused`: nothing runs, now or later, and the caller is told so.
 */
export type LaunchFate = 'works' | 'answer-lost' | 'lost' | 'late' | 'refused';

/** A task as the world has it, whatever the runner's callers were told. */
export interface MemoryTask {
  readonly arn: Arn;
  readonly request: LaunchRequest;
  readonly phase: 'running' | 'stopping' | 'stopped';
  readonly evidence: Evidence | undefined;
}

type FailingCall = 'launch' | 'describe' | 'list' | 'stop';
type Ending = Partial<Omit<Evidence, 'arn' | 'at'>>;

export interface MemoryRunner extends Runner {
  /** Every task that ever began, oldest first. */
  tasks(): readonly MemoryTask[];
  /** The latest task of the turn; throws when none began. */
  taskOf(turnId: TurnId): MemoryTask;
  /** The fates of the next launches, one each; afterwards they work again. A repeat of a known turn uses up none. */
  decideLaunches(...fates: readonly LaunchFate[]): void;
  /** Lets every late launch begin. One whose turn has begun meanwhile begins nothing. */
  landLaunches(): void;
  /** The task ends: exit code 0 unless told otherwise. */
  end(arn: Arn, ending?: Ending): void;
  /** Every task that was told to stop ends by SIGTERM. */
  finishStops(): void;
  /** A task that begins from now on is `missing` to `describe` until `revealTasks`. */
  hideNewTasks(): void;
  revealTasks(): void;
  /** The runner no longer knows a stopped task: `missing` from now on. Its launch token lives on. */
  forget(arn: Arn): void;
  /** While on, the program of each task that is launched never begins, and `list` says so. */
  holdBoots(on: boolean): void;
  /** A repeated launch of this turn begins a second task. */
  forgetToken(turnId: TurnId): void;
  /** While on, the call throws, having done nothing. */
  fail(call: FailingCall, on: boolean): void;
}

interface Row extends MemoryTask {
  readonly booting: boolean;
  readonly hidden: boolean;
  readonly forgotten: boolean;
}

/** A runner whose tasks do nothing, end when told to, and fail in every way that the port allows. */
export function memoryRunner(clock: Clock): MemoryRunner {
  const world = taskWorld(clock);
  const launches = launchDesk(world);
  const failing = new Set<FailingCall>();

  async function answer<Value>(call: FailingCall, value: () => Value): Promise<Value> {
    if (failing.has(call)) throw new Error(`the runner did not answer ${call}`);
    return value();
  }

  return {
    launch: (request) => answer('launch', () => launches.launch(request)),
    describe: (arns) =>
      answer('describe', () => new Map(arns.map((arn) => [arn, stateOf(world.rows.get(arn))]))),
    list: () =>
      answer('list', () =>
        world
          .all()
          .filter((row) => row.phase !== 'stopped')
          .map(asLiveTask),
      ),
    stop: (arn) => answer('stop', () => world.askToStop(arn)),

    tasks: world.all,
    taskOf: (turnId) =>
      need(
        world.all().findLast((row) => row.request.turnId === turnId),
        turnId,
      ),
    decideLaunches: launches.decide,
    landLaunches: launches.land,
    end: world.end,
    finishStops: world.finishStops,
    hideNewTasks: () => world.hide(true),
    revealTasks: () => world.hide(false),
    holdBoots: world.holdBoots,
    forget: (arn) => world.change(arn, { forgotten: true }),
    forgetToken: (turnId) => void world.tokens.delete(turnId),
    fail: (call, on) => void (on ? failing.add(call) : failing.delete(call)),
  };
}

/** What really runs, and which turn began which task. */
function taskWorld(clock: Clock) {
  const rows = new Map<Arn, Row>();
  const tokens = new Map<TurnId, Arn>();
  let hiding = false;
  let holdsBoots = false;

  function change(arn: Arn, by: Partial<Row>): void {
    rows.set(arn, { ...need(rows.get(arn), arn), ...by });
  }

  function end(arn: Arn, ending: Ending = {}): void {
    const usual = { exitCode: 0, signal: undefined, cause: 'exit', detail: 'ended' } as const;
    const asked = need(rows.get(arn), arn).phase === 'stopping' ? { asked: true } : {};
    change(arn, { phase: 'stopped', evidence: { ...usual, ...asked, ...ending, arn, at: clock.now() } });
  }

  return {
    rows,
    tokens,
    all: () => [...rows.values()],
    change,
    end,
    begin(request: LaunchRequest): Arn {
      const known = tokens.get(request.turnId);
      if (known !== undefined) return known;
      const arn = `memory:task:${rows.size + 1}` as Arn;
      rows.set(arn, {
        arn,
        request,
        phase: 'running',
        evidence: undefined,
        booting: holdsBoots,
        hidden: hiding,
        forgotten: false,
      });
      tokens.set(request.turnId, arn);
      return arn;
    },
    askToStop(arn: Arn): void {
      if (rows.get(arn)?.phase === 'running') change(arn, { phase: 'stopping' });
    },
    finishStops(): void {
      for (const { arn, phase } of rows.values()) {
        if (phase === 'stopping') end(arn, { exitCode: undefined, signal: 'SIGTERM' });
      }
    },
    holdBoots(on: boolean): void {
      holdsBoots = on;
    },
    hide(on: boolean): void {
      hiding = on;
      if (!on) for (const arn of rows.keys()) change(arn, { hidden: false });
    },
  };
}

/** Decides what becomes of launches. A refusal is remembered: the same token is refused again. */
function launchDesk(world: ReturnType<typeof taskWorld>) {
  const refusals = new Map<TurnId, string>();
  const fates: LaunchFate[] = [];
  const late: LaunchRequest[] = [];

  return {
    decide: (...next: readonly LaunchFate[]) => void fates.push(...next),
    land: () => void late.splice(0).forEach(world.begin),
    launch(request: LaunchRequest): Launch {
      const known = world.tokens.get(request.turnId);
      if (known !== undefined) return { kind: 'launched', arn: known };
      const refusal = refusals.get(request.turnId);
      if (refusal !== undefined) return { kind: 'refused', problem: refusal };
      const fate = fates.shift() ?? 'works';
      if (fate === 'refused') {
        refusals.set(request.turnId, 'the runner has no capacity');
        return { kind: 'refused', problem: 'the runner has no capacity' };
      }
      if (fate === 'late') late.push(request);
      if (fate === 'answer-lost') world.begin(request);
      if (fate !== 'works') throw new Error('the answer to the launch was lost');
      return { kind: 'launched', arn: world.begin(request) };
    },
  };
}

function need<Known>(known: Known | undefined, name: string): Known {
  if (known === undefined) throw new Error(`the test names a task that never began: ${name}`);
  return known;
}

function stateOf(row: Row | undefined): TaskState {
  if (row === undefined || row.hidden || row.forgotten) return { kind: 'missing' };
  return row.evidence === undefined ? { kind: 'running' } : { kind: 'stopped', evidence: row.evidence };
}

function asLiveTask({ arn, request, booting }: Row): LiveTask {
  const { turnId, board, issueId, attempt, capStates } = request;
  return { arn, turnId, board, issueId, attempt, capStates, ...(booting && { isBooting: true }) };
}

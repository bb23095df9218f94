import { reconcileHandler, TickFailedError, tickRequested } from '../../../functions/reconcile.ts';
import { turnEndHandler } from '../../../functions/turn-end.ts';
import { receiveHint } from '../../../lib/controller/receive-hint.ts';
import { runTick } from '../../../lib/host/run-tick.ts';
import { SimulatedTrouble } from '../calls-in-flight.ts';
import type { Risk } from '../fate.ts';
import type { EndOf, Proc } from '../kernel.ts';
import type { Trace } from '../trace.ts';
import { askForPlan } from './asking.ts';
import type { Setting } from './calls.ts';
import { type Schedule, schedule } from './schedule.ts';
import type { SimPorts } from './sim-ports.ts';
import type { Task } from './task-park.ts';
import { turnNetwork } from './turn-network.ts';
import type { TurnApi } from './turn-program.ts';
import { watchPorts } from './watch-ports.ts';

/** What makes the product's handlers run: the schedule, hints, events, and calls of turns. */
export interface Invocations {
  readonly turnApi: TurnApi;
  readonly schedule: Schedule;
  hint(card: string): void;
  askForTick(): void;
  taskBegan(task: Task): void;
  taskEnded(task: Task): void;
  /** On one machine: the host dies, with everything it has under way, and is started again. */
  restart(): void;
  /** A process was killed: on one machine that is the host. */
  killed(): void;
  /** A person asks what the next tick would do. */
  askPlan(): void;
  /** How many ticks have done everything they had to do. */
  completeTicks(): number;
}

export interface InvocationsOptions {
  readonly setting: Setting;
  readonly ports: SimPorts;
  readonly fail: (rule: string, message: string) => void;
  readonly trace: Trace | undefined;
  /** Whether the ledger is open. */
  readonly isOpen: () => boolean;
  /** Whether the lease names the key of who works. */
  readonly isBound: (task: Task) => boolean;
}

const minuteMs = 60_000;

const hintRisks: readonly Risk[] = [
  { kind: 'lost', of: 'hint.lost' },
  { kind: 'doubled', of: 'hint.doubled', minMs: 0, maxMs: 30_000 },
  { kind: 'late', of: 'hint.late', minMs: 5_000, maxMs: 600_000 },
];
const forgedRisks: readonly Risk[] = [{ kind: 'forged', of: 'event.forged', minMs: 0, maxMs: 60_000 }];
const eventRisks: readonly Risk[] = [
  { kind: 'lost', of: 'event.lost' },
  { kind: 'doubled', of: 'event.doubled', minMs: 0, maxMs: 120_000 },
  { kind: 'late', of: 'event.late', minMs: 10_000, maxMs: 1_800_000 },
];

export function invocations(options: InvocationsOptions): Invocations {
  const { setting, trace } = options;
  const { kernel } = setting;
  const ports = watchPorts(options.ports, kernel, trace?.called);
  const isMachine = setting.flavour.place === 'machine';
  const host = machineHost(setting, isMachine);
  const ticks = { complete: 0 };
  const spawn = spawner(options, host);
  let hintWaits = false;

  function tick(trigger: 'scheduled' | 'hint'): void {
    if (!host.mayTick()) return;
    const event = { 'detail-type': trigger === 'hint' ? tickRequested : 'Scheduled Event' };
    const body = (proc: Proc) =>
      isMachine ? runTick(ports(proc), trigger) : reconcileHandler(ports(proc))(event);
    spawn('tick', isMachine ? 600_000 : 50_000, body, ({ result, error }) => {
      host.tickEnded();
      const report = error instanceof TickFailedError ? error.report : (result as Decided | undefined);
      if (report?.kind === 'done' && error === undefined) ticks.complete += 1;
      trace?.write({ at: kernel.now(), env: 'tick-ended', kind: report?.kind ?? 'failed' });
      noteDecisions(report, setting.saw);
    });
  }

  function tellEnded({ arn, request }: Task): void {
    const detail = { taskArn: arn, startedBy: request.turnId, lastStatus: 'STOPPED' };
    if (host.isUp()) spawn('turn-end', minuteMs, (proc) => turnEndHandler(ports(proc))({ detail }));
  }

  host.onStart(() => {
    hintWaits = false;
    tick('scheduled');
  });
  return {
    turnApi: turnNetwork({
      setting,
      ports,
      spawn,
      isOpen: options.isOpen,
      isBound: options.isBound,
      fail: options.fail,
      isUp: () => host.isUp() && !setting.isDown('turn-api'),
    }),
    schedule: schedule(setting, () => tick('scheduled')),
    completeTicks: () => ticks.complete,
    askPlan: planAsker(setting, ports, host, spawn),
    hint: (card) =>
      deliver(setting, `hint ${card}`, hintRisks, 500, () => {
        if (host.isUp()) spawn('webhook', 10_000, (proc) => receiveHint(ports(proc), 'webhook'));
      }),
    askForTick() {
      if (hintWaits) return;
      hintWaits = true;
      kernel.after(isMachine ? 200 : 3_000, () => {
        hintWaits = false;
        tick('hint');
      });
    },
    taskBegan(task) {
      const forged = setting.fate.decide(`event forged/${task.request.issueId}`, forgedRisks);
      if (forged !== undefined) kernel.after(forged.ms!, () => tellEnded(task));
    },
    taskEnded(task) {
      const name = `event ${task.request.issueId}/${task.request.attempt}`;
      deliver(setting, name, isMachine ? [] : eventRisks, 800, () => tellEnded(task));
    },
    restart: host.restart,
    killed: () => kernel.after(0, host.restart),
  };
}

/** On one machine everything runs in one process: ticks one at a time, and a kill of one is a kill of all. */
function machineHost({ kernel, fate, saw }: Setting, isMachine: boolean) {
  const alive = new Set<Proc>();
  let downUntil = 0;
  let atWork = false;
  let begin = (): void => undefined;
  const isUp = () => kernel.now() >= downUntil;
  return {
    alive,
    isUp,
    onStart: (run: () => void) => {
      begin = run;
    },
    mayTick(): boolean {
      if (isMachine && (atWork || !isUp())) return false;
      atWork = true;
      return true;
    },
    tickEnded: () => {
      atWork = false;
    },
    restart(): void {
      if (!isMachine || !isUp()) return;
      downUntil = kernel.now() + 2_000 + Math.round(60_000 * fate.draw('restart'));
      saw('host restarted');
      for (const proc of alive) kernel.kill(proc, 'host');
      alive.clear();
      atWork = false;
      kernel.at(downUntil, begin);
    },
  };
}

type Spawn = (kind: string, timeoutMs: number, body: (proc: Proc) => Promise<unknown>, onEnd?: EndOf) => void;

function spawner({ setting, fail }: InvocationsOptions, host: ReturnType<typeof machineHost>): Spawn {
  return (kind, timeoutMs, body, onEnd) => {
    const proc = setting.kernel.spawn(kind, timeoutMs, body, (end, ended) => {
      host.alive.delete(ended);
      if (ended.open > 0) fail('G3', `${kind} ended with ${ended.open} calls under way`);
      const unexpected = describeUnexpected(end.error);
      if (unexpected !== undefined) fail('unexpected-error', `${kind}: ${unexpected}`);
      onEnd?.(end, ended);
    });
    host.alive.add(proc);
  };
}

/** A person asks for the plan, where anybody is there to answer; what it decides is counted like a tick's. */
function planAsker(
  { saw }: Setting,
  ports: SimPorts,
  host: ReturnType<typeof machineHost>,
  spawn: Spawn,
): () => void {
  return () => {
    if (!host.isUp()) return;
    spawn(
      'plan',
      minuteMs,
      (proc) => askForPlan(ports(proc)),
      ({ result }) => {
        noteDecisions(result as Decided | undefined, saw);
      },
    );
  };
}

/** Whatever is not the world's trouble is a fault of the code, also where the tick contains it. */
function describeUnexpected(error: unknown): string | undefined {
  if (error === undefined || error instanceof SimulatedTrouble) return undefined;
  if (!(error instanceof TickFailedError)) return error instanceof Error ? error.stack : String(error);
  const own = error.report.summary.problems.filter((problem) => !problem.includes('sim:'));
  return own.length > 0 ? own.join('; ') : undefined;
}

function deliver(
  { kernel, fate, saw }: Setting,
  name: string,
  risks: readonly Risk[],
  inMs: number,
  give: () => void,
): void {
  const fault = fate.decide(name, risks);
  const [what] = name.split(' ');
  if (fault !== undefined) saw(`${what} ${fault.kind}`);
  if (fault?.kind === 'lost') return;
  kernel.after(fault?.kind === 'late' ? fault.ms! : inMs, give);
  if (fault?.kind === 'doubled') kernel.after(inMs + fault.ms!, give);
}

interface Decided {
  readonly kind?: string;
  readonly boards?: readonly {
    readonly decisions: readonly { readonly action: string; readonly reason: string }[];
  }[];
}

function noteDecisions(report: Decided | undefined, saw: (what: string) => void): void {
  for (const { decisions } of report?.boards ?? [])
    for (const { action, reason } of decisions) {
      saw(`action ${action}`);
      saw(`reason ${reason}`);
      saw(`decision ${action}/${reason}`);
    }
}

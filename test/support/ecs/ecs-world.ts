import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { type EcsTask, type StopCode, stateChangeEvent, type TaskStatus } from './ecs-task.ts';

/** A running container. */
export interface Container {
  readonly exited: Promise<number>;
  /** TERM; what comes of it is the program's affair. */
  stop(): void;
}

export interface EcsWorldOptions {
  readonly cluster: string;
  readonly now: () => number;
  /** Starts what a task runs, with the variables of its override; without it a task runs until it is ended by hand. */
  readonly run?: (task: EcsTask, variables: Readonly<Record<string, string>>) => Container;
}

export interface Ending {
  readonly exitCode?: number;
  readonly stopCode?: StopCode;
  readonly reason?: string;
  readonly containerReason?: string;
}

export type EcsWorld = ReturnType<typeof ecsWorld>;

const forgottenAfterMs = 3_600_000;

/** Tasks and their lives, whatever callers are told of them. */
export function ecsWorld({ cluster, now, run }: EcsWorldOptions) {
  const tasks = taskRegister(now);
  const containers = new Map<string, Container>();
  const events: Record<string, unknown>[] = [];
  const held = { starts: false, stops: false, names: false };

  function change(task: EcsTask, by: Partial<EcsTask>): void {
    Object.assign(task, by, { version: task.version + 1 });
    events.push(stateChangeEvent(task, now()));
  }

  function start(task: EcsTask): void {
    if (held.starts || task.status !== 'PROVISIONING' || task.desired === 'STOPPED') return;
    change(task, { status: 'PENDING' });
    change(task, { status: 'RUNNING', startedAt: now() });
    const container = run?.(task, variablesOf(task));
    if (container !== undefined) containers.set(task.arn, container);
    void container?.exited.then((exitCode) => end(task, { exitCode }));
  }

  function end(task: EcsTask, { reason, stopCode, ...more }: Ending = {}): void {
    if (task.status === 'STOPPED') return;
    const own = task.stopCode ?? 'EssentialContainerExited';
    const stoppedReason = reason ?? task.stoppedReason ?? 'Essential container in task exited';
    const down = { desired: 'STOPPED', status: 'DEPROVISIONING', stopCode: stopCode ?? own } as const;
    change(task, { ...more, ...down, stoppedReason });
    change(task, { status: 'STOPPED', stoppedAt: now() });
  }

  /** TERM reaches what runs; a task that has no container yet does not get one any more. */
  function carryStopOut(task: EcsTask): void {
    if (held.stops || task.desired !== 'STOPPED' || task.status === 'STOPPED') return;
    const container = containers.get(task.arn);
    if (container !== undefined) container.stop();
    else end(task, task.status === 'PROVISIONING' ? {} : { exitCode: 143 });
  }

  return {
    begin(input: RunTaskCommandInput): EcsTask {
      const id = String(tasks.all().length + 1).padStart(32, '0');
      const task = provision(input, `${tasksOf(cluster)}${id}`, now(), held.names);
      tasks.add(task);
      events.push(stateChangeEvent(task, now()));
      setImmediate(() => start(task));
      return task;
    },
    askToStop(task: EcsTask, stoppedReason: string): void {
      if (task.desired === 'RUNNING')
        change(task, { desired: 'STOPPED', stopCode: 'UserInitiated', stoppedReason });
      setImmediate(() => carryStopOut(task));
    },
    ...tasks,
    /** The end of a task, whoever or whatever ends it. */
    end,
    /** Puts a task on one of its stations. */
    show: (task: EcsTask, status: TaskStatus) => change(task, { status }),
    /** Every change since the last time, oldest first; the bus may deliver them late, twice and in any order. */
    takeEvents: () => events.splice(0),
    /** New tasks wait for their containers; stops take no effect; new tasks are not known by name. */
    hold: (what: keyof typeof held) => void Object.assign(held, { [what]: true }),
    release(what: keyof typeof held): void {
      held[what] = false;
      for (const task of tasks.all()) {
        if (what === 'names') task.hidden = false;
        if (what === 'starts') start(task);
        if (what === 'stops') carryStopOut(task);
      }
    },
  };
}

function taskRegister(now: () => number) {
  const tasks = new Map<string, EcsTask>();
  return {
    add: (task: EcsTask) => void tasks.set(task.arn, task),
    all: (): readonly EcsTask[] => [...tasks.values()],
    tasksOf: (turnId: string) => [...tasks.values()].filter(({ input }) => input.startedBy === turnId),
    /** What the service knows by this name now: not yet a hidden task, no more one that stopped an hour ago. */
    known(arn: string): EcsTask | undefined {
      const task = tasks.get(arn);
      const isForgotten = task?.stoppedAt !== undefined && now() >= task.stoppedAt + forgottenAfterMs;
      return task?.hidden || isForgotten ? undefined : task;
    },
  };
}

/** What the ARNs of a cluster's tasks begin with. */
export function tasksOf(cluster: string): string {
  return `${cluster.replace(':cluster/', ':task/')}/`;
}

function provision(input: RunTaskCommandInput, arn: string, createdAt: number, hidden: boolean): EcsTask {
  const definition = input.taskDefinition ?? '';
  return {
    arn,
    input,
    definition,
    status: 'PROVISIONING',
    desired: 'RUNNING',
    version: 1,
    createdAt,
    hidden,
  };
}

function variablesOf({ input }: EcsTask): Readonly<Record<string, string>> {
  const own = input.overrides?.containerOverrides?.[0]?.environment ?? [];
  return Object.fromEntries(own.map(({ name, value }) => [name ?? '', value ?? '']));
}

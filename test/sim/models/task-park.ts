import type { Launch, LaunchRequest } from '../../../lib/controller/ports.ts';
import type { Arn, TurnId } from '../../../lib/core/issue.ts';
import type { Evidence } from '../../../lib/core/lease.ts';
import type { Risk } from '../fate.ts';
import type { Setting } from './calls.ts';
import { type ProgramOptions, runProgram, type TurnApi } from './turn-program.ts';

/** A container as it really is, whatever the runner says of it. */
export interface Task {
  readonly arn: Arn;
  readonly request: LaunchRequest;
  /** A second container of a turn whose token was forgotten. */
  readonly isSecond: boolean;
  phase: 'booting' | 'running' | 'stopped';
  /** When its program began; never, so far. */
  begunAt: number;
  /** It was let in by the start gate and may be at work. */
  working: boolean;
  stopAsked: boolean;
  /** The platform is about to take its host away, and has said so. */
  leaving: boolean;
  evidence: Evidence | undefined;
  /** Until then the runner does not know it, or does not list it; from then on it has forgotten it. */
  hiddenUntil: number;
  unlistedUntil: number;
  readonly rememberedMs: number;
  forgottenAt: number;
  /** Told by the program when it is asked to stop from outside. */
  onTerm: () => void;
}

export type Ending = Partial<Pick<Evidence, 'exitCode' | 'signal' | 'cause' | 'detail' | 'result'>>;

export interface TaskPark {
  readonly tasks: Map<Arn, Task>;
  /** What each turn's launch was answered; repeated launches get the same. */
  readonly tokens: Map<TurnId, Launch>;
  now(): number;
  begin(request: LaunchRequest, isSecond: boolean): Task;
  askToStop(arn: Arn): void;
  end(task: Task, ending: Ending): void;
}

export interface TaskWatch {
  began(task: Task): void;
  letIn(task: Task): void;
  pushed(task: Task, branch: string): void;
  ended(task: Task): void;
}

const killAfterMs = 120_000;
const rememberedMs = 3_600_000;

const bootRisks: readonly Risk[] = [
  { kind: 'image-fails', of: 'task.image', minMs: 1_000, maxMs: 60_000 },
  { kind: 'slow-boot', of: 'task.slow', minMs: 30_000, maxMs: 1_200_000 },
  { kind: 'exits-early', of: 'task.early', minMs: 500, maxMs: 20_000 },
];
const sightRisks: readonly Risk[] = [
  { kind: 'hidden', of: 'task.hidden', minMs: 10_000, maxMs: 300_000 },
  { kind: 'unlisted', of: 'task.unlisted', minMs: 1_000, maxMs: 30_000 },
  { kind: 'forgotten', of: 'task.forgotten', minMs: 0, maxMs: 120_000 },
];
/** Its host is taken away at once, or after a warning; or something on it, the agent too, tells the program to end. */
const lifeRisks: readonly Risk[] = [
  { kind: 'host-lost', of: 'task.lost', minMs: 5_000, maxMs: 400_000 },
  { kind: 'host-leaves', of: 'task.leaves', minMs: 5_000, maxMs: 400_000 },
  { kind: 'told-to-end', of: 'task.told', minMs: 5_000, maxMs: 400_000 },
];

/** All containers: what begins them, what ends them, and what the platform remembers of them. */
export function taskPark(setting: Setting, api: TurnApi, watch: TaskWatch): TaskPark {
  const { kernel, flavour } = setting;
  const tasks = new Map<Arn, Task>();

  function end(task: Task, ending: Ending): void {
    if (task.phase === 'stopped') return;
    task.phase = 'stopped';
    task.working = false;
    const usual = {
      exitCode: undefined,
      signal: undefined,
      cause: 'exit',
      detail: 'the program ended',
    } as const;
    const asked = task.stopAsked ? { asked: true } : {};
    const platform = task.leaving ? ({ cause: 'platform', detail: 'its host was taken away' } as const) : {};
    task.evidence = { ...usual, ...asked, ...ending, ...platform, arn: task.arn, at: kernel.now() };
    if (flavour.place === 'functions') task.forgottenAt = kernel.now() + task.rememberedMs;
    watch.ended(task);
  }

  function letIn(task: Task): void {
    if (task.phase === 'stopped' || task.working) return;
    task.working = true;
    watch.letIn(task);
  }

  return {
    tasks,
    tokens: new Map(),
    now: kernel.now,
    end,
    begin(request, isSecond) {
      const task = makeTask(setting, `task-${tasks.size + 1}` as Arn, request, isSecond);
      tasks.set(task.arn, task);
      watch.began(task);
      bootTask(setting, task, {
        api,
        end: (ending) => end(task, ending),
        letIn: () => letIn(task),
        pushed: (branch) => watch.pushed(task, branch),
      });
      return task;
    },
    askToStop(arn) {
      const task = tasks.get(arn);
      if (task === undefined || task.phase === 'stopped' || task.stopAsked) return;
      task.stopAsked = true;
      if (task.phase === 'booting') kernel.after(1_000, () => end(task, { signal: 'SIGTERM' }));
      else task.onTerm();
      kernel.after(killAfterMs, () => end(task, { signal: 'SIGKILL', exitCode: 137 }));
    },
  };
}

/** A container as the runner will see it: perhaps not at once, perhaps not for long. */
function makeTask(
  { kernel, fate, flavour, saw }: Setting,
  arn: Arn,
  request: LaunchRequest,
  isSecond: boolean,
): Task {
  const name = `task sight/${request.issueId}/${request.attempt}`;
  const sight = flavour.place === 'machine' ? undefined : fate.decide(name, sightRisks);
  if (sight !== undefined) saw(`task ${sight.kind}`);
  const until = (kind: string) => (sight?.kind === kind ? kernel.now() + sight.ms! : 0);
  return {
    arn,
    request,
    isSecond,
    phase: 'booting',
    begunAt: Number.POSITIVE_INFINITY,
    working: false,
    stopAsked: false,
    leaving: false,
    evidence: undefined,
    hiddenUntil: until('hidden'),
    unlistedUntil: until('unlisted'),
    rememberedMs: sight?.kind === 'forgotten' ? sight.ms! : rememberedMs,
    forgottenAt: Number.POSITIVE_INFINITY,
    onTerm: () => undefined,
  };
}

type Hooks = Pick<ProgramOptions, 'api' | 'end' | 'letIn' | 'pushed'>;

/** The platform brings the container up, or does not, and may take it away at any time. */
function bootTask(setting: Setting, task: Task, hooks: Hooks): void {
  const { kernel, fate, flavour, saw } = setting;
  const name = `${task.request.issueId}/${task.request.attempt}`;
  const trouble = fate.decide(`task boot/${name}`, bootRisks);
  if (trouble !== undefined) saw(`task ${trouble.kind}`);
  const early = trouble === undefined ? undefined : earlyEndings[trouble.kind];
  if (early !== undefined) {
    kernel.after(trouble!.ms!, () => hooks.end(early));
    return;
  }
  const usualMs = flavour.place === 'machine' ? 200 : 4_000 + 20_000 * fate.draw(`task boot/${name}`);
  kernel.after(trouble?.ms ?? usualMs, () => {
    if (task.phase !== 'booting') return;
    task.phase = 'running';
    task.begunAt = kernel.now();
    runProgram({ ...hooks, setting, task, name });
  });
  const later = fate.decide(`task life/${name}`, lifeRisks);
  if (later !== undefined) kernel.after(later.ms!, () => endEarly(setting, task, later.kind, hooks));
}

/** What ends a container that is at work. */
function endEarly({ kernel, saw }: Setting, task: Task, kind: string, { end }: Hooks): void {
  if (task.phase === 'stopped') return;
  saw(`task ${kind}`);
  if (kind === 'host-lost') {
    end({ cause: 'platform', detail: 'the host was taken away' });
    return;
  }
  task.leaving = kind === 'host-leaves';
  if (task.phase === 'running') task.onTerm();
  else end({ signal: 'SIGTERM' });
  if (task.leaving) kernel.after(killAfterMs, () => end({ signal: 'SIGKILL', exitCode: 137 }));
}

const earlyEndings: Readonly<Record<string, Ending>> = {
  'image-fails': { cause: 'platform', detail: 'the image cannot be pulled' },
  'exits-early': { exitCode: 127 },
};

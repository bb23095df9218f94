import { branchName } from '../../../lib/core/names.ts';
import { type Instructions, type TurnResult, turnExitCodes } from '../../../lib/core/turn-protocol.ts';
import { type AgentWay, agentWay, resultOf } from './agent-ways.ts';
import type { Setting } from './calls.ts';
import type { Ending, Task } from './task-park.ts';

/** What a call of the turn API brings: an answer of the protocol, or nothing that can be relied on. */
export type Answer =
  | { readonly answer: 'go'; readonly instructions?: Instructions }
  | { readonly answer: 'wait' | 'stop' }
  | undefined;

/** The way from a container to the turn API. `done` is called once, also when nobody answers. */
export interface TurnApi {
  call(task: Task, body: TurnCall, done: (answer: Answer) => void): void;
}

export type TurnCall =
  | { readonly kind: 'start' }
  | { readonly kind: 'heartbeat'; readonly progress: number }
  | { readonly kind: 'result'; readonly result: TurnResult };

export interface ProgramOptions {
  readonly setting: Setting;
  readonly task: Task;
  /** `<issue>/<attempt>` */
  readonly name: string;
  readonly api: TurnApi;
  readonly end: (ending: Ending) => void;
  readonly letIn: () => void;
  /** Its work has reached its branch. */
  readonly pushed: (branch: string) => void;
}

const startPatienceMs = 120_000;
const askAgainMs = 5_000;
const patienceMs = 900_000;

/** The turn program as far as others can see it: it asks to begin, works, calls, reports and ends. */
export function runProgram(options: ProgramOptions): void {
  const { setting, task, name, end } = options;
  const { kernel } = setting;
  const program: Program = {
    ...options,
    way: agentWay(setting, name),
    stopping: false,
    lastGo: kernel.now(),
    progress: 0,
    lives: () => task.phase === 'running',
    later: (ms, run) => kernel.after(ms, () => task.phase === 'running' && run()),
    // The result lies beside the program, too, where that is a place that outlives it.
    leave: (result, exitCode) =>
      end({ exitCode, ...(setting.flavour.place === 'machine' ? { result } : {}) }),
  };
  task.onTerm = () => {
    if (!program.way.isDeaf) stopItself(program, 'signal');
  };
  askToStart(program, kernel.now());
}

interface Program extends ProgramOptions {
  readonly way: AgentWay;
  stopping: boolean;
  /** When it was last told to go on. */
  lastGo: number;
  progress: number;
  readonly lives: () => boolean;
  readonly later: (ms: number, run: () => void) => void;
  readonly leave: (result: TurnResult, exitCode: number) => void;
}

function askToStart(program: Program, since: number): void {
  const { api, task, setting, end, later } = program;
  api.call(task, { kind: 'start' }, (answer) => {
    if (!program.lives() || program.stopping) return;
    if (answer?.answer === 'go') work(program);
    else if (answer?.answer === 'stop') turnAway(program);
    else if (setting.kernel.now() - since > startPatienceMs)
      end({ exitCode: turnExitCodes.unanswered, detail: 'nobody let it in' });
    else later(askAgainMs, () => askToStart(program, since));
  });
}

/** It is not let in. One that calls all the same must not be heard. */
function turnAway({ way, api, task, later, end }: Program): void {
  const leave = () => end({ exitCode: turnExitCodes.refused, detail: 'it was not let in' });
  if (!way.isPushy) {
    leave();
    return;
  }
  api.call(task, { kind: 'heartbeat', progress: 1 }, () => undefined);
  api.call(
    task,
    { kind: 'result', result: resultOf(way, branchName(task.request.issueId), 0.5) },
    () => undefined,
  );
  later(5_000, leave);
}

function work(program: Program): void {
  const { way, later, letIn, setting } = program;
  letIn();
  program.lastGo = setting.kernel.now();
  if (way.heartbeats) later(heartbeatMs, () => beat(program));
  if (way.endsInMs !== undefined) later(way.endsInMs, () => finish(program));
}

function beat(program: Program): void {
  const { way, api, task, later, setting } = program;
  program.progress += way.progresses ? 1 : 0;
  api.call(task, { kind: 'heartbeat', progress: program.progress }, (answer) => {
    if (!program.lives()) return;
    const now = setting.kernel.now();
    if (answer?.answer === 'go') program.lastGo = now;
    if (answer?.answer === 'stop' && !way.isDeaf) stopItself(program, 'asked');
    else if (now - program.lastGo > patienceMs && !way.isDeaf) stopItself(program, 'no-answer');
    else later(heartbeatMs, () => beat(program));
  });
}

function finish(program: Program): void {
  const { way, end, later, name, setting, task, pushed } = program;
  if (program.stopping) return;
  if (way.ending !== 'result') {
    end(way.ending === 'crash' ? { exitCode: 1, detail: 'it crashed' } : { exitCode: 0 });
    return;
  }
  const branch = branchName(task.request.issueId);
  const result = resultOf(way, branch, setting.fate.draw(`spend ${name}`));
  if (result.git?.pushed) pushed(branch);
  report(program, result, () => {
    if (way.lingersMs > 0) later(way.lingersMs, () => end({ exitCode: 0 }));
    else end({ exitCode: 0 });
  });
}

/** Reports until somebody answers. */
function report(program: Program, result: TurnResult, then: () => void): void {
  const { api, task, later, leave, setting } = program;
  api.call(task, { kind: 'result', result }, (answer) => {
    if (!program.lives()) return;
    if (answer?.answer === 'go') then();
    else if (answer?.answer === 'stop') leave(result, turnExitCodes.refused);
    else if (setting.kernel.now() - program.lastGo > patienceMs) leave(result, turnExitCodes.unanswered);
    else later(askAgainMs, () => report(program, result, then));
  });
}

function stopItself(program: Program, cause: NonNullable<TurnResult['cause']>): void {
  const { api, task, later, leave, name, setting } = program;
  if (program.stopping || !program.lives()) return;
  program.stopping = true;
  let code: number = turnExitCodes.unanswered;
  const result: TurnResult = { version: 1, status: 'stopped', cause, verify: [] };
  api.call(task, { kind: 'result', result }, (answer) => {
    if (answer?.answer === 'go') code = 0;
    if (answer?.answer === 'stop') code = turnExitCodes.refused;
  });
  later(500 + 19_500 * setting.fate.draw(`stopping ${name}`), () => leave(result, code));
}

const heartbeatMs = 60_000;

import type { Launch, LaunchRequest, Runner, TaskState } from '../../../lib/controller/ports.ts';
import type { Arn } from '../../../lib/core/issue.ts';
import type { LiveTask } from '../../../lib/core/observation.ts';
import type { Risk } from '../fate.ts';
import type { Proc } from '../kernel.ts';
import { callPart, killRisks, type Setting } from './calls.ts';
import type { Task, TaskPark } from './task-park.ts';

/** Who is told of what is asked of the runner. */
export interface RunnerWatch {
  launchSent(proc: Proc, request: LaunchRequest): void;
}

const fail: Risk = { kind: 'fail', of: 'runner.fail' };
const slow: Risk = { kind: 'slow', of: 'runner.slow', minMs: 500, maxMs: 15_000 };

const localLaunchRisks: readonly Risk[] = [
  ...killRisks,
  fail,
  slow,
  { kind: 'lost', of: 'runner.lost' },
  { kind: 'refused', of: 'runner.refused' },
];
const launchRisks: readonly Risk[] = [
  ...localLaunchRisks,
  { kind: 'late', of: 'runner.late', minMs: 60_000, maxMs: 900_000 },
  { kind: 'token-forgotten', of: 'runner.token' },
];
const localAskRisks: readonly Risk[] = [...killRisks, fail, slow];
/** What is told of a task is how it was some seconds ago. */
const askRisks: readonly Risk[] = [
  ...localAskRisks,
  { kind: 'behind', of: 'runner.behind', minMs: 500, maxMs: 20_000 },
];
const stopRisks: readonly Risk[] = [...killRisks, fail, { kind: 'lost', of: 'runner.lost' }];

/** One process's runner: launches idempotent by turn while the token is remembered, and sight that lags behind. */
export function simRunner(setting: Setting, park: TaskPark, watch: RunnerWatch, proc: Proc): Runner {
  const isLocal = setting.flavour.place === 'machine';
  const ofAsking = isLocal ? localAskRisks : askRisks;
  /** When what is told was so. */
  const seenAt = (fault: string | undefined, ms: number) => park.now() - (fault === 'behind' ? ms : 0);
  const call = <Answer>(
    operation: string,
    about: string,
    risks: readonly Risk[],
    effect: (fault: string | undefined, ms: number) => Answer,
  ) =>
    callPart(setting, proc, 'runner', { operation, about, risks, effect, isRead: operation === 'describe' });
  return {
    launch(request) {
      watch.launchSent(proc, request);
      return call('launch', request.issueId, isLocal ? localLaunchRisks : launchRisks, (fault) =>
        launch(park, request, fault),
      );
    },
    async describe(arns) {
      if (arns.length === 0) return new Map();
      return call(
        'describe',
        '',
        ofAsking,
        (fault, ms) =>
          new Map(arns.map((arn): [Arn, TaskState] => [arn, stateOf(park, arn, seenAt(fault, ms))])),
      );
    },
    list: () =>
      call('list', '', ofAsking, (fault, ms) =>
        [...park.tasks.values()]
          .filter((task) => !hasStopped(task, seenAt(fault, ms)) && task.unlistedUntil <= park.now())
          .map((task) => asLiveTask(task, seenAt(fault, ms))),
      ),
    stop: (arn) =>
      call('stop', park.tasks.get(arn)?.request.issueId ?? '', stopRisks, () => park.askToStop(arn)),
  };
}

function launch(park: TaskPark, request: LaunchRequest, fault: string | undefined): Launch {
  const known = park.tokens.get(request.turnId);
  if (known !== undefined && fault !== 'token-forgotten') return known;
  if (fault === 'refused') {
    const refused: Launch = { kind: 'refused', problem: 'sim: there is no capacity' };
    if (known === undefined) park.tokens.set(request.turnId, refused);
    return refused;
  }
  const launched: Launch = { kind: 'launched', arn: park.begin(request, known !== undefined).arn };
  park.tokens.set(request.turnId, launched);
  return launched;
}

function stateOf(park: TaskPark, arn: Arn, at: number): TaskState {
  const task = park.tasks.get(arn);
  const now = park.now();
  if (task === undefined || now < task.hiddenUntil || now >= task.forgottenAt) return { kind: 'missing' };
  return hasStopped(task, at) ? { kind: 'stopped', evidence: task.evidence! } : { kind: 'running' };
}

function hasStopped({ evidence }: Task, at: number): boolean {
  return evidence !== undefined && evidence.at <= at;
}

function asLiveTask({ arn, request, begunAt }: Task, at: number): LiveTask {
  const { turnId, board, issueId, attempt, capStates } = request;
  const booting = begunAt > at ? ({ isBooting: true } as const) : {};
  return { arn, turnId, board, issueId, attempt, capStates, ...booting };
}

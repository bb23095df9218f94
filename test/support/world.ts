import { createHash } from 'node:crypto';
import { endTurn } from '../../lib/controller/end-turn.ts';
import type { Board, Clock, Ports, Settings } from '../../lib/controller/ports.ts';
import { reconcile, type TickReport } from '../../lib/controller/reconcile.ts';
import { serveHeartbeat, serveResult, serveStart } from '../../lib/controller/serve-turn.ts';
import type { Arn, BoardId, Instant, IssueId, TurnId } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import { openTick, putTickClosed } from '../../lib/core/tick-writes.ts';
import type { Fact } from '../../lib/core/trace.ts';
import { traceChecker } from '../../lib/core/trace-check.ts';
import type { TurnResult } from '../../lib/core/turn-protocol.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import type { IssueFields } from './build-issue.ts';
import { buildWorkflow } from './build-workflow.ts';
import { type MemoryLedger, memoryLedger } from './memory-ledger.ts';
import { type MemoryRunner, memoryRunner } from './memory-runner.ts';
import { type MemoryTrackerOptions, memoryTracker } from './memory-tracker.ts';
import { noAccess } from './no-access.ts';

export const boardId = 'board' as BoardId;
const key = 'k'.repeat(40);

export interface WorldOptions extends MemoryTrackerOptions {
  readonly issues?: readonly IssueFields[];
  readonly workflow?: Workflow;
  readonly settings?: Partial<Settings>;
  readonly timing?: Partial<Settings['timing']>;
  readonly pullRequests?: Ports['pullRequests'];
  /** A ledger that was never opened. */
  readonly closed?: boolean;
}

/**
 * Everything a controller needs, in memory: a board with a person, a ledger with faults, a runner whose tasks do what the
 * test says, and a clock that moves only when told.
 */
export async function buildWorld(options: WorldOptions = {}) {
  const clock = stepClock();
  const [tracker, ledger, runner] = [memoryTracker(options), memoryLedger(), memoryRunner(clock)];
  const facts: Fact[] = [];
  const checker = traceChecker();
  const served = {
    board: {
      id: boardId,
      tracker,
      workflow: options.workflow ?? buildWorkflow(),
      workflowProblem: undefined,
      repository: '/repository.git',
    } as Board,
  };
  const counted = { random: 0, hints: 0 };
  const report = (fact: Fact) => {
    facts.push(fact);
    checker.observe(fact);
  };
  const ports: Ports = {
    boards: async () => [served.board],
    ledger,
    runner,
    trigger: {
      requestTick: async () => {
        counted.hints += 1;
      },
    },
    webhooks: {},
    reporter: { report },
    clock,
    ids: {
      random: () => {
        counted.random += 1;
        return String(counted.random).padStart(26, '0');
      },
    },
    ...noAccess,
    pullRequests: options.pullRequests ?? noAccess.pullRequests,
    seal: {
      ticket: (turnId) => `ticket-${turnId}`,
      digest: (text) => createHash('sha256').update(text).digest('hex'),
    },
    settings: {
      maxConcurrentAgents: 10,
      transitionsPerTick: 20,
      ...options.settings,
      timing: { ...usualTiming, ...options.timing },
    },
  };
  await ledger.changeTick(putTickClosed('gen'));
  if (!options.closed) await ledger.changeTick(openTick('gen'));
  return {
    ports,
    tracker,
    person: tracker.person,
    ledger,
    runner,
    clock,
    facts,
    hints: () => counted.hints,
    violations: () => checker.report().violations,
    changeBoard: (change: Partial<Board>) => {
      served.board = { ...served.board, ...change };
    },
    tick: (trigger: 'scheduled' | 'hint' = 'scheduled') => reconcile(ports, trigger),
    ...turnProgram(ports, ledger, runner),
  };
}

/** What a turn, its container and its platform do, by the id of the issue. */
function turnProgram(ports: Ports, ledger: MemoryLedger, runner: MemoryRunner) {
  const leaseOf = async (id: string): Promise<Lease | undefined> =>
    ledger.lease((await ledger.tick())?.gen ?? 'gen', boardId, id as IssueId);
  const needTurn = async (id: string): Promise<TurnId> => {
    const turnId = (await leaseOf(id))?.turnId;
    if (turnId === undefined) throw new Error(`${id} has no turn`);
    return turnId;
  };
  const latestArn = async (id: string): Promise<Arn> => runner.taskOf(await needTurn(id)).arn;
  const start = async (id: string) => {
    const turnId = await needTurn(id);
    return serveStart(ports, turnId, `ticket-${turnId}`, { arn: await latestArn(id), key });
  };
  return {
    leaseOf,
    latestArn,
    start,
    heartbeat: async (id: string, progress = 0) =>
      serveHeartbeat(ports, await needTurn(id), key, { step: 'agent', progress, arn: await latestArn(id) }),
    result: async (id: string, result: TurnResult) =>
      serveResult(ports, await needTurn(id), key, { arn: await latestArn(id), result }),
    /** The container ends, and nobody is told yet. */
    exit: async (id: string, ending: Parameters<typeof runner.end>[1] = { exitCode: 0 }) =>
      runner.end(await latestArn(id), ending),
    /** The event of the container's end arrives. */
    stoppedEvent: async (id: string, turnId?: TurnId) =>
      endTurn(ports, { turnId: turnId ?? (await needTurn(id)), arn: await latestArn(id) }),
    /** From the board to a turn that has passed the gate. */
    run: async (id: string) => {
      await reconcile(ports, 'scheduled');
      return start(id);
    },
  };
}

export type World = Awaited<ReturnType<typeof buildWorld>>;

/** The reasons of a tick's decisions by issue key: `start/start`, `wait/blocked` … */
export function decisionsOf(report: TickReport): Readonly<Record<string, string>> {
  if (report.kind !== 'done') return {};
  const all = report.boards.flatMap((board) => board.decisions);
  return Object.fromEntries(all.map(({ key: issue, action, reason }) => [issue, `${action}/${reason}`]));
}

export const completed: TurnResult = {
  version: 1,
  status: 'completed',
  git: { branch: 'evenkeel/issue/x', commits: 1, files: 1, pushed: true, baseSha: 'b', headSha: 'h' },
  verify: [],
};
export const nothingDone: TurnResult = {
  ...completed,
  git: { ...completed.git!, commits: 0, pushed: false },
};

export function failed(
  failureClass: NonNullable<TurnResult['failure']>['class'],
  retryable = true,
): TurnResult {
  return {
    version: 1,
    status: 'failed',
    failure: { class: failureClass, kind: 'test', detail: `it failed (${failureClass})`, retryable },
    verify: [],
  };
}

export const usualTiming: Settings['timing'] = {
  tickBudgetMs: 38_000,
  staleMs: 600_000,
  launchWindowMs: 900_000,
  joinAfterMs: 60_000,
  deadlineGraceMs: 600_000,
  heartbeatMs: 30_000,
  sweepMs: 300_000,
  reopenAfterMs: 0,
  goneAfterMs: 900_000,
  goneSightings: 3,
  forgetAfterMs: 14 * 86_400_000,
  dormantLookTicks: 60,
};

export interface StepClock extends Clock {
  step(ms: number): void;
}

/** A clock that moves only when told, or when somebody sleeps on it. */
export function stepClock(start: Instant = Date.UTC(2026, 0, 1)): StepClock {
  let now = start;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    step: (ms) => {
      now += ms;
    },
  };
}

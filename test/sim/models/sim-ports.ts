import type { Board, Ports } from '../../../lib/controller/ports.ts';
import type { BoardId } from '../../../lib/core/issue.ts';
import type { Fact } from '../../../lib/core/trace.ts';
import { noAccess } from '../../support/no-access.ts';
import { usualTiming } from '../../support/world.ts';
import { repositoryOf, type SimBoard } from '../checks/truth.ts';
import type { Risk } from '../fate.ts';
import type { Proc } from '../kernel.ts';
import type { CardDeed, Policy } from '../sim-case.ts';
import { callPart, killRisks, type Setting } from './calls.ts';
import type { Card } from './card-board.ts';
import { type LedgerStore, type LedgerWatch, simLedger } from './sim-ledger.ts';
import { type PullRequestWatch, simPullRequests } from './sim-pull-requests.ts';
import { type RunnerWatch, simRunner } from './sim-runner.ts';
import { simTracker, type TrackerWatch } from './sim-tracker.ts';
import type { TaskPark } from './task-park.ts';

export interface SimPortsOptions {
  readonly setting: Setting;
  readonly store: LedgerStore;
  readonly boards: readonly SimBoard[];
  readonly policy: Policy;
  readonly clock: () => number;
  readonly report: (fact: Fact, proc: Proc) => void;
  readonly park: () => TaskPark;
  readonly rules: {
    readonly ledger: LedgerWatch;
    readonly tracker: TrackerWatch & PullRequestWatch;
    readonly runner: RunnerWatch;
  };
  readonly act: (board: SimBoard, card: Card, deed: CardDeed, ms: number) => void;
  readonly loseTable: (ms: number) => void;
  readonly askForTick: () => void;
}

/** The ports as one invocation has them: every call goes through its process, and dies with it. */
export type SimPorts = (proc: Proc) => Ports;

const busRisks: readonly Risk[] = [
  ...killRisks,
  { kind: 'fail', of: 'bus.fail' },
  { kind: 'lost', of: 'bus.lost' },
];

const secretRisks: readonly Risk[] = [...killRisks, { kind: 'fail', of: 'secrets.fail' }];

export function simPorts(options: SimPortsOptions): SimPorts {
  const { setting, store, boards, policy, clock, report, park, rules, act, loseTable, askForTick } = options;
  const { kernel, flavour } = setting;
  const usual = timingOf(flavour.place);
  const timing = policy.forgetsSoon ? { ...usual, ...soon } : usual;
  return (proc) => {
    const invocationIds = new Set<string>();
    proc.notes.set('invocations', invocationIds);
    return {
      boards: async () => boards.map((board) => serve(board, proc)),
      ledger: simLedger(setting, store, rules.ledger, proc),
      runner: simRunner(setting, park(), rules.runner, proc),
      trigger: {
        requestTick: () =>
          callPart(setting, proc, 'bus', {
            operation: 'request-tick',
            about: '',
            risks: busRisks,
            effect: askForTick,
          }),
      },
      webhooks: {},
      reporter: { report: (fact) => report(fact, proc) },
      clock: { now: clock, sleep: (ms) => kernel.sleep(proc, ms) },
      ids: {
        random() {
          const id = `${proc.id}x${invocationIds.size}`.padStart(26, '0');
          invocationIds.add(id);
          return id;
        },
      },
      ...noAccess,
      pullRequests: simPullRequests(setting, boards, rules.tracker, proc),
      // One machine has what its user has, and asks nobody.
      ...(flavour.place !== 'machine' && { agentKeys: { read: () => readKeys(setting, proc) } }),
      seal: { ticket: (turnId) => `ticket-${turnId}`, digest: (text) => `sha256(${text})` },
      settings: {
        maxConcurrentAgents: policy.deploymentCap,
        transitionsPerTick: policy.transitionsPerTick ?? 20,
        timing,
      },
    };
  };

  function serve(board: SimBoard, proc: Proc): Board {
    proc.notes.set(`served ${board.id}`, { workflow: board.workflow, problem: board.workflowProblem });
    return {
      id: board.id as BoardId,
      tracker: simTracker({
        setting,
        board: board.cards,
        name: board.id,
        watch: rules.tracker,
        proc,
        act: (card, deed, ms) =>
          deed === 'lose-table' ? loseTable(ms) : act(board, card, deed as CardDeed, ms),
      }),
      workflow: board.workflow,
      workflowProblem: board.workflowProblem,
      repository: repositoryOf(board),
    };
  }
}

/** What takes weeks at the hosts happens within a world, and still later than any write lands. */
const soon = { forgetAfterMs: 10 * 60_000, dormantLookTicks: 3 };

/** As the hosts set them; only heartbeats are rarer, since each costs a run of its own. */
function timingOf(place: 'functions' | 'machine'): Ports['settings']['timing'] {
  if (place === 'functions') return { ...usualTiming, heartbeatMs: 60_000, reopenAfterMs: 240_000 + 120_000 };
  return {
    tickBudgetMs: 60_000,
    staleMs: 600_000,
    launchWindowMs: 120_000,
    joinAfterMs: 1_000,
    deadlineGraceMs: 660_000,
    heartbeatMs: 60_000,
    sweepMs: 0,
    reopenAfterMs: 0,
    goneAfterMs: 2_000,
    goneSightings: 2,
    forgetAfterMs: 14 * 86_400_000,
    dormantLookTicks: 60,
  };
}

function readKeys(setting: Setting, proc: Proc): Promise<Readonly<Record<string, string>>> {
  return callPart(setting, proc, 'secrets', {
    operation: 'read',
    about: '',
    risks: secretRisks,
    effect: () => ({ MODEL_KEY: 'the key of a model' }),
    isRead: true,
  });
}

import { leaseRules } from './checks/lease-rules.ts';
import { taskRules } from './checks/task-rules.ts';
import { trackerRules } from './checks/tracker-rules.ts';
import { emptyMemory, isOpen, type SimBoard, type Truth } from './checks/truth.ts';
import { type Fate, makeFate } from './fate.ts';
import { type Flavour, flavours } from './flavours.ts';
import { type Kernel, makeKernel } from './kernel.ts';
import { loseTable } from './lose-table.ts';
import type { Part, Setting } from './models/calls.ts';
import { type Card, makeCardBoard } from './models/card-board.ts';
import { doToCard } from './models/hands.ts';
import { type Invocations, invocations } from './models/invocations.ts';
import { type LedgerStore, ledgerStore } from './models/sim-ledger.ts';
import { simPorts } from './models/sim-ports.ts';
import { type TaskPark, taskPark } from './models/task-park.ts';
import { trackerLimit } from './models/tracker-limit.ts';
import { beginning, type CardDeed, type SimCase } from './sim-case.ts';
import { workflowOf } from './sim-workflow.ts';
import type { Trace } from './trace.ts';
import { makeRecord, type WorldRecord } from './world-record.ts';

/** A world with the product's own controllers in it. */
export interface World {
  readonly story: SimCase;
  readonly kernel: Kernel;
  readonly fate: Fate;
  readonly setting: Setting;
  readonly store: LedgerStore;
  readonly park: TaskPark;
  readonly boards: readonly SimBoard[];
  readonly truth: Truth;
  readonly run: Invocations;
  /** Until when a part of the world does not answer. */
  readonly down: Map<Part, number>;
  readonly record: WorldRecord;
  /** A person's, or a bot's, hand on a card; the tracker then sends its hint. */
  readonly act: (board: SimBoard, card: Card, deed: CardDeed) => void;
  /** The deployment's clock goes forward by itself. */
  readonly jump: (ms: number) => void;
}

export interface WorldOptions {
  readonly trace?: Trace | undefined;
  readonly keepOccasions?: boolean;
}

export function buildWorld(story: SimCase, { trace, keepOccasions = false }: WorldOptions = {}): World {
  const flavour = flavours[story.flavour];
  const record = makeRecord(trace);
  const kernel = followedKernel(flavour, record, trace, () => run.killed());
  const fate = makeFate({
    seed: story.seed,
    rates: story.rates,
    listed: story.faults,
    keepOccasions,
    now: kernel.now,
    saw: record.saw,
  });
  const down = new Map<Part, number>();
  const isDown = (part: Part) => (down.get(part) ?? 0) > kernel.now();
  const limit = trackerLimit(kernel.now);
  const setting: Setting = { kernel, fate, flavour, isDown, limit, answers: new Map(), saw: record.saw };
  const boards = makeBoards(story, kernel, flavour);
  const store = ledgerStore();
  let ahead = 0;
  const truth: Truth = {
    kernel,
    flavour,
    store,
    boards,
    park: () => park,
    deploymentCap: story.policy.deploymentCap,
    clock: () => kernel.now() + ahead,
    ahead: () => ahead,
    fail: record.fail,
    saw: record.saw,
    memory: emptyMemory(),
  };
  const tasks = taskRules(truth);
  const act = (board: SimBoard, card: Card, deed: CardDeed): void => {
    trace?.write({ at: kernel.now(), env: 'hand', card: card.id, deed });
    record.saw(`hand ${deed}`);
    doToCard(board.cards, card, deed);
    run.hint(card.id);
  };
  const ports = simPorts({
    setting,
    store,
    boards,
    policy: story.policy,
    clock: truth.clock,
    report(fact, proc) {
      if (fact.reason === 'terminal-overwritten') truth.memory.alarmed.add(String(fact.issue));
      record.report(fact, proc);
    },
    park: () => park,
    rules: record.countWrites({ ledger: leaseRules(truth), tracker: trackerRules(truth), runner: tasks }),
    act: (board, card, deed, ms) => kernel.after(ms, () => act(board, card, deed)),
    loseTable: (ms) => kernel.after(ms, () => loseTable(truth, fate, run)),
    askForTick: () => run.askForTick(),
  });
  const run = invocations({
    setting,
    ports,
    fail: record.fail,
    trace,
    isOpen: () => isOpen(truth),
    isBound: ({ request }) => store.lease(request.board, request.issueId)?.boot !== undefined,
  });
  const park = taskPark(setting, run.turnApi, watchTasks(kernel, trace, tasks, run, boards));
  const jump = (ms: number) => {
    ahead += ms;
  };
  return { story, kernel, fate, setting, store, park, boards, truth, run, down, record, act, jump };
}

/** A kernel whose kills are told to the record, the trace and whatever runs on it. */
function followedKernel(
  { place }: Flavour,
  record: WorldRecord,
  trace: WorldOptions['trace'],
  killed: () => void,
): Kernel {
  const kernel = makeKernel({
    startAt: beginning,
    diesWithSender: place === 'machine',
    onKill: ({ id, kind }, why) => {
      record.saw(`killed ${kind} ${why}`);
      trace?.write({ at: kernel.now(), env: 'killed', proc: id, kind, why });
      killed();
    },
  });
  record.follow(kernel);
  return kernel;
}

/** Tells the rules, the trace and the platform's events of what tasks do. */
function watchTasks(
  kernel: Kernel,
  trace: WorldOptions['trace'],
  tasks: ReturnType<typeof taskRules>,
  run: ReturnType<typeof invocations>,
  boards: readonly SimBoard[],
): Parameters<typeof taskPark>[2] {
  return {
    began(task) {
      tasks.began(task);
      run.taskBegan(task);
    },
    letIn: (task) => {
      trace?.write({ at: kernel.now(), env: 'let-in', arn: task.arn, turnId: task.request.turnId });
      tasks.letIn(task);
    },
    pushed: ({ request }, branch) => boards.find(({ id }) => id === request.board)?.cards.host.push(branch),
    ended: (task) => {
      trace?.write({ at: kernel.now(), env: 'ended', arn: task.arn, turnId: task.request.turnId });
      tasks.ended(task);
      run.taskEnded(task);
    },
  };
}

function makeBoards(
  story: SimCase,
  kernel: Kernel,
  flavour: (typeof flavours)[keyof typeof flavours],
): readonly SimBoard[] {
  return Array.from({ length: story.boards }, (_, at) => ({
    id: `board-${at}`,
    cards: makeCardBoard(
      flavour,
      story.cards.filter(({ board }) => board === at),
      kernel.now,
    ),
    workflow: workflowOf(story.policy, story.flavour),
    workflowProblem: undefined,
    formerCaps: undefined,
    renamedAt: undefined,
  }));
}

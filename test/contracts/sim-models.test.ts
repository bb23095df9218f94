import { expect } from 'vitest';
import type { IssueId, StateName } from '../../lib/core/issue.ts';
import { type FlavourName, flavourNames, flavours } from '../sim/flavours.ts';
import { type CalmPlace, calmPlace } from '../sim/models/calm-place.ts';
import { addCard, type Card, makeCardBoard, refresh } from '../sim/models/card-board.ts';
import { doToCard } from '../sim/models/hands.ts';
import { loneLedger, lonePark, loneRunner, loneTracker } from '../sim/models/lone-ports.ts';
import { ledgerStore } from '../sim/models/sim-ledger.ts';
import type { CardDeed, CardPlan } from '../sim/sim-case.ts';
import type { IssueFields } from '../support/build-issue.ts';
import { describeLedger } from './describe-ledger.ts';
import { describeRunner, launchRequest, type RunnerUnderTest } from './describe-runner.ts';
import { describeTracker } from './describe-tracker.ts';
import type { TrackerWorld } from './tracker-world.ts';

// While nothing goes wrong, the simulator's models of the ports keep every promise that the real ones keep.
for (const flavour of flavourNames) {
  describeTracker(`the simulator's ${flavour} board`, async () => makeBoardWorld(flavour));
  describeLedger(`the simulator's ledger beside a ${flavour} board`, async () => {
    const place = calmPlace(flavour);
    const ledger = place.driven(loneLedger(place, ledgerStore(), place.proc));
    return { ledger, close: async () => undefined };
  });
  describeRunner(`the simulator's runner beside a ${flavour} board`, async () => makeRunnerWorld(flavour));
}

function makeBoardWorld(flavour: FlavourName): TrackerWorld {
  const place = calmPlace(flavour);
  const board = makeCardBoard(flavours[flavour], [], place.kernel.now);
  const cardOf = (id: IssueId): Card => board.cards.get(id)!;
  const act = async (id: IssueId, deed: CardDeed) => doToCard(board, cardOf(id), deed);
  return {
    tracker: place.driven(loneTracker(place, board, place.proc)),
    comparesAndSets: board.flavour.compareAndSet,
    keepsMoves: board.flavour.keepsMoves,
    async add(fields) {
      const card = addCard(board, planOf(fields));
      refresh(board, card);
      return card.id;
    },
    move: (id, to) => act(id, deedTo[to]!),
    close: (id) => act(id, 'close'),
    edit: (id) => act(id, 'edit'),
    remove: (id) => act(id, 'delete'),
    async spoil(id, how) {
      if (how === 'unreadable') cardOf(id).spoilt = true;
      else cardOf(id).states = ['Todo', 'Backlog'] as StateName[];
      refresh(board, cardOf(id));
    },
    limit: board.flavour.place === 'machine' ? undefined : async () => limit(place),
    breakDown: async () => place.breakDown('tracker'),
    stateOf: async (id) => cardOf(id).states[0],
    restOf: async (id) => JSON.stringify({ ...cardOf(id).issue, state: '', movedBy: '' }),
    commentsOf: async (id) => [...cardOf(id).comments.values()],
    dispose: async () => undefined,
  };
}

/** Refuses everything for a minute, as told. */
async function limit({ setting }: CalmPlace): Promise<void> {
  expect(() => setting.limit.admit('list', 'limited', 60_007)).toThrow('limited');
}

function planOf(fields: IssueFields): CardPlan {
  return {
    id: fields.id ?? fields.key!,
    board: 0,
    column: (fields.state ?? 'Todo') as CardPlan['column'],
    priority: fields.priority,
    labels: fields.labels ?? [],
    assignees: fields.assignees,
    text: { title: fields.title ?? 'A title', description: fields.description ?? '' },
    createdAt: fields.createdAt,
  };
}

const deedTo: Readonly<Record<string, CardDeed>> = { Todo: 'activate', Done: 'to-done' };

/** Programs that work until the test ends them, and that a stop ends when the test says so. */
function makeRunnerWorld(flavour: FlavourName): RunnerUnderTest {
  const { issueId } = launchRequest();
  const place = calmPlace(
    flavour,
    Object.fromEntries([1, 2].map((attempt) => [`agent ${issueId}/${attempt}#1`, { kind: 'deaf' }])),
  );
  const park = lonePark(place);
  const tasks = () => [...park.tasks.values()];
  return {
    runner: place.driven(loneRunner(place, park, place.proc)),
    begun: async (turnId) => tasks().filter((task) => task.request.turnId === turnId).length,
    async finish(turnId, exitCode) {
      park.end(tasks().find((task) => task.request.turnId === turnId)!, { exitCode });
    },
    async letStopsTakeEffect() {
      for (const task of tasks()) if (task.stopAsked) park.end(task, { signal: 'SIGTERM' });
    },
    dispose: async () => undefined,
  };
}

import type { StateName } from '../../lib/core/issue.ts';
import { capsOf, type SimBoard } from './checks/truth.ts';
import { columns } from './flavours.ts';
import { loseTable } from './lose-table.ts';
import type { Part } from './models/calls.ts';
import { type Card, refresh } from './models/card-board.ts';
import { mend } from './models/hands.ts';
import { pause } from './pause.ts';
import {
  type BoardDeed,
  beginning,
  boardDeeds,
  type CardDeed,
  cardDeeds,
  type Happening,
  type WorldDeed,
} from './sim-case.ts';
import { workflowOf } from './sim-workflow.ts';
import type { World } from './world.ts';

/** Plans everything that the story says will happen. */
export function planHappenings(world: World): void {
  for (const happening of world.story.happenings)
    world.kernel.at(beginning + happening.at, () => happen(world, happening));
}

/** From now on nothing goes wrong, and whatever people had broken or put off is as it should be again. */
export function heal(world: World): void {
  world.fate.calm();
  world.down.clear();
  world.setting.limit.end();
  for (const board of world.boards) {
    rename(board, undefined);
    pause(world.truth, board, false);
    board.workflowProblem = undefined;
    restoreWorkflow(world, board);
  }
  mendAll(world);
}

/** People mend what they are told cannot be understood. */
export function mendAll(world: World): void {
  for (const board of world.boards) for (const card of board.cards.cards.values()) mend(board.cards, card);
}

function happen(world: World, happening: Happening): void {
  const { what, card: id } = happening;
  world.setting.saw(`happens ${what}`);
  const board = world.boards[happening.board];
  if (board === undefined) return;
  if (isOneOf(cardDeeds, what)) {
    const card = id === undefined ? undefined : board.cards.cards.get(id);
    if (card !== undefined) world.act(board, card, what);
  } else if (isOneOf(boardDeeds, what)) doToBoard(world, board, what, happening);
  else doToWorld(world, what, happening);
}

function doToBoard(world: World, board: SimBoard, what: BoardDeed, { at, forMs = 0 }: Happening): void {
  const later = (run: () => void) => world.kernel.after(forMs, run);
  const all = (deed: CardDeed) => {
    for (const card of board.cards.cards.values()) world.act(board, card, deed);
  };
  const ways: Readonly<Record<BoardDeed, () => void>> = {
    'rename-column': () => {
      rename(board, 1 + (at % 3));
      later(() => rename(board, undefined));
    },
    pause: () => {
      pause(world.truth, board, true);
      later(() => pause(world.truth, board, false));
    },
    'break-workflow': () => {
      board.workflowProblem = {
        rule: 'workflow-file',
        path: '',
        message: 'the workflow file is broken',
        toResume: 'mend it',
      };
      later(() => {
        board.workflowProblem = undefined;
      });
    },
    'lower-caps': () => {
      board.formerCaps = { until: world.kernel.now() + 300_000, caps: capsOf(world.truth, board) };
      board.workflow = workflowOf({ ...world.story.policy, boardCap: 1, todoCap: 1 }, world.story.flavour);
      later(() => restoreWorkflow(world, board));
    },
    'activate-all': () => all('activate'),
    'backlog-all': () => all('to-backlog'),
  };
  ways[what]();
}

function doToWorld(world: World, what: WorldDeed, { forMs = 0 }: Happening): void {
  const until = world.kernel.now() + forMs;
  if (what === 'table-lost') loseTable(world.truth, world.fate, world.run);
  else if (what === 'table-restored') loseTableLater(world, forMs);
  else if (what === 'clock-jump') world.jump(forMs);
  else if (what === 'schedule-gap') world.run.schedule.pause(until);
  else if (what === 'ask-plan') world.run.askPlan();
  else world.down.set(what.replace('-down', '') as Part, until);
}

/** A backup is made now, and the table is lost when it is so old. */
function loseTableLater({ kernel, store, truth, fate, run }: World, ageMs: number): void {
  const backup = store.backup();
  kernel.after(ageMs, () => loseTable(truth, fate, run, backup));
}

function restoreWorkflow({ story }: World, board: SimBoard): void {
  board.workflow = workflowOf(story.policy, story.flavour);
}

/** Gives one column another name, or all columns their own names back. Cards go along. */
function rename(simBoard: SimBoard, place: number | undefined): void {
  const { cards: board } = simBoard;
  const before = board.states;
  board.states = before.map((state, at) => ({
    ...state,
    name: (at === place ? `${columns[at]} renamed` : columns[at]) as string as StateName,
  }));
  if (board.states.some(({ name }, at) => name !== before[at]!.name)) simBoard.renamedAt = board.now();
  const now = new Map(before.map((state, at) => [state.name, board.states[at]!.name]));
  for (const card of board.cards.values()) renameStates(board, card, now);
}

function renameStates(board: SimBoard['cards'], card: Card, names: ReadonlyMap<StateName, StateName>): void {
  const states = card.states.map((state) => names.get(state) ?? state);
  if (states.every((state, at) => state === card.states[at])) return;
  card.states = states;
  refresh(board, card);
}

function isOneOf<Name extends string>(names: readonly Name[], what: string): what is Name {
  return (names as readonly string[]).includes(what);
}

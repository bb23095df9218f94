import type { StateName } from '../../../lib/core/issue.ts';
import { branchName } from '../../../lib/core/names.ts';
import { type Column, placeOf } from '../flavours.ts';
import type { CardDeed } from '../sim-case.ts';
import { type Card, type CardBoard, type Hand, noteMove, putInto, refresh } from './card-board.ts';

/** What a hand does to a card, at once. Whatever a card is, this can be done to it, or does nothing. */
export function doToCard(board: CardBoard, card: Card, deed: CardDeed): void {
  if (card.gone) return;
  deeds[deed](board, card);
}

type Deed = (board: CardBoard, card: Card) => void;

const deeds: Readonly<Record<CardDeed, Deed>> = {
  activate: (board, card) => open(board, card, 'Todo', 'person'),
  'activate-untrusted': (board, card) => open(board, card, 'Todo', 'stranger'),
  'activate-by-bot': (board, card) => open(board, card, 'Todo', 'bot'),
  'to-progress': (board, card) => open(board, card, 'In Progress', 'person'),
  'to-backlog': (board, card) => open(board, card, 'Backlog', 'person'),
  'to-review': (board, card) => open(board, card, 'In Review', 'person'),
  'to-done': (board, card) => move(board, card, 'Done', 'person'),
  close: (board, card) => close(board, card, 'person'),
  'close-by-bot': (board, card) => close(board, card, 'bot'),
  reopen: (board, card) => open(board, card, 'Todo', 'person'),
  label: (board, card) => relabel(board, card, ['agent']),
  unlabel: (board, card) => relabel(board, card, []),
  /** Takes its column away, by a label that is removed or a column that is deleted. */
  strip(board, card) {
    if (!board.flavour.mayLackColumn) return;
    card.states = [];
    refresh(board, card);
  },
  edit(board, card) {
    card.title = `${card.title}.`;
    refresh(board, card);
  },
  delete(board, card) {
    card.gone = true;
    wish(board, card, 'gone', 'person');
    refresh(board, card);
  },
  spoil(board, card) {
    const isBare = card.states.length === 0 || card.states.includes('Backlog' as StateName);
    if (board.flavour.statesAreLabels && !isBare) card.states = [...card.states, 'Backlog' as StateName];
    else card.spoilt = true;
    refresh(board, card);
  },
  mend,
  merge: (board, card) => board.host.decide(branchName(card.id), 'merged'),
  'close-pull-request': (board, card) => board.host.decide(branchName(card.id), 'closed'),
};

/** A person who takes a card in hand makes it understandable again, too. */
export function mend(board: CardBoard, card: Card): void {
  if (card.gone || (!card.spoilt && card.states.length === 1)) return;
  card.spoilt = false;
  const { column } = card.wish;
  if (card.states.length !== 1 && column !== 'gone') putInto(board, card, nameOf(board, column), 'person');
  refresh(board, card);
}

function open(board: CardBoard, card: Card, column: Column, by: Hand): void {
  card.closed = false;
  move(board, card, column, by);
}

function move(board: CardBoard, card: Card, column: Column, by: Hand): void {
  card.spoilt = false;
  putInto(board, card, nameOf(board, column), by);
  wish(board, card, column, by);
}

function close(board: CardBoard, card: Card, by: Hand): void {
  if (!board.flavour.separateFields || board.flavour.columnFollowsClosing) {
    move(board, card, 'Done', by);
    return;
  }
  card.closed = true;
  noteMove(board, card, card.states[0], card.states[0], by);
  wish(board, card, 'Done', by);
}

function relabel(board: CardBoard, card: Card, labels: readonly string[]): void {
  card.labels = labels;
  refresh(board, card);
}

function wish(board: CardBoard, card: Card, column: Column | 'gone', by: Hand): void {
  card.wish = { at: board.now(), column, by };
}

/** A column that was renamed is meant by its old name all the same. */
function nameOf(board: CardBoard, column: Column): StateName {
  return board.states[placeOf(column)]!.name;
}

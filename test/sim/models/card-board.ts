import type { StateMove } from '../../../lib/controller/ports.ts';
import {
  type Issue,
  type IssueId,
  type IssueKey,
  type StateName,
  stateKey,
  type TrackerState,
} from '../../../lib/core/issue.ts';
import { type Column, columns, type Flavour } from '../flavours.ts';
import type { CardPlan } from '../sim-case.ts';
import { type CodeHost, codeHost } from './code-host.ts';

export type Hand = 'person' | 'stranger' | 'bot' | 'us';

/** A card as it really is, whatever anybody was told. */
export interface Card {
  readonly id: IssueId;
  readonly key: IssueKey;
  readonly plan: CardPlan;
  title: string;
  description: string;
  labels: readonly string[];
  /** One, or several where states are labels. */
  states: readonly StateName[];
  closed: boolean;
  spoilt: boolean;
  gone: boolean;
  version: number;
  movedBy: Hand;
  issue: Issue;
  readonly moves: (StateMove & { readonly at: number; readonly by: Hand })[];
  /** What it looked like, newest last, for reads that are out of date. */
  readonly trail: { readonly at: number; readonly issue: Issue }[];
  readonly comments: Map<string, string>;
  /** What a person last did to it, and when: how the board is to look in the end. */
  wish: { readonly at: number; readonly column: Column | 'gone'; readonly by: Hand };
}

export interface CardBoard {
  readonly flavour: Flavour;
  states: readonly TrackerState[];
  readonly cards: Map<string, Card>;
  /** Where its turns push to. */
  readonly host: CodeHost;
  now(): number;
}

/** What the board says of a card in the end: closed comes first, then any final column. */
export type Standing = 'terminal' | 'conflict' | 'none' | StateName;

export function makeCardBoard(flavour: Flavour, plans: readonly CardPlan[], now: () => number): CardBoard {
  const states = columns.map((name, at) => ({ id: `column-${at}`, name: name as string as StateName }));
  const board: CardBoard = { flavour, states, cards: new Map(), host: codeHost(now), now };
  for (const plan of plans) addCard(board, plan);
  for (const card of board.cards.values()) refresh(board, card);
  return board;
}

export function addCard(board: CardBoard, plan: CardPlan): Card {
  const usual = { title: `Title of ${plan.id}`, description: `What ${plan.id} asks for.` };
  const card: Card = {
    id: plan.id as IssueId,
    key: plan.id as string as IssueKey,
    plan,
    ...(plan.text ?? usual),
    labels: plan.labels,
    states: [plan.column as string as StateName],
    closed: false,
    spoilt: false,
    gone: false,
    version: 0,
    movedBy: 'person',
    issue: undefined as never,
    moves: [],
    trail: [],
    comments: new Map(),
    wish: { at: board.now(), column: plan.column, by: 'person' },
  };
  card.closed = isFinal(plan.column) && closesByColumn(board);
  board.cards.set(plan.id, card);
  return card;
}

export function standingOf(card: Card): Standing {
  if (card.closed || card.states.some(isFinal)) return 'terminal';
  if (card.states.length > 1) return 'conflict';
  return card.states[0] ?? 'none';
}

export function isFinal(state: string): boolean {
  return state === 'Done' || state === 'Cancelled';
}

/** Puts a card into one column, whoever does it. Leaves closing alone where that is a field of its own. */
export function putInto(board: CardBoard, card: Card, to: StateName, by: Hand): void {
  const from = card.states.length === 1 ? card.states[0] : undefined;
  card.states = [to];
  if (closesByColumn(board)) card.closed = isFinal(to);
  if (board.flavour.columnFollowsClosing && isFinal(to)) card.closed = true;
  noteMove(board, card, from, to, by);
}

export function noteMove(
  board: CardBoard,
  card: Card,
  from: StateName | undefined,
  to: StateName | undefined,
  by: Hand,
): void {
  card.moves.push({ at: board.now(), from, to, ours: by === 'us', by });
  card.movedBy = by;
  refresh(board, card);
}

/** Notes that the card has changed, and with it those that it blocks, so that later reads see it and earlier ones are out of date. */
export function refresh(board: CardBoard, card: Card): void {
  noteChange(board, card);
  for (const other of board.cards.values())
    if (other.plan.blockedBy === card.plan.id) noteChange(board, other);
}

function noteChange(board: CardBoard, card: Card): void {
  card.version += 1;
  card.issue = issueOf(board, card);
  card.trail.push({ at: board.now(), issue: card.issue });
  if (card.trail.length > 12) card.trail.shift();
}

/** Whether the column alone says that a card is closed. */
export function closesByColumn({ flavour }: CardBoard): boolean {
  return !flavour.separateFields;
}

export function columnNamed(board: CardBoard, name: string): TrackerState | undefined {
  return board.states.find((state) => stateKey(state.name) === stateKey(name));
}

function issueOf(board: CardBoard, card: Card): Issue {
  const { keepsMoves } = board.flavour;
  const blocker = card.plan.blockedBy;
  const ours = card.movedBy === 'us';
  return {
    id: card.id,
    key: card.key,
    title: card.title,
    description: card.description,
    url: undefined,
    state: card.states.length === 1 ? card.states[0] : undefined,
    conflictingStates: card.states.length > 1 ? card.states : [],
    closed: card.closed,
    labels: card.labels,
    priority: card.plan.priority,
    blockers: blocker === undefined ? [] : [{ key: blocker as IssueKey, open: isOpen(board, blocker) }],
    assignees: card.plan.assignees ?? [],
    createdAt: card.plan.createdAt ?? card.plan.id.length,
    movedBy: keepsMoves && (ours || card.movedBy === 'bot') ? 'automation' : 'person',
    trusted: !keepsMoves || card.movedBy === 'person' || ours,
  };
}

function isOpen(board: CardBoard, id: string): boolean {
  const card = board.cards.get(id);
  return card === undefined || standingOf(card) !== 'terminal';
}

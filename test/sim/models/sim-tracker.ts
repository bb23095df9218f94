import type { FreshIssue, StateMove, Tracker, Written } from '../../../lib/controller/ports.ts';
import { type Issue, type IssueId, type Reading, type StateName, stateKey } from '../../../lib/core/issue.ts';
import type { BrokenIssue, Listing } from '../../../lib/core/observation.ts';
import { SimulatedTrouble } from '../calls-in-flight.ts';
import type { Proc } from '../kernel.ts';
import type { Setting } from './calls.ts';
import { type Card, type CardBoard, columnNamed, isFinal, type Standing, standingOf } from './card-board.ts';
import { landHalf, landMove, takeBack } from './landing.ts';
import { sneakIn } from './snipers.ts';
import { type Caller, trackerCalls } from './tracker-calls.ts';

/** Who is told of what our processes are shown and what they write. */
export interface TrackerWatch {
  statesRead(proc: Proc, board: CardBoard, names: readonly StateName[] | undefined): void;
  listed(proc: Proc, board: CardBoard, states: readonly StateName[], listing: Listing | undefined): void;
  read(proc: Proc, board: CardBoard, id: IssueId, reading: Reading): void;
  writeSent(proc: Proc, board: CardBoard, write: TrackerWrite): void;
  /** The process was told that its move is made. */
  writeAnswered(proc: Proc, board: CardBoard, write: TrackerWrite): void;
  writeLanded(proc: Proc, board: CardBoard, write: TrackerWrite, landed: Landed): void;
}

export interface TrackerWrite {
  readonly card: Card | undefined;
  readonly issue: Issue;
  readonly to: StateName;
  readonly kind: 'transition' | 'restore' | 'take-back';
}

export interface Landed {
  readonly before: Standing;
  readonly statesBefore: readonly StateName[];
  readonly after: Standing;
  readonly answer: Written | 'messy';
}

export interface SimTrackerOptions {
  readonly setting: Setting;
  readonly board: CardBoard;
  readonly name: string;
  readonly watch: TrackerWatch;
  readonly proc: Proc;
  /** A hand that acts on a card a little later. */
  readonly act: (card: Card, deed: string, inMs: number) => void;
}

/** One process's tracker, over the board as it really is. */
export function simTracker(options: SimTrackerOptions): Tracker {
  const { setting, proc, board } = options;
  const { call, quota } = trackerCalls(setting, proc, board);
  const desk: Desk = { ...options, versions: new WeakMap(), call };
  return {
    lateWriteMs: board.flavour.lateWriteMs,
    separateFields: board.flavour.separateFields,
    quota,
    notices: async () => [],
    find: async (key) => (board.cards.has(key) ? (key as IssueId) : undefined),
    ...trackerLists(desk),
    ...trackerReads(desk),
    transition: (issue, to) => writeMove(desk, 'transition', issue, to),
    restore: (issue, to) => writeMove(desk, 'restore', issue, to),
    moves: (id) => call('moves', id, (fault) => movesOf(board, id, fault)),
    async comment(issue, { marker, body }) {
      return call('comment', issue.id, () => {
        const card = board.cards.get(issue.id);
        if (card === undefined || card.gone) throw new Error('sim: there is no such issue');
        card.comments.set(marker, body);
        return { ref: `comment-${issue.id}` };
      });
    },
  };
}

interface Desk extends SimTrackerOptions {
  readonly call: Caller;
  /** Which version of a card each issue that was read is. */
  readonly versions: WeakMap<object, number>;
}

function trackerLists({ board, name, proc, watch, call }: Desk): Pick<Tracker, 'states' | 'list' | 'count'> {
  const told = async <Answer>(calling: Promise<Answer>, tell: (answer: Answer | undefined) => void) => {
    const answer = await calling.catch((error: unknown) => {
      tell(undefined);
      throw error;
    });
    tell(answer);
    return answer;
  };
  return {
    states: () =>
      told(
        call('states', name, () => board.states),
        (states) =>
          watch.statesRead(
            proc,
            board,
            states?.map((state) => state.name),
          ),
      ),
    async list(states) {
      if (states.length === 0) return { issues: [], broken: [] };
      const keys = new Set(states.map(stateKey));
      return told(
        call('list', name, (fault, ms) => listCards(board, keys, fault, ms)),
        (listing) => watch.listed(proc, board, states, listing),
      );
    },
    count: (state) =>
      call(
        'count',
        name,
        (fault, ms) =>
          // What is closed waits for nobody, wherever it stands.
          listCards(board, new Set([stateKey(state)]), fault, ms).issues.filter(
            ({ closed }) => !(board.flavour.separateFields && closed),
          ).length,
      ),
  };
}

function trackerReads(desk: Desk): Pick<Tracker, 'read' | 'readMany'> {
  const { setting, board, name, proc, watch, act, call } = desk;
  return {
    async read(id) {
      const card = board.cards.get(id);
      sneakIn({ setting, proc, when: 'read', card, act });
      const reading = await call('read', id, (fault) => lookAt(desk, card, fault)).catch(describeUnknown);
      watch.read(proc, board, id, reading);
      return reading;
    },
    async readMany(ids) {
      if (ids.length === 0) return new Map();
      const all = await call('read-many', name, (fault) => {
        const readings = ids.map((id) => [id, lookAt(desk, board.cards.get(id), undefined)] as const);
        return fault === 'some' ? readings.slice(1) : readings;
      }).catch((error: unknown) => ids.map((id) => [id, describeUnknown(error)] as const));
      const readings = new Map<IssueId, Reading<FreshIssue>>(all);
      for (const id of ids)
        if (!readings.has(id)) readings.set(id, { kind: 'unknown', problem: 'sim: it was not answered' });
      for (const [id, reading] of readings) watch.read(proc, board, id, reading);
      return readings;
    },
  };
}

function lookAt(
  { versions }: Pick<Desk, 'versions'>,
  card: Card | undefined,
  fault: string | undefined,
): Reading<FreshIssue> {
  if (card === undefined || card.gone || fault === 'gone') return { kind: 'gone' };
  const broken = describeBroken(card);
  if (broken !== undefined) return { kind: 'unknown', problem: broken.problem };
  const issue = { ...card.issue, ...(fault === 'trust-unknown' ? { trusted: 'unknown' as const } : {}) };
  versions.set(issue, card.version);
  return { kind: 'found', issue: issue as FreshIssue };
}

async function writeMove(
  { setting, board, proc, watch, act, call, versions }: Desk,
  kind: 'transition' | 'restore',
  issue: FreshIssue,
  to: StateName,
): Promise<Written> {
  if (columnNamed(board, to) === undefined)
    return { kind: 'rejected', problem: `The board has no state '${to}'.` };
  if (kind === 'transition' && issue.closed && !isFinal(columnNamed(board, to)!.name))
    return { kind: 'rejected', problem: `${issue.key} is closed; only a person reopens it.` };
  const card = board.cards.get(issue.id);
  const write = { card, issue, to, kind };
  watch.writeSent(proc, board, write);
  sneakIn({ setting, proc, when: 'write', card, act });
  const answer = await call(kind, issue.id, (fault) => {
    if (fault === 'rejected') return { kind: 'rejected', problem: 'sim: it is forbidden' } as const;
    const standing = () => (card === undefined ? 'none' : standingOf(card));
    const [before, statesBefore] = [standing(), card?.states ?? []];
    const land = fault === 'half' ? landHalf : landMove;
    const landed = land(board, card, write, versions.get(issue));
    watch.writeLanded(proc, board, write, { before, statesBefore, after: standing(), answer: landed });
    if (fault === 'half') throw new SimulatedTrouble(`sim: the move of ${issue.id} is cut off`);
    return landed;
  });
  if (answer !== 'messy') {
    if (answer.kind === 'written' && kind === 'transition') watch.writeAnswered(proc, board, write);
    return answer;
  }
  // What the response shows beside our label is somebody's word: only what was added is taken back.
  await call('take-back', issue.id, () => takeBack(board, card!, to));
  return { kind: 'changed' };
}

function movesOf(board: CardBoard, id: IssueId, fault: string | undefined): readonly StateMove[] | undefined {
  if (!board.flavour.keepsMoves) return undefined;
  const moves = (board.cards.get(id)?.moves ?? []).map(({ from, to, ours }) => ({ from, to, ours }));
  return fault === 'behind' ? moves.slice(0, -1) : moves;
}

/** All that the tracker shows in these states: perhaps as it was a while ago, perhaps without one of them. */
function listCards(
  board: CardBoard,
  keys: ReadonlySet<string>,
  fault: string | undefined,
  ms: number,
): Listing {
  if (fault === 'empty') return { issues: [], broken: [] };
  const cards = [...board.cards.values()].filter((card) => !card.gone);
  const shown = cards
    .filter((card) => describeBroken(card) === undefined)
    .map((card) => (fault === 'stale' ? asItWas(card, board.now() - ms) : card.issue))
    .filter((issue) => issue?.state !== undefined && keys.has(stateKey(issue.state)) && isShown(board, issue))
    .map((issue) => issue!);
  const omitted = fault === 'omit' && shown.length > 0 ? ms % shown.length : -1;
  return {
    issues: shown.filter((_, at) => at !== omitted),
    broken: cards.flatMap((card) => describeBroken(card) ?? []),
  };
}

/** A list by label asks for open issues only; where closing is a column, the column says it all. */
function isShown(board: CardBoard, issue: Issue): boolean {
  return !(board.flavour.statesAreLabels && issue.closed);
}

function asItWas(card: Card, at: number): Issue | undefined {
  return card.trail.findLast((entry) => entry.at <= at)?.issue ?? card.trail[0]?.issue;
}

function describeBroken(card: Card): BrokenIssue | undefined {
  const conflictingStates = card.states.length > 1 && !card.closed;
  if (!card.spoilt && !conflictingStates) return undefined;
  const problem = conflictingStates ? 'sim: it has several states' : 'sim: it cannot be understood';
  return { id: card.id, key: card.key, problem, conflictingStates };
}

function describeUnknown(error: unknown): { readonly kind: 'unknown'; readonly problem: string } {
  return { kind: 'unknown', problem: error instanceof Error ? error.message : String(error) };
}

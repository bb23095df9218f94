import { type Dice, makeDice } from './chance.ts';
import { drawRates } from './draw-rates.ts';
import { type FlavourName, flavourNames, flavours } from './flavours.ts';
import {
  boardDeeds,
  type CardDeed,
  type CardPlan,
  type Happening,
  type Policy,
  type SimCase,
  worldDeeds,
} from './sim-case.ts';

const minuteMs = 60_000;

/** The world of a seed: what stands on its boards, what its policy says, what people do, and how much goes wrong. */
export function drawCase(seed: number, flavour?: FlavourName): SimCase {
  const dice = makeDice(seed, 'case');
  const chosen = flavour ?? flavourNames[seed % flavourNames.length]!;
  const boards = dice.happens(0.3) ? 2 : 1;
  const cards = drawCards(dice, boards);
  const calmAtMs = dice.between(25, 90) * minuteMs;
  const merging = drawMerging(makeDice(seed, 'merging'));
  const forgetting = merging.finishesMerged ? {} : drawForgetting(makeDice(seed, 'forgetting'));
  const policy = { ...drawPolicy(dice, boards), ...merging, ...forgetting };
  return {
    seed,
    flavour: chosen,
    boards,
    cards,
    policy,
    calmAtMs,
    happenings: [
      ...drawHappenings(makeDice(seed, 'happenings'), chosen, boards, cards, calmAtMs),
      ...drawDecisions(makeDice(seed, 'decisions'), cards, calmAtMs),
      ...drawRestored(makeDice(seed, 'restored'), chosen, calmAtMs),
    ].sort((a, b) => a.at - b.at),
    rates: drawRates(makeDice(seed, 'rates')),
    faults: {},
  };
}

function drawCards(dice: Dice, boards: number): readonly CardPlan[] {
  const count = dice.between(1, 4) + (boards > 1 ? 1 : 0);
  return Array.from({ length: count }, (_, at): CardPlan => {
    const board = at % boards;
    const blocker = at - boards;
    return {
      id: `c${at}`,
      board,
      column: dice.happens(0.6)
        ? 'Todo'
        : dice.pick(['Backlog', 'Todo', 'In Progress', 'In Review', 'Done'] as const),
      priority: dice.happens(0.3) ? dice.pick([1, 2, 3, 4] as const) : undefined,
      labels: dice.happens(0.8) ? ['agent'] : [],
      blockedBy: dice.happens(0.1) && blocker >= 0 ? `c${blocker}` : undefined,
    };
  });
}

function drawPolicy(dice: Dice, boards: number): Policy {
  return {
    deploymentCap: dice.pick(boards > 1 ? [1, 1, 2, 3] : [1, 2, 2, 3, 10]),
    boardCap: dice.pick([1, 2, 2, 4]),
    todoCap: dice.happens(0.35) ? 1 : undefined,
    progressCap: dice.happens(0.25) ? dice.pick([1, 2]) : undefined,
    writesProgress: dice.happens(0.85),
    handsOff: dice.happens(0.9),
    needsLabel: dice.happens(0.3),
    maxInHandoff: dice.happens(0.1) ? dice.pick([1, 2]) : undefined,
    maxFailures: dice.pick([1, 2, 3, 3]),
    maxTurns: dice.pick([3, 6, 20]),
    maxNoProgress: dice.pick([1, 2]),
    usdPerIssue: dice.happens(0.15) ? 1 : undefined,
    usdPerDay: dice.happens(0.1) ? 2 : undefined,
    turnTimeoutMs: dice.pick([10, 20]) * minuteMs,
    prompt: dice.happens(0.03) ? 'Work on {{ issue.nothing }}.' : undefined,
    tokensPerIssue: dice.happens(0.1) ? 2_500 : undefined,
    transitionsPerTick: dice.happens(0.1) ? 1 : undefined,
  };
}

function drawMerging(dice: Dice): Pick<Policy, 'finishesMerged'> {
  return dice.happens(0.5) ? { finishesMerged: true } : {};
}

/** Not where a merge finishes an issue: of a merge that is older than what is forgotten people decide, which takes weeks. */
function drawForgetting(dice: Dice): Pick<Policy, 'forgetsSoon'> {
  return dice.happens(0.3) ? { forgetsSoon: true } : {};
}

/** What people decide about the work of turns. */
function drawDecisions(dice: Dice, cards: readonly CardPlan[], calmAtMs: number): readonly Happening[] {
  return cards.flatMap(({ board, id: card }) =>
    Array.from({ length: dice.between(0, 3) }, () => ({
      at: dice.between(0, calmAtMs),
      board,
      card,
      what: dice.happens(0.8) ? ('merge' as const) : ('close-pull-request' as const),
    })),
  );
}

/** What people do most: start work, and change their minds. */
const usualDeeds: readonly CardDeed[] = [
  'activate',
  'activate',
  'activate',
  'activate',
  'reopen',
  'close',
  'close',
  'to-done',
  'to-backlog',
  'to-backlog',
  'to-review',
  'to-progress',
  'edit',
  'label',
  'unlabel',
  'activate-untrusted',
  'activate-by-bot',
  'close-by-bot',
  'spoil',
  'strip',
  'mend',
];

const usualWorldDeeds = worldDeeds.filter((what) => what !== 'table-restored');

function drawHappenings(
  dice: Dice,
  flavour: FlavourName,
  boards: number,
  cards: readonly CardPlan[],
  calmAtMs: number,
): readonly Happening[] {
  const happenings: Happening[] = [];
  const meanMs = dice.pick([4, 10, 25]) * minuteMs;
  for (const card of cards) {
    let at = 0;
    for (;;) {
      at += Math.round(-Math.log(1 - dice.next()) * meanMs);
      if (at >= calmAtMs) break;
      const what = dice.happens(0.01) ? 'delete' : dice.pick(usualDeeds);
      happenings.push({ at, board: card.board, card: card.id, what });
      // A change of mind within the same minute.
      if (dice.happens(0.15))
        happenings.push({
          at: at + dice.between(1, 50_000),
          board: card.board,
          card: card.id,
          what: dice.pick(usualDeeds),
        });
    }
  }
  for (let board = 0; board < boards; board += 1)
    for (const what of boardDeeds)
      if (dice.happens(0.12))
        happenings.push({
          at: dice.between(0, calmAtMs),
          board,
          what,
          forMs: dice.between(1, 15) * minuteMs,
        });
  for (const what of usualWorldDeeds)
    if (dice.happens(what === 'table-lost' ? 0.1 : 0.15))
      happenings.push(drawWorldDeed(dice, flavour, what, calmAtMs));
  return happenings;
}

/** A backup is made, and, while there is still trouble, the table is lost and comes back from it. One machine makes none. */
function drawRestored(dice: Dice, flavour: FlavourName, calmAtMs: number): readonly Happening[] {
  if (flavours[flavour].place === 'machine' || !dice.happens(0.1)) return [];
  const at = dice.between(0, calmAtMs);
  const forMs = dice.between(0, Math.min(20 * minuteMs, calmAtMs - at));
  return [{ at, board: 0, what: 'table-restored', forMs }];
}

function drawWorldDeed(
  dice: Dice,
  flavour: FlavourName,
  what: (typeof worldDeeds)[number],
  calmAtMs: number,
): Happening {
  const at = dice.between(0, calmAtMs);
  const isMachine = flavours[flavour].place === 'machine';
  // A clock that goes ahead shortens every wait: only as far as the waits allow for, where requests outlive their senders.
  if (what === 'clock-jump')
    return { at, board: 0, what, forMs: dice.between(1, isMachine ? 7_200 : 60) * 1_000 };
  return { at, board: 0, what, forMs: dice.between(1, 20) * minuteMs };
}

import type { Faults } from '../fate.ts';
import type { FlavourName } from '../flavours.ts';
import type { CardPlan, Happening, Policy, SimCase } from '../sim-case.ts';

const minuteMs = 60_000;

/** A story in which nothing goes wrong but what it tells of; sweeps add one trouble, or two, at every place in it. */
export interface SweepStory {
  readonly name: string;
  readonly story: SimCase;
}

interface Told {
  readonly cards?: readonly Partial<CardPlan>[];
  readonly boards?: number;
  readonly policy?: Partial<Policy>;
  /** Minutes from the beginning. */
  readonly happenings?: readonly (Omit<Happening, 'at' | 'board'> & {
    readonly minute: number;
    readonly board?: number;
  })[];
  readonly faults?: Faults;
  readonly minutes?: number;
}

const policy: Policy = {
  deploymentCap: 3,
  boardCap: 2,
  writesProgress: true,
  handsOff: true,
  needsLabel: false,
  maxFailures: 3,
  maxTurns: 20,
  maxNoProgress: 2,
  turnTimeoutMs: 20 * minuteMs,
};

function tell(name: string, flavour: FlavourName, told: Told): SweepStory {
  const { cards = [{}], boards = 1, happenings = [], faults = {}, minutes = 12 } = told;
  const story: SimCase = {
    seed: 1,
    flavour,
    boards,
    cards: cards.map((card, at) => ({
      id: `c${at}`,
      board: 0,
      column: 'Todo' as const,
      labels: ['agent'],
      ...card,
    })),
    policy: { ...policy, ...told.policy },
    calmAtMs: minutes * minuteMs,
    happenings: happenings.map(({ minute, board = 0, ...rest }) => ({
      at: minute * minuteMs,
      board,
      ...rest,
    })),
    faults,
  };
  return { name, story };
}

export const sweepStories: readonly SweepStory[] = [
  tell('a turn ends well and is handed off', 'github-labels', {}),
  tell('a card is closed while its turn runs', 'linear', {
    happenings: [{ minute: 1.5, card: 'c0', what: 'close' }],
  }),
  tell('a card is closed between the read and the hand-off', 'linear', {
    faults: { 'turn-end sniper.read/c0#1': { kind: 'close', ms: 100 } },
  }),
  tell('a card is closed while it is moved to in progress', 'linear', {
    faults: { 'tick sniper.write/c0#1': { kind: 'to-done', ms: 20 } },
  }),
  tell('a card goes to the backlog and comes back', 'github-project', {
    happenings: [
      { minute: 1.3, card: 'c0', what: 'to-backlog' },
      { minute: 2.6, card: 'c0', what: 'activate' },
    ],
  }),
  tell('an agent fails, and fails again', 'github-labels', {
    policy: { maxFailures: 2 },
    faults: { 'agent c0/1#1': { kind: 'failed agent' }, 'agent c0/2#1': { kind: 'crash' } },
  }),
  tell('an agent asks a question, and a person answers', 'linear', {
    faults: { 'agent c0/1#1': { kind: 'question' } },
    happenings: [{ minute: 6, card: 'c0', what: 'activate' }],
    minutes: 16,
  }),
  tell('three cards share one place', 'linear', {
    cards: [{}, { priority: 1 }, {}],
    policy: { deploymentCap: 1 },
    minutes: 20,
  }),
  tell('two boards share two places', 'github-project', {
    boards: 2,
    cards: [{}, { board: 1 }, {}],
    policy: { deploymentCap: 2, todoCap: 1 },
    minutes: 20,
  }),
  tell('a launch is refused twice', 'github-project', {
    faults: {
      'tick runner.launch/c0#1': { kind: 'refused' },
      'tick runner.launch/c0#2': { kind: 'refused' },
    },
    minutes: 16,
  }),
  tell('a host is taken away under a turn', 'github-labels', {
    faults: { 'task life/c0/1#1': { kind: 'host-lost', ms: 60_000 } },
  }),
  tell('an agent falls silent and is stopped', 'github-project', {
    faults: { 'agent c0/1#1': { kind: 'silent' } },
    minutes: 25,
  }),
  tell('the ledger is lost under a turn', 'linear', {
    happenings: [{ minute: 1.6, what: 'table-lost' }],
    faults: { 'agent c0/1#1': { kind: 'slow', ms: 900_000 } },
    minutes: 30,
  }),
  tell('the ledger is restored, and knows another turn than the one that runs', 'github-project', {
    cards: [{}, {}],
    policy: { boardCap: 1 },
    happenings: [{ minute: 1.6, what: 'table-restored', forMs: 7 * minuteMs }],
    faults: {
      'agent c0/1#1': { kind: 'slow', ms: 300_000 },
      'agent c1/1#1': { kind: 'slow', ms: 900_000 },
    },
    minutes: 30,
  }),
  tell('ticks overlap', 'github-labels', {
    cards: [{}, {}],
    policy: { boardCap: 1 },
    happenings: [{ minute: 3, card: 'c1', what: 'edit' }],
    faults: {
      'schedule#1': { kind: 'doubled', ms: 250 },
      'schedule#2': { kind: 'doubled', ms: 400 },
      'schedule#3': { kind: 'doubled', ms: 900 },
      'schedule#5': { kind: 'late', ms: 59_000 },
    },
    minutes: 16,
  }),
  tell('on one machine a turn ends well', 'local', { cards: [{}, {}], policy: { boardCap: 1 } }),
  tell('on one machine the ledger is lost under a turn', 'local', {
    happenings: [{ minute: 1.2, what: 'table-lost' }],
  }),
];

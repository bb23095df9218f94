import type { Instant } from '../../lib/core/issue.ts';
import type { Faults, Rates } from './fate.ts';
import type { Column, FlavourName } from './flavours.ts';

/** The first moment of every world. */
export const beginning: Instant = Date.UTC(2026, 0, 1);

/**
 * A world and everything that happens to it, as data. A case with rates draws its faults; one without follows its list,
 * and is what a failing seed is shrunk to.
 */
export interface SimCase {
  readonly seed: number;
  readonly flavour: FlavourName;
  readonly boards: number;
  readonly cards: readonly CardPlan[];
  readonly policy: Policy;
  /** From the beginning to the end of all trouble, in milliseconds; afterwards the world must come to rest. */
  readonly calmAtMs: number;
  readonly happenings: readonly Happening[];
  readonly rates?: Rates | undefined;
  readonly faults: Faults;
}

export interface CardPlan {
  readonly id: string;
  readonly board: number;
  readonly column: Column;
  readonly priority?: 1 | 2 | 3 | 4 | undefined;
  readonly labels: readonly string[];
  readonly assignees?: readonly string[] | undefined;
  /** The id of another card of the board that must be closed first. */
  readonly blockedBy?: string | undefined;
  /** What people wrote; unless told, what says no more than the card's id. */
  readonly text?: CardText | undefined;
  readonly createdAt?: Instant | undefined;
}

export interface CardText {
  readonly title: string;
  readonly description: string;
}

/** What a board's workflow file says, and how much may run at once over all boards. */
export interface Policy {
  readonly deploymentCap: number;
  readonly boardCap: number;
  readonly todoCap?: number | undefined;
  readonly progressCap?: number | undefined;
  readonly writesProgress: boolean;
  readonly handsOff: boolean;
  /** Whether a merge finishes an issue. */
  readonly finishesMerged?: boolean | undefined;
  /** Leases of finished issues are forgotten after minutes, not weeks. */
  readonly forgetsSoon?: boolean | undefined;
  readonly needsLabel: boolean;
  readonly maxInHandoff?: number | undefined;
  readonly maxFailures: number;
  readonly maxTurns: number;
  readonly maxNoProgress: number;
  readonly usdPerIssue?: number | undefined;
  readonly usdPerDay?: number | undefined;
  readonly tokensPerIssue?: number | undefined;
  /** How many moves of cards one tick may make; 20 unless told. */
  readonly transitionsPerTick?: number | undefined;
  readonly turnTimeoutMs: number;
  readonly prompt?: string | undefined;
}

/** What people, and the world, do at a moment of their own. */
export interface Happening {
  /** From the beginning, in milliseconds. */
  readonly at: number;
  readonly board: number;
  readonly card?: string | undefined;
  readonly what: CardDeed | BoardDeed | WorldDeed;
  /** How long it lasts, for what ends by itself; how old its backup is when a table is lost that is restored. */
  readonly forMs?: number | undefined;
}

/** What a hand does to one card. */
export const cardDeeds = [
  'activate',
  'activate-untrusted',
  'activate-by-bot',
  'to-progress',
  'to-backlog',
  'to-review',
  'to-done',
  'close',
  'close-by-bot',
  'reopen',
  'label',
  'unlabel',
  'strip',
  'edit',
  'delete',
  'spoil',
  'mend',
  'merge',
  'close-pull-request',
] as const;
export type CardDeed = (typeof cardDeeds)[number];

export const boardDeeds = [
  'rename-column',
  'pause',
  'break-workflow',
  'lower-caps',
  'activate-all',
  'backlog-all',
] as const;
export type BoardDeed = (typeof boardDeeds)[number];

export const worldDeeds = [
  'tracker-down',
  'ledger-down',
  'runner-down',
  'turn-api-down',
  'table-lost',
  'clock-jump',
  'schedule-gap',
  'ask-plan',
  'table-restored',
] as const;
export type WorldDeed = (typeof worldDeeds)[number];

/**
 * The words of the domain. A *board* is one tracker scope with one WORKFLOW.md; an *issue* is an item on it; a *turn* is
 * one bounded run of an agent on one issue; its `turnId` is its identity everywhere.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type BoardId = Branded<'BoardId'>;
/** The tracker's own, opaque name of an issue. Never shown, never changed. */
export type IssueId = Branded<'IssueId'>;
/** What people call an issue: `web#42`, `ENG-7`. For showing only. */
export type IssueKey = Branded<'IssueKey'>;
export type TurnId = Branded<'TurnId'>;
/** A state as a person wrote it. Compare with `stateKey` only. */
export type StateName = Branded<'StateName'>;
/** A state's name made comparable: trimmed, NFC, lower-cased. Made by `stateKey` only. */
export type StateKey = Branded<'StateKey'>;
/** The runner's name of one container or process. Never reused. */
export type Arn = Branded<'Arn'>;
/** Milliseconds since the epoch. */
export type Instant = number;

/** A state as the tracker lists it; `id` outlives a rename where the tracker has ids of its own. */
export interface TrackerState {
  readonly id: string;
  readonly name: StateName;
}

export interface Blocker {
  readonly key: IssueKey;
  /** `unknown` when the blocker cannot be read; it then counts as open. */
  readonly open: boolean | 'unknown';
}

/** Who made the last move, as far as the tracker tells. A tracker that keeps no record says `person`. */
export type Mover = 'person' | 'automation';

export interface Issue {
  readonly id: IssueId;
  readonly key: IssueKey;
  readonly title: string;
  readonly description: string;
  readonly url: string | undefined;
  /** The state as shown; undefined when the issue has none, or several that contradict each other. */
  readonly state: StateName | undefined;
  /** Two or more states where one is allowed; such an issue is left alone until a person mends it. */
  readonly conflictingStates: readonly StateName[];
  /** Closed in the tracker: terminal, whatever its labels or column say. */
  readonly closed: boolean;
  /** Lower-cased, trimmed, unique. */
  readonly labels: readonly string[];
  /** 1 is most urgent; undefined sorts last. */
  readonly priority: 1 | 2 | 3 | 4 | undefined;
  readonly blockers: readonly Blocker[];
  /** Whom it is assigned to, by name; for the prompt alone. Empty in a list where the tracker would charge more for it. */
  readonly assignees: readonly string[];
  readonly createdAt: Instant | undefined;
  readonly movedBy: Mover;
  /** Whether who moved it into its state, and who changed its text since, may start work; `unknown` waits. */
  readonly trusted: boolean | 'unknown';
}

/** What a read by id found. An error is never absence: `gone` is the tracker's own word. */
export type Reading<Found extends Issue = Issue> =
  | { readonly kind: 'found'; readonly issue: Found }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly problem: string };

/** Names are compared trimmed, Unicode-normalised and lower-cased with a fixed locale; they are shown as written. */
export function stateKey(name: string): StateKey {
  return name.trim().normalize('NFC').toLocaleLowerCase('en-US') as StateKey;
}

/** The kinds of board and place that a world can have, with what is weak about each. */
export const flavourNames = ['github-labels', 'github-project', 'linear', 'local'] as const;
export type FlavourName = (typeof flavourNames)[number];

export interface Flavour {
  readonly name: FlavourName;
  /**
   * Where the handlers run: functions that overlap, whose requests outlive them, or one process on one machine, with
   * which everything dies that it has sent.
   */
  readonly place: 'functions' | 'machine';
  readonly lateWriteMs: number;
  readonly separateFields: boolean;
  /** Whether states are a set of labels, so that two can stand on one issue. */
  readonly statesAreLabels: boolean;
  /** Whether an issue may stand in no column. In Linear it never does: its state is required. */
  readonly mayLackColumn: boolean;
  /** Whether closing and the column follow each other by the vendor's own automation. */
  readonly columnFollowsClosing: boolean;
  readonly compareAndSet: boolean;
  /** Whether the tracker can tell how an issue came to where it is, and who moved it. */
  readonly keepsMoves: boolean;
}

export const flavours: Readonly<Record<FlavourName, Flavour>> = {
  'github-labels': {
    name: 'github-labels',
    place: 'functions',
    lateWriteMs: 240_000,
    separateFields: true,
    statesAreLabels: true,
    mayLackColumn: true,
    columnFollowsClosing: false,
    compareAndSet: false,
    keepsMoves: true,
  },
  'github-project': {
    name: 'github-project',
    place: 'functions',
    lateWriteMs: 240_000,
    separateFields: true,
    statesAreLabels: false,
    mayLackColumn: true,
    columnFollowsClosing: true,
    compareAndSet: false,
    keepsMoves: false,
  },
  linear: {
    name: 'linear',
    place: 'functions',
    lateWriteMs: 240_000,
    separateFields: false,
    statesAreLabels: false,
    mayLackColumn: false,
    columnFollowsClosing: false,
    compareAndSet: false,
    keepsMoves: true,
  },
  local: {
    name: 'local',
    place: 'machine',
    lateWriteMs: 0,
    separateFields: false,
    statesAreLabels: false,
    mayLackColumn: false,
    columnFollowsClosing: false,
    compareAndSet: true,
    keepsMoves: false,
  },
};

export const columns = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'] as const;
export type Column = (typeof columns)[number];

/** Where a column stands on the board; it keeps its place when it is renamed. */
export function placeOf(column: Column): number {
  return columns.indexOf(column);
}

/** A late write lands within this, also after the death of its sender. */
export const latestLandingMs = 90_000;

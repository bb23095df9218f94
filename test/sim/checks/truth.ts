import type { IssueId, TurnId } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import type { WorkflowProblem } from '../../../lib/core/observation.ts';
import type { SettlementRecord } from '../../../lib/core/settle.ts';
import type { Workflow } from '../../../lib/core/workflow.ts';
import type { Flavour } from '../flavours.ts';
import type { Kernel, Proc } from '../kernel.ts';
import type { Card, CardBoard } from '../models/card-board.ts';
import type { LedgerStore } from '../models/sim-ledger.ts';
import type { Task, TaskPark } from '../models/task-park.ts';

/** A promise that was broken, and by what. */
export interface Violation {
  /** The invariant's name, as docs/reliability.md lists it. */
  readonly rule: string;
  readonly at: number;
  readonly message: string;
}

/** One board as it is served, beside the cards that are really there. */
export interface SimBoard {
  readonly id: string;
  readonly cards: CardBoard;
  /** As the file says now. */
  workflow: Workflow;
  workflowProblem: WorkflowProblem | undefined;
  /** When a column last got another name. */
  renamedAt: number | undefined;
  /** Until when the caps before a change still count, and how high they were. */
  formerCaps: { readonly until: number; readonly caps: Caps } | undefined;
}

export interface Caps {
  readonly deployment: number;
  readonly board: number;
  readonly byState: Readonly<Record<string, number>>;
}

/** A close that one of our writes replaced, where nothing compares. */
export interface Overwrite {
  readonly board: SimBoard;
  readonly card: Card;
  readonly at: number;
  readonly was: string;
  /** What our write put there. */
  readonly by: string;
}

/** Everything that the checks know and no handler does. */
export interface Truth {
  readonly kernel: Kernel;
  readonly flavour: Flavour;
  readonly store: LedgerStore;
  readonly park: () => TaskPark;
  readonly boards: readonly SimBoard[];
  readonly deploymentCap: number;
  /** What the clock of the deployment says, and by how much it is ahead of the world's. */
  readonly clock: () => number;
  readonly ahead: () => number;
  readonly fail: (rule: string, message: string) => void;
  readonly saw: (what: string) => void;
  readonly memory: Memory;
}

/** What has to be remembered of the past to judge the present. */
export interface Memory {
  readonly usedTurns: Set<TurnId>;
  readonly markedTurns: Set<TurnId>;
  readonly stoppedTurns: Set<TurnId>;
  readonly historyOf: Map<TurnId, SettlementRecord>;
  readonly attempts: Map<string, number>;
  readonly begun: Map<TurnId, number>;
  readonly overwrites: Overwrite[];
  /** Issues for which the alarm of an overwritten close was raised. */
  readonly alarmed: Set<string>;
  /** With the table the announcements are lost by which somebody would have looked such a write up. */
  tableLostAt: number;
  /** Cards whose last wish was replaced within the window that no tracker of the kind can close. */
  readonly replacedWishes: Map<Card, number>;
}

export function emptyMemory(): Memory {
  return {
    usedTurns: new Set(),
    markedTurns: new Set(),
    stoppedTurns: new Set(),
    historyOf: new Map(),
    attempts: new Map(),
    begun: new Map(),
    overwrites: [],
    alarmed: new Set(),
    tableLostAt: 0,
    replacedWishes: new Map(),
  };
}

export function boardOf(truth: Truth, id: string): SimBoard | undefined {
  return truth.boards.find((board) => board.id === id);
}

/** The address of the repository that a board's turns work in, and the other way round. */
export function repositoryOf({ id }: SimBoard): string {
  return `/${id}.git`;
}

export function boardOfRepository(boards: readonly SimBoard[], repository: string): SimBoard {
  return boards.find((board) => repositoryOf(board) === repository)!;
}

/** Containers that passed the gate and are not stopped. */
export function workingTasks(truth: Truth, board: string, issue: IssueId): readonly Task[] {
  return [...truth.park().tasks.values()].filter(
    (task) => task.working && task.request.board === board && task.request.issueId === issue,
  );
}

export function isOpen(truth: Truth): boolean {
  return truth.store.tick()?.epoch !== undefined;
}

/** Leases that may have, or have had, a launch. */
export function markedLeases(truth: Truth): readonly Lease[] {
  return truth.store.leases().filter((lease) => lease.phase !== 'idle' && lease.phase !== 'claimed');
}

/** The caps that bind now: for a while after a change the more generous of the two. */
export function capsOf(truth: Truth, board: SimBoard): Caps {
  const { agent } = board.workflow;
  const now: Caps = {
    deployment: truth.deploymentCap,
    board: agent.max_concurrent_agents,
    byState: agent.max_concurrent_agents_by_state,
  };
  const { formerCaps } = board;
  return formerCaps !== undefined && truth.kernel.now() < formerCaps.until ? formerCaps.caps : now;
}

/** What a process was last shown, by what it asked for. */
export function noteOf<Value>(proc: Proc, name: string): Value | undefined {
  return proc.notes.get(name) as Value | undefined;
}

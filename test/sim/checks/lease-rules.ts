import type { TurnRecord } from '../../../lib/controller/ports.ts';
import { type Issue, type IssueId, type Reading, stateKey } from '../../../lib/core/issue.ts';
import { type Lease, legalTransitions } from '../../../lib/core/lease.ts';
import type { Proc } from '../kernel.ts';
import type { LedgerWatch } from '../models/sim-ledger.ts';
import { judgeHistory, judgeTick } from './ledger-rules.ts';
import type { Shown } from './tracker-rules.ts';
import { boardOf, capsOf, markedLeases, noteOf, type SimBoard, type Truth, workingTasks } from './truth.ts';

interface LeaseChange {
  readonly before: Lease | undefined;
  readonly after: Lease;
  readonly operation: string;
  readonly proc: Proc;
}

type Rule = (change: LeaseChange, truth: Truth) => string | undefined;

/** Judges every change that is really stored, at the moment at which it is stored. */
export function leaseRules(truth: Truth): LedgerWatch {
  const { memory, saw, fail } = truth;
  const check = (rules: Readonly<Record<string, Rule>>, change: LeaseChange) => {
    for (const [rule, broken] of Object.entries(rules)) {
      const message = broken(change, truth);
      if (message !== undefined) fail(rule, `${change.operation} of ${change.after.key}: ${message}`);
    }
  };
  return {
    leaseChanged(change) {
      const { before, after, operation } = change;
      const from = before?.phase ?? 'none';
      saw(`write ${operation}`);
      if (from !== after.phase) saw(`phase ${from}>${after.phase} ${operation}`);
      check(always, change);
      if (operation === 'claim') check(ofClaims, change);
      if (operation === 'mark' || operation === 'adopt') check(ofMarks, change);
      if (operation === 'heartbeat' || operation === 'result' || operation === 'gate') check(ofCalls, change);
      if (operation === 'stop') check(ofStops, change);
      if (operation === 'clear-intent') check(ofClears, change);
      remember(truth, change);
    },
    tickChanged(before, after, operation) {
      saw(`tick ${operation}`);
      judgeTick(truth, before, after, operation);
    },
    historyPut: (record) => judgeHistory(truth, record),
    turnPut(record: TurnRecord) {
      if (memory.usedTurns.has(record.turnId)) fail('S4', `the turn ${record.turnId} is recorded twice`);
    },
  };
}

const always: Readonly<Record<string, Rule>> = {
  'legal-phases': ({ before, after, operation }) => {
    const from = before?.phase ?? 'none';
    if (from === after.phase) return undefined;
    const isLegal = legalTransitions.some(
      ([a, b, op]) => a === from && b === after.phase && op === operation,
    );
    return isLegal ? undefined : `${from} > ${after.phase} is no legal transition`;
  },
  F2: ({ before, after }) => {
    const isLetGo = after.phase === 'idle' && before?.phase !== 'idle';
    const isTaken = after.phase === 'claimed' && before?.phase !== 'claimed';
    return (isLetGo || isTaken) && before?.pending !== undefined
      ? `${before.phase} > ${after.phase} while a write to ${before.pending.to} is open`
      : undefined;
  },
  S5: ({ before, after }, truth) => {
    const isLeft = before?.phase === 'running' || before?.phase === 'stopping';
    if (!isLeft || (after.phase !== 'ending' && after.phase !== 'idle')) return undefined;
    const task = before.liveArn === undefined ? undefined : truth.park().tasks.get(before.liveArn);
    return task?.phase === 'stopped' ? undefined : `left ${before.phase} while ${before.liveArn} lives`;
  },
  'S1-idle': ({ after }, truth) => {
    if (after.phase !== 'idle' && after.phase !== 'claimed') return undefined;
    const [task] = workingTasks(truth, after.board, after.issueId);
    return task && `${after.phase} while ${task.arn} of turn ${task.request.turnId} works`;
  },
};

const ofClaims: Readonly<Record<string, Rule>> = {
  S4: ({ before, after }, { memory, store }) => {
    if (memory.usedTurns.has(after.turnId!)) return `the turn ${after.turnId} is claimed twice`;
    const highest = memory.attempts.get(`${store.tick()?.gen} ${after.board}/${after.issueId}`) ?? 0;
    if (after.attempt <= highest) return `attempt ${after.attempt} after attempt ${highest}`;
    return before !== undefined && before.phase !== 'idle' ? `claimed while ${before.phase}` : undefined;
  },
  parked: ({ before }) => before?.parked && `claimed while parked (${before.parked.reason})`,
  R2: ({ before }, { clock }) =>
    before?.nextAt !== undefined && before.nextAt > clock()
      ? `claimed ${before.nextAt - clock()} ms before its retry is due`
      : undefined,
  R1: ({ before, after }, truth) => {
    const most = boardOf(truth, after.board)!.workflow.agent.max_turns;
    return before !== undefined && before.turns >= most ? `claimed after ${before.turns} turns` : undefined;
  },
  budget: ({ before, after }, truth) => {
    const limit = boardOf(truth, after.board)!.workflow.agent.budget?.usd_per_issue;
    return limit !== undefined && before !== undefined && before.spendUsd >= limit
      ? `claimed after spending ${before.spendUsd} of ${limit}`
      : undefined;
  },
  D1: ({ after, proc }) =>
    noteOf<boolean>(proc, `states ${after.board}`) === true
      ? undefined
      : 'claimed without a contract that holds',
  D3: ({ after, proc }) =>
    noteOf<ReadonlySet<IssueId>>(proc, `list ${after.board}`)?.has(after.issueId)
      ? undefined
      : 'claimed without standing in a complete list of the same tick',
  'claim-wanted': ({ after, proc }, truth) =>
    unwantedShown(proc, boardOf(truth, after.board)!, after.issueId),
  paused: ({ after }, { store }) => {
    const record = store.items.get(`BOARD ${encodeURIComponent(after.board)}`) as
      | { readonly paused?: { readonly since: number } }
      | undefined;
    const since = record?.paused?.since;
    // A tick that began before the pause may still claim.
    return since !== undefined && since + 60_000 < (after.claimedAt ?? 0)
      ? 'claimed while paused'
      : undefined;
  },
};

const ofMarks: Readonly<Record<string, Rule>> = {
  caps: ({ after, operation }, truth) => {
    if (operation === 'adopt') return undefined;
    const board = boardOf(truth, after.board)!;
    const caps = capsOf(truth, board);
    const marked = markedLeases(truth);
    if (marked.length > caps.deployment) return `${marked.length} of ${caps.deployment} in the deployment`;
    const here = marked.filter((lease) => lease.board === after.board);
    if (here.length > caps.board) return `${here.length} of ${caps.board} on the board`;
    for (const [state, cap] of Object.entries(caps.byState)) {
      const held = here.filter((lease) => lease.capStates?.some((key) => key === state)).length;
      if (held > cap && after.capStates?.some((key) => key === state)) return `${held} of ${cap} in ${state}`;
    }
    return undefined;
  },
  'one-lease': ({ after }, truth) => {
    const others = workingTasks(truth, after.board, after.issueId).filter(({ arn }) => arn !== after.liveArn);
    return others.length === 0 ? undefined : `${others[0]!.arn} works already`;
  },
};

/** Calls of a container: only the one that the lease names is heard. */
const ofCalls: Readonly<Record<string, Rule>> = {
  F4: ({ before, after, operation, proc }) => {
    const caller = noteOf<{ readonly turnId: string; readonly arn: string }>(proc, 'caller');
    if (caller === undefined) return undefined;
    if (before?.turnId !== caller.turnId) return `a call of ${caller.turnId} is taken for ${before?.turnId}`;
    if (operation !== 'gate' && before.phase !== 'running') return `a call is taken while ${before.phase}`;
    return after.liveArn === caller.arn ? undefined : `${caller.arn} is taken for ${after.liveArn}`;
  },
};

/** A move that was made is the turn's own from then on, also if a person has moved the card on since. */
const ofClears: Readonly<Record<string, Rule>> = {
  P4: ({ before, after, proc }) => {
    const written = noteOf<string>(proc, `written ${after.board} ${after.issueId}`);
    const { pending } = before ?? {};
    if (written === undefined || pending?.to !== written || pending.turnId !== after.turnId) return undefined;
    return after.writtenState === written ? undefined : `the move to ${written} was made and is forgotten`;
  },
};

/** A turn is told to stop for what a read by id shows, never for what a list does not show. */
const ofStops: Readonly<Record<string, Rule>> = {
  D4: ({ after, proc }, truth) => {
    const reason = after.stop?.reason;
    if (reason === 'stale' || reason === 'deadline') return undefined;
    const shown = noteOf<Shown>(proc, `read ${after.board} ${after.issueId}`);
    if (reason === 'gone') return shown?.reading.kind === 'gone' ? undefined : 'no read says that it is gone';
    const board = boardOf(truth, after.board)!;
    if (shown?.reading.kind !== 'found') return 'no read by id shows it';
    return whyUnwanted(board, shown.reading.issue) === undefined ? 'the read by id wants it' : undefined;
  },
};

/** Why the issue that the process was last shown should have no agent. */
export function unwantedShown(proc: Proc, board: SimBoard, issue: IssueId): string | undefined {
  const shown = noteOf<Shown>(proc, `read ${board.id} ${issue}`);
  if (shown?.reading.kind !== 'found') return `its last read is ${shown?.reading.kind ?? 'missing'}`;
  const found = (shown.reading as Extract<Reading, { kind: 'found' }>).issue;
  if (found.trusted !== true) return 'who moved it may not start work';
  return whyUnwanted(board, found);
}

function whyUnwanted(board: SimBoard, issue: Issue): string | undefined {
  const { tracker } = board.workflow;
  if (issue.closed) return 'it is closed';
  const state = issue.state === undefined ? undefined : stateKey(issue.state);
  const names = [...tracker.active_states, ...renamedFrom(board)].map(stateKey);
  if (state === undefined || !names.includes(state)) return `it is in ${issue.state}`;
  const isLabelled = (tracker.required_labels ?? []).every((label) => issue.labels.includes(label));
  return isLabelled ? undefined : 'it lacks a label';
}

/** While a column is called something else, its new name stands for the configured one. */
function renamedFrom(board: SimBoard): readonly string[] {
  return board.cards.states
    .filter(({ id }) => id === 'column-1' || id === 'column-2')
    .map(({ name }) => name as string);
}

function remember({ memory, store }: Truth, { after, operation }: LeaseChange): void {
  const { turnId } = after;
  if (turnId === undefined) return;
  if (operation === 'claim' || operation === 'adopt') {
    memory.usedTurns.add(turnId);
    memory.attempts.set(`${store.tick()?.gen} ${after.board}/${after.issueId}`, after.attempt);
  }
  if (operation === 'mark' || operation === 'adopt') memory.markedTurns.add(turnId);
  if (after.phase === 'stopping') memory.stoppedTurns.add(turnId);
}

import { type Lease, legalTransitions } from '../../../lib/core/lease.ts';
import { limitAhead } from '../../../lib/core/tracker-quota.ts';
import type { Proc } from '../kernel.ts';
import type { LedgerWatch } from '../models/sim-ledger.ts';
import { ofClaims } from './claim-rules.ts';
import { judgeForgotten } from './forget-rules.ts';
import { judgeHistory, judgeTick } from './ledger-rules.ts';
import { isLeftOverwritten } from './overwrites.ts';
import { type Shown, whyUnwanted } from './shown.ts';
import { boardOf, capsOf, markedLeases, noteOf, type Truth, workingTasks } from './truth.ts';

export interface LeaseChange {
  readonly before: Lease | undefined;
  readonly after: Lease;
  readonly operation: string;
  readonly proc: Proc;
}

export type Rule = (change: LeaseChange, truth: Truth) => string | undefined;

/** Judges every change that is really stored, at the moment at which it is stored. */
export function leaseRules(truth: Truth): LedgerWatch {
  const { saw, fail } = truth;
  const check = (rules: Readonly<Record<string, Rule>>, change: LeaseChange) => {
    for (const [rule, broken] of Object.entries(rules)) {
      const message = broken(change, truth);
      if (message !== undefined) fail(rule, `${change.operation} of ${change.after.key}: ${message}`);
    }
  };
  return {
    boardRead: (proc, board, record) =>
      void proc.notes.set(`limit ${board}`, limitAhead(record, truth.clock())),
    leaseSent(proc, board, issue, operation) {
      proc.notes.set(`shown ${operation} ${board} ${issue}`, proc.notes.get(`read ${board} ${issue}`));
      // It may land when its sender has looked again.
      if (operation === 'claim')
        proc.notes.set(`contract of ${board} ${issue}`, proc.notes.get(`states ${board}`));
    },
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
      if (operation === 'clear-intent') check({ ...ofClears, ...ofLookups }, change);
      if (operation === 'settle' || operation === 'stopped') check(ofSettlements, change);
      if (operation === 'reset') check(ofResets, change);
      if (operation === 'gate') check(ofGates, change);
      remember(truth, change);
    },
    leaseForgotten: (forgotten) => judgeForgotten(truth, forgotten),
    tickChanged(before, after, operation) {
      saw(`tick ${operation}`);
      judgeTick(truth, before, after, operation);
    },
    historyPut: (record) => judgeHistory(truth, record),
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

/** A close that our write replaced is put back, or the alarm raised, before the write counts as seen through. */
const ofLookups: Readonly<Record<string, Rule>> = {
  T3: ({ after }, truth) => {
    const left = truth.memory.overwrites.find(
      (one) => one.card.id === after.issueId && isLeftOverwritten(truth, one),
    );
    return left && `it was in ${left.was} before our write, and counts as looked up`;
  },
};

/** A move that was made is the turn's own from then on, also if a person has moved the card on since. */
const ofClears: Readonly<Record<string, Rule>> = {
  P4: ({ before, after, proc }) => {
    const written = noteOf<string>(proc, `written ${after.board} ${after.issueId}`);
    const { pending } = before ?? {};
    if (written === undefined || pending?.to !== written) return undefined;
    if (pending.turnId === undefined)
      return after.seenState === written
        ? undefined
        : `the move to ${written} was made and counts as a person's`;
    if (pending.turnId !== after.turnId) return undefined;
    return after.writtenState === written ? undefined : `the move to ${written} was made and is forgotten`;
  },
};

/** The history is the commit: what is left on the lease follows from it, whoever decided it. */
const ofSettlements: Readonly<Record<string, Rule>> = {
  S6: ({ after }, { memory }) => {
    const record = memory.historyOf.get(after.turnId!);
    if (record === undefined) return 'released before its history is put';
    if (after.parked?.reason !== record.parked?.reason)
      return `parked for ${after.parked?.reason}, its history says ${record.parked?.reason}`;
    return after.nextAt === record.nextAt ? undefined : 'waits for another time than its history says';
  },
};

/** What the process had been shown when it sent the change. */
function shownAt(proc: Proc, { board, issueId }: Lease, operation: string): Shown | undefined {
  return noteOf<Shown>(proc, `shown ${operation} ${board} ${issueId}`);
}

/** Only a person's move, since the last turn began, starts counters anew. */
const ofResets: Readonly<Record<string, Rule>> = {
  P13: ({ before, after }, truth) => {
    const board = boardOf(truth, after.board)!;
    const card = board.cards.cards.get(after.issueId);
    // The read that the last claim followed is a little older than the claim.
    const since = (before?.claimedAt ?? 0) - truth.ahead() - 10_000;
    const isMoved = card?.moves.some(({ at, by }) => by !== 'us' && at >= since);
    // A column with another name looks like another column: the product knows states by name where it keeps them.
    return isMoved || (board.renamedAt ?? 0) >= since
      ? undefined
      : 'counters start anew, and nobody but us has moved the card';
  },
};

const ofGates: Readonly<Record<string, Rule>> = {
  'gate-wanted': ({ after, proc, operation }, truth) => {
    const shown = shownAt(proc, after, operation);
    if (shown?.reading.kind !== 'found') return 'let in without a read that finds its issue';
    const why = whyUnwanted(boardOf(truth, after.board)!, shown.reading.issue);
    return why && `let in although ${why}`;
  },
};

/** A turn is told to stop for what a read by id shows, never for what a list does not show. */
const ofStops: Readonly<Record<string, Rule>> = {
  D4: ({ before, after, proc, operation }, truth) => {
    const reason = after.stop?.reason;
    if (reason === 'stale' || reason === 'deadline') return undefined;
    const shown = shownAt(proc, after, operation);
    if (reason === 'gone') {
      if (before?.goneSince === undefined) return 'gone is believed at first sight';
      return shown?.reading.kind === 'gone' ? undefined : 'no read says that it is gone';
    }
    const board = boardOf(truth, after.board)!;
    if (shown?.reading.kind !== 'found') return 'no read by id shows it';
    // While the states cannot be read, a column that got another name is not known under it.
    if (board.renamedAt !== undefined && shown.reading.issue.state?.endsWith('renamed')) return undefined;
    return whyUnwanted(board, shown.reading.issue) === undefined ? 'the read by id wants it' : undefined;
  },
};

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

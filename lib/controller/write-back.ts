import type { Contract } from '../core/contract.ts';
import { roleOf } from '../core/contract.ts';
import { clearPending, intend, noteWritten } from '../core/intent-writes.ts';
import { type Issue, type Reading, type StateName, stateKey } from '../core/issue.ts';
import type { Lease, Pending } from '../core/lease.ts';
import type { LedgerUpdate } from '../core/lease-write.ts';
import { resetLedger } from '../core/ledger-fold.ts';
import { commentMarker } from '../core/names.ts';
import { note } from '../core/note-writes.ts';
import { carryOut } from './carry-out.ts';
import { type BoardInvocation, tell } from './invocation.ts';
import type { FreshIssue } from './ports.ts';

/** From the answer of the read to the write; after a longer pause the read is no longer fresh. */
const readToWriteMs = 2_000;

/**
 * - `moved`: our write was made and looked up. `stands` is the issue as that look found it: a person may have moved it on.
 * - `superseded`: the issue is not (or no longer) where a move is allowed from; nothing was written.
 * - `changed`: somebody changed the issue between read and write; nothing was written, and a new decision is due.
 * - `unknown`: the issue could not be read, or the write has no answer; its intent stays open for a later tick.
 * - `limit`: this run has used up its moves.
 * - `rejected`: the tracker will not do it.
 */
export type Move =
  | { readonly kind: 'moved'; readonly stands: Reading }
  | { readonly kind: 'superseded' | 'changed' | 'unknown' | 'limit' }
  | { readonly kind: 'rejected'; readonly problem: string };

export interface WantedMove {
  readonly to: StateName;
  readonly contract: Contract;
  /** What the state is written as, where that is not its role on the board. */
  readonly as?: 'merged' | undefined;
  /** Judged on the issue as it is read in this same step. */
  readonly allowed: (issue: Issue) => boolean;
}

/**
 * The one way in which the board is written: a fresh read that shows an allowed edge, an intent on the lease, the write,
 * a read that verifies it, and the intent cleared. A failed read writes nothing.
 */
export async function moveIssue(run: BoardInvocation, lease: Lease, wanted: WantedMove): Promise<Move> {
  const { clock } = run.ports;
  const reading = await readIssue(run, lease, wanted.contract);
  const readAt = clock.now();
  if (reading.kind === 'unknown') return { kind: 'unknown' };
  if (reading.kind === 'gone' || !wanted.allowed(reading.issue)) return { kind: 'superseded' };
  if (run.writes.left <= 0) {
    tell(run, 'alarm', lease, { reason: 'write-limit' });
    return { kind: 'limit' };
  }
  run.writes.left -= 1;
  const by = run.ports.ids.random();
  const pending: Pending = { turnId: lease.turnId, to: wanted.to, from: reading.issue.state, by };
  const move = {
    from: reading.issue.state,
    to: wanted.to,
    role: roleWritten(wanted),
  };
  if ((await carryOut(run, lease, intend(lease, pending, run.id))) !== 'done') {
    tell(run, 'refused', lease, { ...move, reason: 'intent-refused' });
    return { kind: 'unknown' };
  }
  tell(run, 'write-intended', lease, move);
  if (clock.now() - readAt > readToWriteMs) return giveUpMove(run, lease, pending, { kind: 'unknown' });
  return sendMove(run, lease, pending, reading.issue, wanted);
}

function roleWritten({ as, to, contract }: WantedMove): string {
  return as ?? roleOf(contract, { state: to, closed: false });
}

/** Reads one issue by id and tells what was seen; the read that every write-back starts from. */
export async function readIssue(
  run: BoardInvocation,
  lease: Pick<Lease, 'board' | 'issueId' | 'key' | 'turnId' | 'attempt'>,
  contract: Contract,
) {
  const reading = await run.board.tracker.read(lease.issueId);
  tell(run, 'issue-read', lease, {
    reason: reading.kind,
    ...(reading.kind === 'found'
      ? { state: reading.issue.state, role: roleOf(contract, reading.issue) }
      : {}),
  });
  return reading;
}

async function sendMove(
  run: BoardInvocation,
  lease: Lease,
  pending: Pending,
  issue: FreshIssue,
  wanted: WantedMove,
): Promise<Move> {
  const written = await run.board.tracker.transition(issue, wanted.to).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : 'unknown';
    tell(run, 'refused', lease, { from: pending.from, to: pending.to, reason: 'write-unknown', problem });
  });
  if (written === undefined) return { kind: 'unknown' };
  if (written.kind === 'changed') return giveUpMove(run, lease, pending, { kind: 'changed' });
  if (written.kind === 'rejected') return giveUpMove(run, lease, pending, written);
  tell(run, 'written', lease, {
    from: pending.from,
    to: pending.to,
    role: roleWritten(wanted),
  });
  const stands = await verifyMove(run, lease, pending, wanted.contract, 'written');
  if (stands !== undefined) return { kind: 'moved', stands };
  await carryOut(run, lease, noteWritten(pending));
  return { kind: 'unknown' };
}

async function giveUpMove(run: BoardInvocation, lease: Lease, pending: Pending, move: Move): Promise<Move> {
  tell(run, 'refused', lease, { from: pending.from, to: pending.to, reason: move.kind });
  await carryOut(run, lease, clearPending(pending, { set: {}, remove: [] }));
  return move;
}

/**
 * Sees an announced write through: reads the issue and its history again, undoes an overwrite of a terminal state once,
 * and clears the intent. Answers what it read, or undefined, and leaves the intent open, while that cannot be known.
 *
 * `outcome` is what the tracker said of the write, where it answered. A write that was made counts as the turn's own even
 * if the issue is not there any more: whoever moved it on has decided against that state, and it is not written again.
 */
export async function verifyMove(
  run: BoardInvocation,
  lease: Lease,
  pending: Pending,
  contract: Contract,
  outcome: 'written' | 'unknown',
): Promise<Reading | undefined> {
  const reading = await readIssue(run, lease, contract);
  if (reading.kind === 'unknown') return undefined;
  if (reading.kind === 'gone' && !(await isBelievedGone(run, lease))) return undefined;
  const landed =
    reading.kind === 'found' &&
    reading.issue.state !== undefined &&
    stateKey(reading.issue.state) === stateKey(pending.to);
  const wasMade = landed || outcome === 'written';
  if (wasMade && reading.kind === 'found' && !run.board.tracker.separateFields) {
    const isClear = await repairOverwrite(run, lease, reading.issue, contract, landed);
    if (!isClear) return undefined;
  }
  tell(run, 'write-verified', lease, { from: pending.from, to: pending.to, landed });
  if (wasMade && pending.turnId === undefined)
    tell(run, 'reset', lease, { reason: 'merged', state: pending.to });
  const update = wasMade ? whatMoveLeaves(pending) : { set: {}, remove: [] };
  return (await carryOut(run, lease, clearPending(pending, update))) === 'done' ? reading : undefined;
}

/** A move that no turn made ends the issue's work: what was counted of it, or parked, is over. */
function whatMoveLeaves({ turnId, to }: Pending): LedgerUpdate {
  return turnId === undefined ? resetLedger(to) : { set: { writtenState: to, seenState: to }, remove: [] };
}

/** Absence is believed at its second sight, in a later tick than the first. */
async function isBelievedGone(run: BoardInvocation, lease: Lease): Promise<boolean> {
  const now = run.ports.clock.now();
  if (lease.goneSince !== undefined) return lease.goneSince < now;
  await carryOut(run, lease, note(lease, { set: { goneSince: now }, remove: [] }));
  return false;
}

/**
 * A close that slipped between read and write is written back, if the tracker's own history shows that we replaced it.
 * Answers whether that can be known now.
 */
async function repairOverwrite(
  run: BoardInvocation,
  lease: Lease,
  issue: FreshIssue,
  contract: Contract,
  landed: boolean,
): Promise<boolean> {
  const { tracker } = run.board;
  const moves = await tracker.moves(lease.issueId).catch(() => 'unknown' as const);
  if (moves === 'unknown') return false;
  if (moves === undefined) return true;
  const newest = moves.at(-1);
  // A record that does not end where the issue stands lags behind, or the read of the issue does: what our write replaced
  // is not known yet.
  if (newest?.to === undefined || issue.state === undefined) return false;
  if (stateKey(newest.to) !== stateKey(issue.state)) return false;
  if (!landed || newest.from === undefined || stateKey(newest.from) === stateKey(newest.to)) return true;
  if (roleOf(contract, { state: newest.from, closed: false }) !== 'terminal') return true;
  if (!newest.ours) {
    tell(run, 'alarm', lease, { reason: 'terminal-overwritten' });
    return true;
  }
  const restored = await tracker.restore(issue, newest.from).catch(() => undefined);
  if (restored === undefined) return false;
  tell(run, restored.kind === 'written' ? 'repaired' : 'alarm', lease, {
    reason: 'terminal-overwritten',
    to: newest.from,
  });
  return true;
}

/**
 * Puts the issue's one status comment. It is news for people and decides nothing: what cannot be is told and left. Answers
 * whether a later try may do better.
 */
export async function putStatusComment(
  run: BoardInvocation,
  lease: Lease,
  contract: Contract,
  body: string,
): Promise<'done' | 'later'> {
  const reading = await readIssue(run, lease, contract);
  if (reading.kind !== 'found') return reading.kind === 'unknown' ? 'later' : 'done';
  try {
    const marker = commentMarker(run.board.id, lease.issueId);
    const put = await run.board.tracker.comment(reading.issue, { marker, body, ref: lease.commentRef });
    if (put.problem !== undefined)
      tell(run, 'refused', lease, { reason: 'comment-failed', problem: put.problem });
    else if (put.ref !== lease.commentRef)
      await carryOut(run, lease, note(lease, { set: { commentRef: put.ref }, remove: [] }));
    return 'done';
  } catch (error) {
    // The message of an error that nobody foresaw may quote what was to be written.
    tell(run, 'refused', lease, {
      reason: 'comment-failed',
      problem: error instanceof Error ? error.name : 'unknown',
    });
    return 'later';
  }
}

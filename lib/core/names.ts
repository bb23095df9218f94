import { createHash } from 'node:crypto';
import type { BoardId, IssueId, TurnId } from './issue.ts';

/**
 * What an issue is called in folders and refs. Derived from its id alone, so that it never changes, and safe as a path
 * component and as a component of a git ref. Two ids never share a key, also where letters' case is ignored: whatever
 * had to be changed, may differ in case only, or could be taken for such a derived key carries 64 bits of the id's hash.
 * At most 60 characters of `[A-Za-z0-9._-]`.
 */
export function workspaceKey(id: IssueId): string {
  const safe = id
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/\.{2,}/g, '_')
    .replace(/^[-.]|^$/, '_');
  if (safe === id && !needsHash(safe)) return safe;
  return `${safe.slice(0, longestKey - hashLength - 1)}-${hash(id).slice(0, hashLength)}`;
}

/** The branch that holds an issue's delivered work. */
export function branchName(id: IssueId): string {
  return `evenkeel/issue/${workspaceKey(id)}`;
}

/**
 * The branch that keeps commits which did not reach the issue's branch. Where it cannot take them, `.<attempt>` is added to
 * it: no key of another issue ends so.
 */
export function wipBranchName(id: IssueId): string {
  return `evenkeel/wip/${workspaceKey(id)}`;
}

/**
 * The invisible line by which the one status comment of an issue is found again. It shows nothing of the ids, so that no
 * id can end the comment early, and counts only in a comment of our own account.
 */
export function commentMarker(board: BoardId, id: IssueId): string {
  return `<!-- evenkeel:status:${hash(JSON.stringify([board, id])).slice(0, 32)} -->`;
}

/** The identity of a turn: its attempt, for people, and 26 random base32 characters that are never used again. */
export function makeTurnId(attempt: number, random: string): TurnId {
  return `${attempt}-${random}` as TurnId;
}

/** The attempt that a turn's id carries. */
export function attemptOf(turnId: TurnId): number {
  return Number.parseInt(turnId, 10);
}

/** Whether a text from outside has the form of a turn's id; such a text is safe as a folder's name. */
export function isTurnId(text: string): text is TurnId {
  return /^[1-9][0-9]{0,7}-[A-Za-z0-9]{26}$/.test(text);
}

const longestKey = 60;
const hashLength = 16;

function needsHash(safe: string): boolean {
  return (
    safe.length > longestKey ||
    /[A-Z]/.test(safe) ||
    /\.$|\.lock$|\.[0-9]+$/.test(safe) ||
    /-[0-9a-f]{16}$/.test(safe)
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

import { readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** A user apart from the turn program's, with whose authority the agent, hooks and gates run. */
export interface AgentUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/**
 * The group that may read the turn program's repository, to which nobody belongs: Debian keeps the number free
 * (https://www.debian.org/doc/debian-policy/ch-opersys.html#uid-and-gid-classes).
 */
export const readersGid = 65_000;

/**
 * The user with this uid, where a turn was told one and its program may change users; undefined where the agent has to run
 * as the same user. The group and the home folder are those of its account, unless they are root's or somebody else's.
 */
export function chooseAgentUser(
  uid: number | undefined,
  turnDir: string,
  accounts = '/etc/passwd',
): AgentUser | undefined {
  if (uid === undefined || process.getuid?.() !== 0) return undefined;
  const [gid = 0, home = ''] = findAccount(uid, accounts);
  return {
    uid,
    gid: gid > 0 ? gid : uid,
    home: home.startsWith('/') && look(home)?.uid === uid ? home : join(turnDir, 'home'),
  };
}

function findAccount(uid: number, accounts: string): readonly [gid?: number, home?: string] {
  const fields = readOrNothing(accounts)
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, , number]) => number === String(uid));
  return fields === undefined ? [] : [Number(fields[3]) || 0, fields[5] ?? ''];
}

/** Whether this user can change what is there, by what its owner, its group and everybody may. */
export function mayChange(user: AgentUser, found: Pick<Stats, 'uid' | 'gid' | 'mode'>): boolean {
  const isOpen = (found.mode & 0o002) !== 0 || (found.gid === user.gid && (found.mode & 0o020) !== 0);
  return found.uid === user.uid || isOpen;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

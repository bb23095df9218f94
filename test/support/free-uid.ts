import { spawnSync } from 'node:child_process';

let taken = 0;

/**
 * A uid that nobody has and no other test takes at the same time: everything that runs as this user belongs to one turn,
 * and is ended with it.
 */
export function freeUid(): number {
  taken += 1;
  return 100_000_000 + process.pid * 100 + taken;
}

/**
 * Whether a turn program that these tests start may run its agent as another user. Root may, save where a container maps a
 * few users only.
 */
export const mayChangeUsers = process.getuid?.() === 0 && succeedsAs(freeUid());

function succeedsAs(uid: number): boolean {
  return spawnSync('true', { uid, gid: uid, stdio: 'ignore' }).status === 0;
}

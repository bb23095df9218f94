import type { Work } from './collect-work.ts';
import type { Failure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import type { GitEnd } from './git.ts';
import { type GitTrouble, mayPass, pushFailure, readGitTrouble } from './git-trouble.ts';
import { persist } from './persist.ts';
import type { Turn } from './turn.ts';

export type Delivered =
  | { readonly kind: 'pushed' }
  /** `mayPass`: another try in a moment may succeed. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly mayPass: boolean }
  /** The turn is to stop; nothing was pushed. */
  | { readonly kind: 'stopped' };

/**
 * Pushes the work to the branch, if that still stands where it stood when the turn began. Right before each try the
 * lease is confirmed; after a try without a clear end the branch is looked at before it is pushed again.
 */
export async function deliverWork(turn: Turn, work: Work, origin: Origin): Promise<Delivered> {
  const delivered = await persist(
    () => tryPush(turn, work, origin),
    (latest) => latest.kind !== 'failed' || !latest.mayPass,
    { ...turn.timing, patienceMs: turn.timing.transferPatienceMs, signal: turn.stop.stopping },
  );
  return delivered ?? { kind: 'stopped' };
}

async function tryPush(turn: Turn, work: Work, origin: Origin): Promise<Delivered> {
  if (!(await turn.lease.confirm())) return { kind: 'stopped' };
  const end = await pushBranch(turn, turn.instructions.branch, work.headSha, origin.expectedSha);
  return end.ok ? { kind: 'pushed' } : lookAfter(turn, end, work, origin);
}

/**
 * One push that succeeds only if the branch stands at `expected`, or does not exist where that is undefined, and that is
 * done only if the branch is not seen to stand there still: what git says of a push is not yet a branch at the code host.
 */
export async function pushBranch(
  turn: Turn,
  branch: string,
  headSha: string,
  expected: string | undefined,
): Promise<GitEnd> {
  const ref = `refs/heads/${branch}`;
  const fence = `--force-with-lease=${ref}:${expected ?? ''}`;
  const end = await turn.git.contact(
    ['push', '--porcelain', '--no-verify', fence, 'origin', `${headSha}:${ref}`],
    {
      timeoutMs: turn.timing.pushMs,
      // A push that has begun is not cut by a mere stop: cut, nobody would know whether it happened.
      signal: turn.stop.hurry,
    },
  );
  // Whoever moved it on since then did so from our commit.
  if (!end.ok || (await findBranch(turn, branch)) !== expected) return end;
  return {
    ...end,
    ok: false,
    stderr: 'fatal: git pushed, and the branch does not stand at the pushed commit',
  };
}

/** Where a branch stands at the code host: undefined when it does not exist, `unknown` when nobody answered. */
export async function findBranch(turn: Turn, branch: string): Promise<string | undefined | 'unknown'> {
  const ref = `refs/heads/${branch}`;
  const listed = await turn.git.contact(['ls-remote', '--refs', 'origin', ref], {
    timeoutMs: turn.timing.gitMs,
  });
  if (!listed.ok) return 'unknown';
  const line = listed.stdout.split('\n').find((text) => text.endsWith(`\t${ref}`));
  return line?.split('\t')[0];
}

async function lookAfter(turn: Turn, end: GitEnd, work: Work, origin: Origin): Promise<Delivered> {
  const trouble = readGitTrouble(end);
  const stands = await findBranch(turn, turn.instructions.branch);
  if (stands === work.headSha) return { kind: 'pushed' };
  if (stands !== 'unknown' && stands !== origin.expectedSha) return failed(branchMoved);
  // It stands where it stood: somebody else's write came to nothing, or is still under way.
  return failed(trouble.kind === 'moved' ? branchHeld : trouble);
}

const branchMoved: GitTrouble = {
  kind: 'moved',
  word: 'branch-moved',
  says: 'somebody else moved the branch during the turn',
};
const branchHeld: GitTrouble = {
  kind: 'held',
  word: 'branch-held',
  says: 'the branch was held by another write',
};

function failed(trouble: GitTrouble): Delivered {
  return { kind: 'failed', failure: pushFailure(trouble), mayPass: mayPass(trouble) };
}

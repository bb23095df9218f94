import type { Work } from './collect-work.ts';
import { findBranch, pushBranch } from './deliver-work.ts';
import { leaveBundle } from './leave-bundle.ts';
import type { Turn } from './turn.ts';

/** Where commits are that did not reach the branch: on a branch, or in a bundle at this path or address. */
export type Kept = { readonly wipBranch: string } | { readonly bundle: string } | undefined;

/**
 * Keeps commits that did not reach the branch: on the branch for work in progress while the lease is this turn's
 * and the screening let them pass, else as a bundle: in the turn's folder, or with the deployment where that folder ends
 * with the turn. Undefined only when not even that worked; the workspace is then what is left of them.
 */
export async function keepWork(turn: Turn, work: Work, isClean: boolean): Promise<Kept> {
  const wipBranch = isClean && (await mayPush(turn)) ? await pushOnce(turn, work) : undefined;
  if (wipBranch !== undefined) {
    turn.log('commits that did not reach the branch were pushed', { branch: wipBranch });
    return { wipBranch };
  }
  const { workBundle } = turn.folder;
  // Kept even when there is no time for anything else.
  const timeoutMs = turn.stop.stopping.aborted ? lastMs : turn.timing.gitMs;
  const options = { timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const bundle = ['bundle', 'create', '--quiet', workBundle, 'refs/evenkeel/work', ...work.known];
  const made = await turn.git.run(bundle, options);
  turn.log(made.ok ? 'commits that did not reach the branch were bundled' : 'commits could not be bundled');
  const place = made.ok && !turn.environment.keepsFolder ? await leaveBundle(turn) : workBundle;
  return made.ok && place !== undefined ? { bundle: place } : undefined;
}

const lastMs = 5_000;

/** A stop may say itself whether the lease is still this turn's; a signal does not, and then the last answer tells. */
async function mayPush({ stop, lease }: Turn): Promise<boolean> {
  if (stop.hurry.aborted) return false;
  if (stop.reason() === undefined) await lease.look();
  return stop.reason()?.keepWork ?? lease.mayKeepWork();
}

/**
 * Pushes to the branch for work in progress, or to one of this attempt's own where the work of an earlier turn would be lost.
 * Tells the name of the branch that holds the work; undefined when none does.
 */
async function pushOnce(turn: Turn, { headSha }: Work): Promise<string | undefined> {
  const { wipBranch, attempt, base } = turn.instructions;
  for (const branch of [wipBranch, `${wipBranch}.${attempt}`]) {
    const stands = await findBranch(turn, branch);
    if (stands === 'unknown' || branch === base) return undefined;
    if (stands === headSha) return branch;
    if (stands === undefined || (await isWithin(turn, stands, headSha))) {
      return (await pushBranch(turn, branch, headSha, stands)).ok ? branch : undefined;
    }
  }
  return undefined;
}

/** Whether the work contains that commit. One that somebody pushed meanwhile is not even known here. */
async function isWithin({ git }: Turn, sha: string, headSha: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', sha, headSha])).ok;
}

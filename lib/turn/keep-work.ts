import type { Work } from './collect-work.ts';
import { findBranch, pushBranch } from './deliver-work.ts';
import type { Turn } from './turn.ts';

/** Where commits are that did not reach the branch. */
export type Kept = { readonly wipBranch: string } | { readonly bundle: string } | undefined;

/**
 * Keeps commits that did not reach the branch: on the branch for work in progress while the lease is this turn's
 * and the screening let them pass, else as a bundle in the turn's folder. Undefined only when not even that worked; the
 * workspace is then what is left of them.
 */
export async function keepWork(turn: Turn, work: Work, isClean: boolean): Promise<Kept> {
  const { wipBranch } = turn.instructions;
  if (isClean && (await mayPush(turn)) && (await pushOnce(turn, work))) {
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
  return made.ok ? { bundle: workBundle } : undefined;
}

const lastMs = 5_000;

/** A stop may say itself whether the lease is still this turn's; a signal does not, and then the last answer tells. */
async function mayPush({ stop, lease }: Turn): Promise<boolean> {
  if (stop.hurry.aborted) return false;
  if (stop.reason() === undefined) await lease.look();
  return stop.reason()?.keepWork ?? lease.mayKeepWork();
}

/** Replaces the work in progress of an earlier turn, but nothing that somebody put there meanwhile. */
async function pushOnce(turn: Turn, { headSha }: Work): Promise<boolean> {
  const { wipBranch } = turn.instructions;
  const stands = await findBranch(turn, wipBranch);
  if (stands === 'unknown') return false;
  if (stands === headSha) return true;
  return (await pushBranch(turn, wipBranch, headSha, stands)).ok;
}

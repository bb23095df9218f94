import { type Failure, lastingFailure, machineFailure } from './failure.ts';
import { findCheckout } from './find-checkout.ts';
import { fetchFailure, hopelessPush, nameTaken, readGitTrouble } from './git-trouble.ts';
import { persist } from './persist.ts';
import type { Turn } from './turn.ts';

/** Where the turn begins. */
export interface Origin {
  readonly baseSha: string;
  /** Where the branch stood at the code host; undefined when it did not exist. */
  readonly expectedSha: string | undefined;
}

export type Fetched =
  | { readonly kind: 'fetched'; readonly origin: Origin }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stopped' };

/**
 * Makes the turn program's own bare repository and fetches into it, whole: the base, the branch and its earlier
 * work in progress, as far as these exist.
 */
export async function fetchRepository(turn: Turn): Promise<Fetched> {
  const { git, instructions, stop, timing } = turn;
  const unfit = await findUnfit(turn);
  if (unfit !== undefined) return failed(lastingFailure('policy', 'repository-unfit', unfit));
  const checkedOut = await findCheckout(turn);
  if (checkedOut !== undefined) return failed(checkedOut);
  const made = await git.make(instructions.base);
  if (!made.ok) {
    const says = `Git could not make a repository: ${made.stderr.trim().slice(0, 300)}.`;
    return failed(machineFailure(says, made));
  }
  const fetched = await persist(
    () => tryFetch(turn),
    (latest) => latest.kind !== 'failed' || !mayPassSoon(latest.failure),
    { ...timing, patienceMs: timing.transferPatienceMs, signal: stop.stopping },
  );
  return stop.stopping.aborted || fetched === undefined ? { kind: 'stopped' } : fetched;
}

/** An access that is refused is not asked for again at once: hosts lock out who does. */
function mayPassSoon({ class: of, kind }: Failure): boolean {
  return of === 'infrastructure' && kind !== 'git-forbidden';
}

/** A branch that would deliver into the base itself, or words that git would take for something else. */
async function findUnfit({ git, instructions }: Turn): Promise<string | undefined> {
  const { repository, base, branch, wipBranch } = instructions;
  if (repository.startsWith('-')) return 'The address of the repository begins with a dash.';
  if (branch === base || wipBranch === base || branch === wipBranch) {
    return `The base ${base} is the branch that the turn would write to.`;
  }
  const named = await git.plain(['check-ref-format', `refs/heads/${base}`]);
  return named.code === 1 ? `The base ${base} is no name for a branch.` : undefined;
}

async function tryFetch(turn: Turn): Promise<Fetched> {
  const { git, instructions, stop, timing } = turn;
  const options = { signal: stop.stopping, timeoutMs: timing.fetchMs };
  const { base, branch } = instructions;
  const listed = await git.contact(['ls-remote', '--refs', 'origin', ...askedRefs(turn)], options);
  if (!listed.ok) return failed(fetchFailure(readGitTrouble(listed)));
  const found = listed.stdout.split('\n').flatMap((line) => /\trefs\/heads\/(.*)$/.exec(line)?.[1] ?? []);
  if (!found.includes(base)) {
    return failed(
      lastingFailure('policy', 'base-not-found', `The repository has no branch ${base} to start from.`),
    );
  }
  const taken = found.find((name) => branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`));
  if (taken !== undefined) return failed(hopelessPush(nameTaken(taken)));

  const refs = chooseBranches(turn, found).map((name) => `+refs/heads/${name}:refs/heads/${name}`);
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const end = await git.contact(['fetch', ...quiet, 'origin', ...refs], options);
  if (!end.ok) return failed(fetchFailure(readGitTrouble(end)));
  const shas = await git.run(['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads']);
  if (!shas.ok) return failed(machineFailure('The fetched branches could not be listed.', shas));
  const shaOf = new Map(shas.stdout.split('\n').map((line) => line.split(' ') as [string, string]));
  const baseSha = shaOf.get(base);
  // A fetch passes over branches whose history ends in a shallow clone, and calls that a success.
  if (baseSha === undefined || (found.includes(branch) && !shaOf.has(branch))) return failed(shallow);
  return { kind: 'fetched', origin: { baseSha, expectedSha: shaOf.get(branch) } };
}

const shallow = lastingFailure(
  'policy',
  'repository-shallow',
  'The repository is a shallow clone, which lacks the history that work builds on; run "git fetch --unshallow" in it, or name the repository that it was cloned from.',
);

/** What is fetched, and every branch beside which git could not keep the issue's. */
function askedRefs({ instructions: { base, branch, wipBranch } }: Turn): readonly string[] {
  const parts = branch.split('/');
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
  return [base, branch, wipBranch, `${wipBranch}.*`, `${branch}/*`, ...above].map(
    (name) => `refs/heads/${name}`,
  );
}

/** The work in progress of earlier turns may stand on branches of their attempts, too: the latest of them are enough. */
function chooseBranches({ instructions }: Turn, found: readonly string[]): readonly string[] {
  const { base, branch, wipBranch } = instructions;
  const attemptOf = (name: string) =>
    name.startsWith(`${wipBranch}.`) ? name.slice(wipBranch.length + 1) : '';
  const ofAttempts = found
    .filter((name) => /^[1-9]\d*$/.test(attemptOf(name)))
    .sort((a, b) => Number(attemptOf(b)) - Number(attemptOf(a)));
  const names = [base, branch, wipBranch].filter((name) => found.includes(name));
  return [...names, ...ofAttempts.slice(0, mostAttempts)];
}

const mostAttempts = 10;

function failed(what: Failure): Fetched {
  return { kind: 'failed', failure: what };
}

import { type Failure, failure, lastingFailure } from './failure.ts';
import { fetchFailure, readGitTrouble } from './git-trouble.ts';
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
  const { git, instructions, folder, stop, timing } = turn;
  const unfit = await findUnfit(turn);
  if (unfit !== undefined) return failed(lastingFailure('policy', 'repository-unfit', unfit));
  const init = ['init', '--quiet', '--bare', '--template=', `--initial-branch=${instructions.base}`];
  const made = await git.plain([...init, folder.repository]);
  if (!made.ok) {
    return failed(
      failure(
        'infrastructure',
        'git-unusable',
        `Git could not make a repository: ${made.stderr.slice(0, 300)}`,
      ),
    );
  }
  const fetched = await persist(
    () => tryFetch(turn),
    (latest) => latest.kind !== 'failed' || latest.failure.class !== 'infrastructure',
    { ...timing, patienceMs: timing.transferPatienceMs, signal: stop.stopping },
  );
  return stop.stopping.aborted || fetched === undefined ? { kind: 'stopped' } : fetched;
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

async function tryFetch({ git, instructions, stop, timing }: Turn): Promise<Fetched> {
  const options = { signal: stop.stopping, timeoutMs: timing.fetchMs };
  const { base, branch, wipBranch } = instructions;
  const wanted = [base, branch, wipBranch].map((name) => `refs/heads/${name}`);
  const listed = await git.contact(['ls-remote', '--refs', 'origin', ...wanted], options);
  if (!listed.ok) return failed(fetchFailure(readGitTrouble(listed)));
  const found = listed.stdout.split('\n').map((line) => line.split('\t')[1] ?? '');
  const refs = wanted.filter((ref) => found.includes(ref));
  if (!refs.includes(`refs/heads/${base}`)) {
    return failed(
      lastingFailure('policy', 'base-not-found', `The repository has no branch ${base} to start from.`),
    );
  }
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const end = await git.contact(
    ['fetch', ...quiet, 'origin', ...refs.map((ref) => `+${ref}:${ref}`)],
    options,
  );
  if (!end.ok) return failed(fetchFailure(readGitTrouble(end)));
  const shas = await git.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads']);
  const shaOf = new Map(shas.stdout.split('\n').map((line) => line.split(' ') as [string, string]));
  const baseSha = shaOf.get(`refs/heads/${base}`);
  if (baseSha === undefined)
    return failed(failure('infrastructure', 'git-failed', 'The base was fetched and is not there.'));
  return { kind: 'fetched', origin: { baseSha, expectedSha: shaOf.get(`refs/heads/${branch}`) } };
}

function failed(what: Failure): Fetched {
  return { kind: 'failed', failure: what };
}

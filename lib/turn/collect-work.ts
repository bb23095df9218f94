import { bringCommits } from './bring-commits.ts';
import { commitLeftovers } from './commit-leftovers.ts';
import { type Failure, failure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import type { Turn } from './turn.ts';
import { identify, type Workspace } from './workspace.ts';

/** What the turn has to show, all of it in the turn program's own repository. */
export interface Work {
  readonly headSha: string;
  /** New in this turn; 0 means that nothing is to be delivered. */
  readonly commits: number;
  readonly files: number;
  /** What a listing of the new commits leaves out, as arguments of git. */
  readonly known: readonly string[];
}

/** Collects the agent's commits and its uncommitted changes. No process of the agent may be alive any more. */
export async function collectWork(turn: Turn, origin: Origin, workspace: Workspace): Promise<Work | Failure> {
  // A folder that was removed would look like a change that deletes every file.
  if ((await identify(turn.folder.workspace)) !== workspace.identity) {
    return failure('agent', 'workspace-lost', 'The workspace was removed or replaced during the turn.');
  }
  const committed = await bringCommits(turn, origin, workspace);
  if (typeof committed !== 'string') return committed;
  const headSha = await commitLeftovers(turn, committed);
  if (headSha === undefined)
    turn.log('uncommitted changes could not be collected; they are still in the workspace');
  return measure(turn, workspace.startSha, headSha ?? committed, origin);
}

const workRef = 'refs/evenkeel/work';

async function measure(turn: Turn, startSha: string, headSha: string, origin: Origin): Promise<Work> {
  const { git } = turn;
  await git.run(['update-ref', workRef, headSha]);
  const begun = [startSha, origin.baseSha];
  const latest = headSha === startSha ? undefined : await findLatestBase(turn);
  const known = [...new Set([...begun, ...(latest === undefined ? [] : [latest])])].map((sha) => `^${sha}`);
  const counted = await git.run(['rev-list', '--count', headSha, ...known]);
  const changed = await git.run([
    'diff',
    '--name-only',
    '--no-renames',
    '--no-ext-diff',
    '-z',
    startSha,
    headSha,
  ]);
  const files = changed.stdout.split('\0').filter((path) => path !== '').length;
  if (!counted.ok) throw new Error('the new commits could not be counted');
  return { headSha, commits: Number(counted.stdout), files, known };
}

const latestBaseRef = 'refs/evenkeel/latest-base';

/** An agent may have merged a base that moved on meanwhile: what stands there is not the agent's work. */
async function findLatestBase({ git, instructions, stop, timing }: Turn): Promise<string | undefined> {
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const refspec = `+refs/heads/${instructions.base}:${latestBaseRef}`;
  const options = { signal: stop.stopping, timeoutMs: timing.gitMs };
  const fetched = await git.contact(['fetch', ...quiet, 'origin', refspec], options);
  if (!fetched.ok) return undefined;
  return (await git.run(['rev-parse', '--verify', latestBaseRef])).stdout.trim();
}

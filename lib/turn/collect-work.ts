import { readdir } from 'node:fs/promises';
import { limits } from '../core/turn-protocol.ts';
import { bringCommits } from './bring-commits.ts';
import { commitLeftovers, type Leftovers } from './commit-leftovers.ts';
import { type Failure, failure, GitFault, isFailure, unforeseenFailure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { showPath } from './find-secret.ts';
import { largeFile } from './large-file.ts';
import { listChangedLinks } from './list-changed-links.ts';
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

/** What could be collected, and what could not. */
export interface Collected {
  /** Undefined when nothing could. */
  readonly work: Work | undefined;
  /** Why some of the agent's work, or all of it, is still in the workspace only. */
  readonly failure: Failure | undefined;
  /** What else is left there, in sentences for people. */
  readonly notes: readonly string[];
}

/** Collects the agent's commits and its uncommitted changes. No process of the agent may be alive any more. */
export async function collectWork(turn: Turn, origin: Origin, workspace: Workspace): Promise<Collected> {
  // A folder that was removed, or that an agent emptied because it may not remove it, would look like a change that deletes
  // every file.
  const { workspace: path } = turn.folder;
  if ((await identify(path)) !== workspace.identity || (await isEmpty(path))) {
    const lost = failure('agent', 'workspace-lost', 'The workspace was removed or replaced during the turn.');
    return { work: undefined, failure: lost, notes: [] };
  }
  const committed = await bringCommits(turn, origin, workspace);
  if (typeof committed !== 'string') return { work: undefined, failure: committed, notes: [] };
  // What the agent did commit counts, whatever became of the rest.
  const rest = await commitLeftovers(turn, committed).catch((error: unknown) => uncollected(turn, error));
  const headSha = isFailure(rest) ? committed : rest.headSha;
  const work = await measure(turn, workspace.startSha, headSha, origin).catch((error: unknown) =>
    uncollected(turn, error),
  );
  if (isFailure(work)) return { work: undefined, failure: work, notes: [] };
  const changed = await recordWork(turn, work).catch((error: unknown) => uncollected(turn, error));
  if (isFailure(rest)) return { work, failure: rest, notes: isFailure(changed) ? [] : changed };
  if (isFailure(changed)) return { work, failure: changed, notes: [] };
  const [large] = rest.large;
  return {
    work,
    failure:
      large === undefined ? undefined : largeFile(showPath(turn, large), ' and stays in the workspace'),
    notes: [...describeLeft(turn, rest), ...changed],
  };
}

/** Not even the repository is there. */
async function isEmpty(path: string): Promise<boolean> {
  return (await readdir(path).catch(() => undefined))?.length === 0;
}

function uncollected({ folder, environment }: Turn, error: unknown): Failure {
  const found = unforeseenFailure(error);
  const where = environment.keepsFolder
    ? ` What could not be taken over is still in ${folder.workspace}.`
    : '';
  const kind = found.class === 'agent' ? 'uncollected' : found.kind;
  return { ...found, kind, detail: `${found.detail}${where}`.slice(0, limits.text) };
}

function describeLeft(turn: Turn, { foreign, isPartial, modules }: Leftovers): readonly string[] {
  const clones =
    foreign === 1 ? 'one folder that is a repository' : `${foreign} folders that are repositories`;
  return [
    ...(foreign === 0 ? [] : [`The work leaves out ${clones} from elsewhere.`]),
    ...(isPartial ? ['The work leaves out files that could not be read.'] : []),
    ...tellOf(turn, 'The work leaves out what the folders of submodules hold beside their commits', modules),
  ];
}

async function describeChangedLinks(turn: Turn, work: Work): Promise<readonly string[]> {
  const { named, replaced } = await listChangedLinks(turn.git, work);
  return [
    ...tellOf(turn, 'The work names commits of other repositories, which are not delivered with it', named),
    ...tellOf(turn, 'The work puts files in the place of submodules', replaced),
  ];
}

function tellOf(turn: Turn, what: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, mostShown).map((path) => showPath(turn, path, longestShown));
  const more = paths.length > mostShown ? ` and ${paths.length - mostShown} more` : '';
  return [`${what}: ${shown.join(', ')}${more}.`];
}

/** A note has room for so many names of this length. */
const mostShown = 3;
const longestShown = 50;

const workRef = 'refs/evenkeel/work';

/** Gives the work a name by which it can be bundled, and tells what goes beyond this repository. Without either it can still be pushed. */
async function recordWork(turn: Turn, work: Work): Promise<readonly string[]> {
  const marked = await turn.git.run(['update-ref', workRef, work.headSha]);
  if (!marked.ok) throw new GitFault('the work could not be taken over', marked);
  return describeChangedLinks(turn, work);
}

async function measure(turn: Turn, startSha: string, headSha: string, origin: Origin): Promise<Work> {
  const { git } = turn;
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
  if (!counted.ok || !changed.ok)
    throw new GitFault('the new commits could not be counted', counted.ok ? changed : counted);
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

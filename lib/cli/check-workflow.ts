import { dirname, isAbsolute, resolve } from 'node:path';
import { GitHubError } from '../adapters/github/github-error.ts';
import type { Tracker } from '../controller/ports.ts';
import { type Problem, resolveContract } from '../core/contract.ts';
import type { TrackerState } from '../core/issue.ts';
import { roughWorkflow } from '../core/rough-workflow.ts';
import { describeStray } from '../core/strays.ts';
import { parseWorkflow, type Workflow } from '../core/workflow.ts';
import { isLocal } from '../host/board-place.ts';
import { checkBase } from '../host/check-base.ts';
import { checkPrompt } from '../host/check-prompt.ts';
import { checkPullRequests } from '../host/check-pull-requests.ts';
import { checkRemote } from '../host/check-remote.ts';
import { connectTracker } from '../host/connect-tracker.ts';
import { placeWorkflow } from '../host/read-workflow.ts';

/** The rules whose problems are none of the file: its board did not answer, or could not be asked as anybody. */
export const rulesOfReach: readonly string[] = ['board-reached', 'token-needed', 'app-unclear'];

export interface Findings {
  /** One is enough to keep the file from being served. */
  readonly problems: readonly Problem[];
  /** Issues of the board that no column shows, or that cannot be understood, and what else to know of it and its repository. */
  readonly warnings: readonly Problem[];
  /** Whether the board's own states were there to hold the file against. */
  readonly live: boolean;
}

/**
 * Everything that keeps `text` from being served as the workflow file `file`, which need not be there yet. The board is
 * asked for its states, unless they are given: they were read before, or the folder is only made together with the file.
 */
export async function checkWorkflow(
  file: string,
  text: string,
  states?: readonly TrackerState[],
): Promise<Findings> {
  const parsed = parseWorkflow(text, file);
  if ('workflow' in parsed) return checkAround(file, parsed.workflow, states);
  const rough = roughWorkflow(text, file);
  const further = rough && (await checkAround(file, rough.workflow, states));
  return {
    problems: [...parsed.problems, ...(further?.problems.filter(rough!.isNews) ?? [])],
    warnings: further?.warnings ?? [],
    live: further?.live ?? false,
  };
}

/** What the machine, the repository, the board and a sample issue say of a workflow. */
async function checkAround(
  file: string,
  workflow: Workflow,
  states: readonly TrackerState[] | undefined,
): Promise<Findings> {
  const placed = await placeWorkflow(workflow, dirname(file));
  // A board that cannot be asked is told once: a folder that is missing by the board, a token by the machine.
  const place = 'problems' in placed ? missingFolder(file, workflow) : placed.place;
  const repository = 'problems' in placed ? undefined : placed.repository;
  const board =
    states === undefined
      ? await askBoard(place, workflow, repository)
      : { problems: holdAgainst(workflow, states), notices: [] };
  const isReached = board.problems.every(({ rule }) => !rulesOfReach.includes(rule));
  const remote =
    states === undefined && isReached && repository !== undefined && !isAbsolute(repository)
      ? await checkRemote(workflow, repository)
      : { problems: [], warnings: [] };
  const isReadable = remote.problems.length + remote.warnings.length === 0;
  const pullRequests =
    states === undefined && isReached && isReadable && repository !== undefined
      ? await checkPullRequests(workflow, repository)
      : [];
  const problems = [
    ...('problems' in placed ? placed.problems.filter(({ rule }) => rule !== 'project-exists') : []),
    ...(await checkBase(workflow, dirname(file))),
    ...remote.problems,
    ...board.problems,
    ...checkPrompt(workflow),
  ];
  const warnings = [
    ...(isLocal(workflow) ? await checkIssues(file, workflow) : []),
    ...board.notices,
    ...remote.warnings,
    ...pullRequests,
  ];
  return { problems, warnings, live: states !== undefined || place !== undefined };
}

function missingFolder(file: string, workflow: Workflow): string | undefined {
  return isLocal(workflow) ? resolve(dirname(file), workflow.tracker.project) : undefined;
}

/** Issues that a tick would only wait for: nobody finds them in a column. A board that cannot be read is told elsewhere. */
async function checkIssues(file: string, workflow: Workflow): Promise<readonly Problem[]> {
  const folder = resolve(dirname(file), workflow.tracker.project);
  try {
    const board = connectTracker(workflow, folder);
    const names = (await board.states()).map(({ name }) => name);
    const { broken, strays = [] } = await board.list(names);
    return [
      ...broken.map(({ key, problem }) => ({ rule: 'issue-broken', path: `${key}.md`, message: problem })),
      ...strays.map(({ key, state }) => ({
        rule: 'issue-state',
        path: `${key}.md`,
        message: describeStray(state, names),
      })),
    ];
  } catch {
    return [];
  }
}

interface BoardFindings {
  readonly problems: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** The rules that only the board can answer. A board that does not tell its states is a problem of its own. */
async function askBoard(
  place: string | undefined,
  workflow: Workflow,
  repository: string | undefined,
): Promise<BoardFindings> {
  if (place === undefined) return { problems: [], notices: [] };
  try {
    const tracker = connectTracker(workflow, place, repository);
    const problems = holdAgainst(workflow, await tracker.states());
    return { problems, notices: await readNotices(tracker) };
  } catch (error) {
    if (isSilence(error)) return { problems: [describeSilence(error, workflow)], notices: [] };
    const message = `the board could not be read: ${(error as Error).message}`;
    return { problems: [{ rule: 'board-read', path: 'tracker.project', message }], notices: [] };
  }
}

async function readNotices(tracker: Tracker): Promise<readonly Problem[]> {
  const tell = (message: string) => ({ rule: 'board-notice', path: 'tracker.project', message });
  try {
    return (await tracker.notices()).map(tell);
  } catch (error) {
    return [
      tell(`the automations of the board could not be read, if it has any: ${(error as Error).message}`),
    ];
  }
}

/** Nothing was learnt of the board, and the file has no part in it; another refusal would have said something of it. */
function isSilence(error: unknown): error is GitHubError {
  const kinds = ['unreachable', 'late', 'broken', 'limited', 'unauthorized', 'forbidden'];
  return error instanceof GitHubError && kinds.includes(error.kind);
}

function describeSilence({ kind, message }: GitHubError, { tracker: { endpoint } }: Workflow): Problem {
  const when = kind === 'limited' ? 'the limit has ended' : 'that is mended';
  return {
    rule: 'board-reached',
    path: endpoint === undefined ? 'tracker.project' : 'tracker.endpoint',
    message: `the board could not be read: ${message}. The file may be fine: validate it again when ${when}`,
  };
}

function holdAgainst(workflow: Workflow, states: readonly TrackerState[]): readonly Problem[] {
  const live = resolveContract(workflow, states, undefined);
  return live.valid ? [] : live.problems;
}

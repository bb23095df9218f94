import { readFile } from 'node:fs/promises';
import type { Board, Tracker, WorkflowProblem } from '../controller/ports.ts';
import type { Problem } from '../core/contract.ts';
import type { BoardId } from '../core/issue.ts';
import { isLocal } from './board-place.ts';
import { connectTracker } from './connect-tracker.ts';
import { findTurnFaults } from './find-turn-faults.ts';
import type { HostedBoard } from './host.ts';
import {
  type BrokenWorkflow,
  isBroken,
  type ReadWorkflow,
  readWorkflow,
  understandWorkflow,
} from './read-workflow.ts';
import { describeBroken, WorkflowError } from './workflow-error.ts';

export interface ServedBoards {
  /** Reads every workflow file anew. A broken one keeps its last good self and says what is wrong. */
  boards(): Promise<readonly Board[]>;
  /** As they were read last. */
  hosted(): readonly HostedBoard[];
  /** The boards that could not be served when they were read last, whatever their files said. */
  withheld(): readonly { readonly board: string; readonly message: string; readonly toResume: string }[];
  /** The files that were broken when they were read last. */
  broken(): readonly {
    readonly board: string;
    readonly workflow: string;
    readonly problems: readonly Problem[];
  }[];
}

export interface BoardSource {
  /** Why a folder's board must not be served any more, asked at every reading. */
  readonly checkOwner?: (folder: string) => Promise<WorkflowProblem | undefined>;
  /** Gives the board at a place its name, which stays. */
  readonly nameOf: (place: string) => Promise<BoardId>;
  readonly onChange?: (changed: {
    readonly board: string;
    readonly workflow: string;
    readonly policyHash: string;
  }) => void;
}

/** Reads all workflow files for the first time. Throws a `WorkflowError` with all problems of all files. */
export async function readWorkflows(files: readonly string[]): Promise<readonly ReadWorkflow[]> {
  const read = await Promise.all(files.map(readWorkflow));
  const broken = read.filter(isBroken);
  const good = read.flatMap((one) => (isBroken(one) ? [] : one));
  const twice = good.flatMap((one, at) => refuseSecond(one, good.slice(0, at)) ?? []);
  if (broken.length + twice.length > 0) throw new WorkflowError([...broken, ...twice]);
  return good;
}

interface Served {
  /** The last good one. */
  readonly good: ReadWorkflow;
  readonly id: BoardId;
  /** What the file said when it was read last, good or not; undefined when it could not be read. */
  readonly text: string | undefined;
  readonly problems: readonly Problem[];
  /** Another data folder has taken the board, or it cannot be written. */
  readonly withheld: WorkflowProblem | undefined;
}

/** Serves boards by their workflow files, which may change at any time. */
export async function servedBoards(
  first: readonly ReadWorkflow[],
  { nameOf, onChange, checkOwner = async () => undefined }: BoardSource,
): Promise<ServedBoards> {
  const trackers = new Map<string, Tracker>();
  let served: readonly Served[] = await inTurn(first, async (good) => ({
    good,
    id: await nameOf(good.place),
    text: good.text,
    problems: [],
    withheld: undefined,
  }));

  async function readAgain(before: Served): Promise<Served> {
    const text = await readFile(before.good.file, 'utf8').catch(() => undefined);
    // A file with problems is judged again: a repository that was missing may be there now.
    if (text === before.text && before.problems.length === 0) return before;
    const now =
      text === undefined
        ? await readWorkflow(before.good.file)
        : await understandWorkflow(before.good.file, text);
    if (isBroken(now)) return { ...before, text, problems: now.problems };
    if (now.place !== before.good.place) return { ...before, text, problems: [refuseMove(now, before.good)] };
    const faults = now.text === before.good.text ? [] : await findTurnFaults(now);
    if (faults.length > 0) return { ...before, text, problems: faults };
    const { policyHash } = now.workflow;
    if (policyHash !== before.good.workflow.policyHash)
      onChange?.({ board: before.id, workflow: now.file, policyHash });
    return { ...before, good: now, text: now.text, problems: [] };
  }

  // A tick and calls of turns may ask at the same time; one reading follows the other.
  let reading: Promise<unknown> = Promise.resolve();
  async function readAll(): Promise<readonly Board[]> {
    served = await inTurn(served, async (before) => {
      const { workflow, place } = before.good;
      const withheld = isLocal(workflow) ? await checkOwner(place) : undefined;
      return { ...(await readAgain(before)), withheld };
    });
    return served.map((one) => toBoard(one, trackers));
  }

  return {
    boards: () => {
      const read = reading.then(readAll);
      reading = read.catch(() => undefined);
      return read;
    },
    hosted: () => served.map(toHosted),
    withheld: () =>
      served.flatMap(({ id, withheld }) =>
        withheld === undefined ? [] : [{ board: id, message: withheld.message, toResume: withheld.toResume }],
      ),
    broken: () =>
      served
        .map((one) => ({ board: one.id, workflow: one.good.file, problems: one.problems }))
        .filter(({ problems }) => problems.length > 0),
  };
}

/** A place is one board: a second file for it would make two policies fight over the same cards. */
function refuseSecond(one: ReadWorkflow, others: readonly ReadWorkflow[]): BrokenWorkflow | undefined {
  const first = others.find(({ place }) => place === one.place);
  if (first === undefined) return undefined;
  const message = `its board ${one.place} is served by ${first.file} already; a board has one workflow file`;
  return { file: one.file, problems: [{ rule: 'board-once', path: 'tracker.project', message }] };
}

/** The turns of the board before would be settled by nobody. */
function refuseMove(now: ReadWorkflow, before: ReadWorkflow): Problem {
  const message = `tracker.project names another board (${now.place}) than when the host was started (${before.place}); stop the host and start it again to serve that one`;
  return { rule: 'board-moved', path: 'tracker.project', message };
}

function toBoard(served: Served, trackers: Map<string, Tracker>): Board {
  const { good, id } = served;
  const { workflow, place, repository } = good;
  // The tracker remembers what it read, so it is kept as long as it would be the same.
  const identity = JSON.stringify([place, workflow.tracker, repository]);
  const tracker = trackers.get(identity) ?? connectTracker(workflow, place, repository);
  trackers.set(identity, tracker);
  const workflowProblem = findProblem(served);
  return { id, tracker, workflow, workflowProblem, repository };
}

function findProblem({ good, problems, withheld }: Served): WorkflowProblem | undefined {
  if (withheld !== undefined) return withheld;
  if (problems.length === 0) return undefined;
  const message = `${describeBroken({ file: good.file, problems })}. Nothing starts until it is mended`;
  return { rule: 'workflow-file', path: '', message, toResume: 'mend the workflow file' };
}

function toHosted({ good, id }: Served): HostedBoard {
  const { tracker } = good.workflow;
  return {
    board: id,
    kind: tracker.kind,
    place: good.place,
    repository: good.repository,
    workflow: good.file,
    activeStates: tracker.active_states,
    handoffState: tracker.handoff_state,
  };
}

async function inTurn<From, To>(
  items: readonly From[],
  make: (item: From) => Promise<To>,
): Promise<readonly To[]> {
  const made: To[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

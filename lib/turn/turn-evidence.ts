import { limits, type TurnResult } from '../core/turn-protocol.ts';
import type { Work } from './collect-work.ts';
import type { Failure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import type { Kept } from './keep-work.ts';
import type { Turn } from './turn.ts';
import type { Feedback, Verification } from './verify-work.ts';

/** How a turn ended, before it is put into the words of the result. */
export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'question'; readonly question: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stopped' };

/** What the steps leave behind for the result, as far as they came. */
export interface Evidence {
  origin?: Origin;
  work?: Work | undefined;
  /** Whether all that the agent did is in `work`; undefined when it did not come to work. */
  isCollected?: boolean;
  /** What became of work beside the branch, in sentences for people. */
  notes?: readonly string[];
  /** Whether the screening let the work pass; undefined when it was not asked. */
  isClean?: boolean;
  pushed?: boolean;
  kept?: Kept;
  verify: readonly Verification[];
  feedback?: Feedback | undefined;
  /** What the agent asked in its report. */
  question?: string | undefined;
  usage?: TurnResult['usage'];
  exitCode?: number | undefined;
}

/** Puts a turn's end into the words of the protocol. */
export function writeResult(turn: Turn, ending: Ending, evidence: Evidence): TurnResult {
  const stop = turn.stop.reason();
  const { feedback, kept } = evidence;
  const { keepsFolder } = turn.environment;
  const notes = [...(evidence.notes ?? []), ...(keepsFolder ? [] : tellLost(evidence))].slice(-mostNotes);
  return {
    version: 1,
    status: ending.kind,
    ...(ending.kind === 'failed' ? { failure: ending.failure } : {}),
    ...(ending.kind === 'question' ? { question: ending.question } : {}),
    ...(ending.kind === 'stopped' && stop !== undefined ? { cause: stop.cause } : {}),
    ...(evidence.origin === undefined ? {} : { git: describeGit(turn, evidence.origin, evidence) }),
    verify: evidence.verify.slice(0, limits.gates),
    ...(feedback === undefined ? {} : { feedback: writeFeedback(feedback, kept) }),
    ...(evidence.usage === undefined ? {} : { usage: evidence.usage }),
    ...(evidence.exitCode === undefined ? {} : { exitCode: evidence.exitCode }),
    ...(notes.length > 0 ? { notes } : {}),
    ...(keepsFolder ? { workspace: turn.folder.workspace } : {}),
    ...(keepsFolder && isInWorkspaceOnly(evidence) ? { inWorkspaceOnly: true } : {}),
  };
}

const mostNotes = 8;

/** What ends with the container of the turn: nobody is told of a place that is not there any more. */
function tellLost({ work, pushed, kept, isCollected }: Evidence): readonly string[] {
  const commits = pushed || kept !== undefined ? 0 : (work?.commits ?? 0);
  const which = commits === 1 ? '1 commit' : `${commits} commits`;
  return [
    ...(commits > 0 ? [`${which} could be kept nowhere and ended with the container of the turn.`] : []),
    ...(isCollected === false
      ? ['Some of what the agent did could not be collected and ended with the container of the turn.']
      : []),
  ];
}

function isInWorkspaceOnly({ isCollected, work, pushed, kept }: Evidence): boolean {
  const hasNoHome = work !== undefined && work.commits > 0 && !pushed && kept === undefined;
  return isCollected === false || hasNoHome;
}

function describeGit(turn: Turn, origin: Origin, { work, pushed, kept }: Evidence): TurnResult['git'] {
  return {
    baseSha: origin.baseSha,
    ...(origin.expectedSha === undefined ? {} : { expectedSha: origin.expectedSha }),
    ...(work === undefined ? {} : { headSha: work.headSha }),
    branch: turn.instructions.branch,
    commits: work?.commits ?? 0,
    files: work?.files ?? 0,
    pushed: pushed ?? false,
    ...kept,
  };
}

/** The next turn begins at the branch again, and finds the work that failed its gates beside it. */
function writeFeedback({ says, output }: Feedback, kept: Kept): string {
  const where =
    kept !== undefined && 'wipBranch' in kept ? `Its commits are kept on origin/${kept.wipBranch}. ` : '';
  const head = `${says} ${where}The end of the output:\n`;
  return head + output.slice(-(limits.logTail - head.length));
}

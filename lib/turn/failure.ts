import { limits, type TurnResult } from '../core/turn-protocol.ts';
import type { GitEnd } from './git.ts';

/** What went wrong, in the words of the result. */
export type Failure = NonNullable<TurnResult['failure']>;

/** A failure that may go away when the turn is tried again. */
export function failure(failureClass: Failure['class'], kind: string, detail: string): Failure {
  return { class: failureClass, kind, detail: detail.slice(0, limits.text), retryable: true };
}

/** A failure that another try cannot mend. */
export function lastingFailure(failureClass: Failure['class'], kind: string, detail: string): Failure {
  return { ...failure(failureClass, kind, detail), retryable: false };
}

export function isFailure(found: object): found is Failure {
  return 'retryable' in found;
}

/** A command of the turn program's own git that failed where no failure is part of the plan. What it printed may quote the agent: it is never shown. */
export class GitFault extends Error {
  readonly end: GitEnd;

  constructor(what: string, end: GitEnd) {
    super(what);
    this.end = end;
  }
}

/** Something that nobody foresaw. A full or broken disk is the machine's fault; anything else may be the work's. */
export function unforeseenFailure(error: unknown): Failure {
  if (error instanceof GitFault)
    return gitFailure('internal', `The turn program failed: ${error.message}.`, error.end);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && diskCodes.includes(code)) return diskFailure(code);
  return failure('agent', 'internal', `The turn program failed: ${message}`);
}

/**
 * The failure of a turn whose own git failed. It is the machine's, as nobody else works in that repository, unless git took
 * too long or names what it cannot take of the agent's work.
 */
export function gitFailure(kind: string, detail: string, end: GitEnd): Failure {
  if (end.cut === 'timeout' || unfitWork.test(end.stderr)) return agentGitFailure(kind, detail, end);
  return machineFailure(detail, end);
}

/** The failure of a turn whose own git failed before any work of the agent's was there. */
export function machineFailure(detail: string, end: GitEnd): Failure {
  return diskFailureOf(end) ?? failure('infrastructure', 'git-unusable', `${detail} ${describeEnd(end)}`);
}

/** The failure of a turn for which git could not handle what the agent made, unless it was the disk. */
export function agentGitFailure(kind: string, detail: string, end: GitEnd): Failure {
  const says = end.cut === 'timeout' ? `${detail} Git took too long.` : detail;
  return diskFailureOf(end) ?? failure('agent', kind, says);
}

function diskFailureOf({ stderr, isDiskFull }: GitEnd): Failure | undefined {
  const found = diskTrouble.exec(stderr)?.[1] ?? (isDiskFull ? 'no space left' : undefined);
  return found === undefined ? undefined : diskFailure(found);
}

function describeEnd({ code }: GitEnd): string {
  return code === undefined ? 'Git could not be run to its end.' : `Git ended with exit code ${code}.`;
}

/** How git names what it refuses: objects and bundles that are broken, and files that it cannot store as they are. */
const unfitWork = new RegExp(
  [
    'fsck error',
    '^error: object [0-9a-f]{40,64}: ',
    'lacks? these prerequisite commits',
    'does not look like a v\\d',
    'unrecognized header',
    'inflate: data stream error',
    '\\bpack (?:is corrupted|has |signature|too large)',
    'unresolved deltas?',
    'did not send all necessary objects',
    'did not receive expected object',
    'failed to encode ',
    'BOM is (?:required|prohibited) in ',
    'invalid path ',
    'file name too long',
    'the repository of the turn was removed or replaced',
  ].join('|'),
  'im',
);

function diskFailure(found: string): Failure {
  return failure('infrastructure', 'disk', `The disk did not take what the turn had to write (${found}).`);
}

const diskCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG'];

/** The same in the words of git and of the system, as they stand at the end of what git prints. */
export const diskTrouble =
  /(?:^|[ :])(no space left on device|out of diskspace|disk quota exceeded|file too large|input\/output error|too many open files)(?:,.*)?\s*$/im;

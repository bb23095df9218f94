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

/** A command of git that failed where no failure is part of the plan. What it printed may quote the agent: it is never shown. */
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
    return gitFailure('internal', `The turn program failed: ${error.message}`, error.end);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && diskCodes.includes(code)) return diskFailure(code);
  return failure('agent', 'internal', `The turn program failed: ${message}`);
}

/** The failure of the agent's work that git could not handle, unless git says that it was the disk. */
export function gitFailure(kind: string, detail: string, { stderr, cut }: GitEnd): Failure {
  const [, found] = diskTrouble.exec(stderr) ?? [];
  if (found !== undefined) return diskFailure(found);
  return failure('agent', kind, cut === 'timeout' ? `${detail} Git took too long.` : detail);
}

function diskFailure(found: string): Failure {
  return failure('infrastructure', 'disk', `The disk did not take what the turn had to write (${found}).`);
}

const diskCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG'];

/** The same in the words of git and of the system, as they stand at the end of what git prints. */
export const diskTrouble =
  /(?:^|[ :])(no space left on device|out of diskspace|disk quota exceeded|file too large|input\/output error|too many open files)(?:,.*)?\s*$/im;

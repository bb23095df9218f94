import { limits, type TurnResult } from '../core/turn-protocol.ts';

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

/** Something that nobody foresaw. A full or broken disk is the machine's fault; anything else may be the work's. */
export function unforeseenFailure(error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && diskCodes.includes(code)) {
    return failure('infrastructure', 'disk', `The disk did not take what the turn had to write (${code}).`);
  }
  return failure('agent', 'internal', `The turn program failed: ${message}`);
}

const diskCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG'];

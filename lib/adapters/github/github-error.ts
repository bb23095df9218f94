import type { Instant } from '../../core/issue.ts';

/**
 * - `unreachable`: no answer came; a write may have been done all the same.
 * - `late`: the vendor (502, 504), or our patience, gave up on it; a write may have been done.
 * - `broken`: the answer is none (another 5xx, not JSON, cut off, not what was asked for); a write may have been done.
 * - `limited`: the quota is used up until `until`; nothing was done.
 * - `unauthorized`: the token is not (or no longer) valid; nothing was done.
 * - `forbidden`: the token may not do it; nothing was done.
 * - `missing`: what was asked for is not there, or not for this token; nothing was done.
 * - `refused`: any other refusal; nothing was done.
 */
export type GitHubErrorKind =
  | 'unreachable'
  | 'late'
  | 'broken'
  | 'limited'
  | 'unauthorized'
  | 'forbidden'
  | 'missing'
  | 'refused';

/** A request that brought no answer. The message holds no token and no text of an issue. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly kind: GitHubErrorKind;
  /** When a limit ends. */
  readonly until: Instant | undefined;

  constructor(kind: GitHubErrorKind, message: string, until?: Instant) {
    super(message);
    this.kind = kind;
    this.until = until;
  }
}

import * as z from 'zod';
import { isVendors } from './describe-silence.ts';
import { GitHubError } from './github-error.ts';
import type { Reply } from './send-request.ts';

/** One error beside what an answer of GraphQL holds. */
const errorSchema = z.object({
  type: z.string().optional(),
  message: z.string().default(''),
  path: z.array(z.union([z.string(), z.number()])).default([]),
});
/** What an answer of GraphQL comes in. */
export const envelopeSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(errorSchema).default([]),
});

/** Throws a `GitHubError` for an answer of this address that is a refusal. */
export function checkStatus({ status, message }: Reply, url: string): void {
  if (status >= 200 && status < 300) return;
  const said = message === '' ? '' : `: ${message}`;
  if (status === 401)
    throw new GitHubError(
      'unauthorized',
      'GitHub does not take the token (401): it is wrong, expired or revoked; put a valid one in its place',
    );
  if (status === 403)
    throw new GitHubError('forbidden', `GitHub does not let this token do it (403)${said}; ${permissions}`);
  // What is missing in GraphQL is told beside an answer: without one, it is the address that leads nowhere.
  if (status < 500 && url.endsWith('/graphql') && !isVendors(url) && status !== 400)
    throw new GitHubError(
      'refused',
      `${new URL(url).host} answered ${status}, and not as GitHub does; tracker.endpoint must be the base of its API`,
    );
  if (status === 404 || status === 410) throw new GitHubError('missing', `GitHub answered ${status}${said}`);
  if (status === 502 || status === 504) throw new GitHubError('late', `GitHub answered ${status}`);
  if (status >= 500) throw new GitHubError('broken', `GitHub answered ${status}`);
  throw new GitHubError('refused', `GitHub answered ${status}${said}`);
}

/** Limits come with 429, with a 403 that says so, and in GraphQL with 200. */
export function isLimited({ status, headers, json, message }: Reply): boolean {
  if (status === 429) return true;
  if (status === 403) {
    const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
    return isUsedUp || headers.has('retry-after') || /rate limit|abuse/i.test(message);
  }
  const { data } = envelopeSchema.safeParse(json);
  return (data?.errors ?? []).some(
    ({ type, message }) =>
      type === 'RATE_LIMITED' || /secondary rate limit|submitted too quickly/i.test(message),
  );
}

const permissions = 'give it the permissions that docs/trackers-github.md lists';

/** An error beside an answer of GraphQL. */
type Told = Pick<z.output<typeof errorSchema>, 'type' | 'message'>;

export function errorOf(told: Told): GitHubError {
  const kind = kindOf(told);
  const message = `GitHub answered: ${told.message}`;
  // No permission helps with what is locked.
  const isPermission = kind === 'forbidden' && !/is locked/i.test(told.message);
  return new GitHubError(kind, isPermission ? `${message.replace(/\.$/, '')}; ${permissions}` : message);
}

/** A fault within the vendor comes without a type, and so does a query that is none. */
function kindOf({ type, message }: Told): GitHubError['kind'] {
  if (type === 'NOT_FOUND') return 'missing';
  if (type === 'UNPROCESSABLE') return 'refused';
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES') return 'forbidden';
  if (/timed? ?out|too long/i.test(message)) return 'late';
  return /something went wrong/i.test(message) ? 'broken' : 'refused';
}

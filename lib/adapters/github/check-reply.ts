import * as z from 'zod';
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

/** Throws a `GitHubError` for an answer that is a refusal. */
export function checkStatus({ status, message }: Reply): void {
  if (status >= 200 && status < 300) return;
  const said = message === '' ? '' : `: ${message}`;
  if (status === 401) {
    throw new GitHubError('unauthorized', 'GitHub does not take the token: it is wrong, expired or revoked');
  }
  if (status === 403) throw new GitHubError('forbidden', `GitHub does not let this token do it${said}`);
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
    ({ type, message }) => type === 'RATE_LIMITED' || /secondary rate limit/i.test(message),
  );
}

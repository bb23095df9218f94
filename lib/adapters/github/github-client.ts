import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import type { Credential } from './credential.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { GitHubError } from './github-error.ts';
import { keepQuota, type Purpose, type Quota, type QuotaFigures, type Resource } from './quota.ts';
import { type Reply, sendRequest } from './send-request.ts';

/**
 * What every board at GitHub is read and written through: GraphQL for all but the permission of a person and the tokens of an App. One client for
 * one token, because the quota is the token's; boards of every kind share it. The parts that know nothing of how a board
 * shows its states, and that another kind of board builds on:
 *
 * - `github-client.ts` with `credential.ts`, `quota.ts`, `send-request.ts`, `endpoint.ts`, `github-error.ts`
 * - `issue-fields.ts`: an issue's own fields as a query text, their schema, and their meaning
 * - `read-nodes.ts`: many by id, with found, gone and unknown told apart
 * - `list-pages.ts`: all pages or a failure
 * - `status-comment.ts`: the one status comment
 * - `trusted-actors.ts`: who may start work
 *
 * Only `label-*.ts` know that states are labels.
 */
export interface GitHubClient {
  /** Reads; tried a second time where no answer came. Throws a `GitHubError`. */
  query<Data>(operation: Operation<Data>, variables: Variables, purpose: Purpose): Promise<Answer<Data>>;
  /** Writes, once. Throws a `GitHubError`, whose kind says whether it may have been done. */
  mutate<Data>(operation: Operation<Data>, variables: Variables): Promise<Answer<Data>>;
  /** Reads `path` of the REST API, which begins with a slash. Throws a `GitHubError`. */
  get<Data>(path: string, data: z.ZodType<Data>, purpose: Purpose): Promise<Data>;
  /** Writes to `path` of the REST API, once. Throws a `GitHubError`. */
  post<Data>(path: string, body: object, data: z.ZodType<Data>): Promise<Data>;
  /** What the last answer said of a quota; undefined before the first one. */
  quota(resource: Resource): QuotaFigures | undefined;
}

export type Variables = Readonly<Record<string, unknown>>;

/** A GraphQL document with one operation, and what its `data` looks like where some of it could not be read. */
export interface Operation<Data> {
  readonly text: string;
  readonly data: z.ZodType<Data>;
}

export interface Answer<Data> {
  readonly data: Data;
  /** What could not be read or done; the rest is in `data` all the same. */
  readonly errors: readonly QueryError[];
}

export interface QueryError {
  /** `NOT_FOUND`, `FORBIDDEN` and the like. */
  readonly type: string | undefined;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

export interface GitHubClientOptions {
  readonly credential: Credential;
  /** Base address of the API, where it is not the vendor's own. */
  readonly endpoint?: string | undefined;
  readonly userAgent: string;
  readonly now?: () => Instant;
  readonly timing?: { readonly readMs: number; readonly writeMs: number; readonly retryMs: number };
  /** Points of the quota that are kept for what one issue needs. */
  readonly reserve?: number;
}

/** The vendor itself gives up after 10 s; the protocol allows a write 5 s. */
const usualTiming = { readMs: 10_000, writeMs: 5_000, retryMs: 500 };

interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
  readonly resource: Resource;
  readonly purpose: Purpose;
  readonly timeoutMs: number;
}

export function githubClient(options: GitHubClientOptions): GitHubClient {
  const { now = Date.now, timing = usualTiming } = options;
  const endpoint = endpointOf(options.endpoint);
  const quota = keepQuota(now, options.reserve ?? 250);
  const attempt = (call: Call) => attemptCall(call, quota, options);
  const read = async (call: Call) => {
    try {
      return await attempt(call);
    } catch (error) {
      if (!(error instanceof GitHubError) || !['unreachable', 'late', 'broken'].includes(error.kind))
        throw error;
      await pause(timing.retryMs);
      return attempt(call);
    }
  };
  const graphqlCall = (
    operation: Operation<unknown>,
    variables: Variables,
    rest: Pick<Call, 'purpose' | 'timeoutMs'>,
  ) => ({ ...postOf(endpoint, operation, variables), ...rest });

  return {
    query: async (operation, variables, purpose) =>
      readAnswer(
        operation,
        await read(graphqlCall(operation, variables, { purpose, timeoutMs: timing.readMs })),
      ),
    mutate: async (operation, variables) =>
      readAnswer(
        operation,
        await attempt(graphqlCall(operation, variables, { purpose: 'step', timeoutMs: timing.writeMs })),
      ),
    get: async (path, data, purpose) => {
      const url = `${endpoint.rest}${path}`;
      return readData(data, await read({ ...rest, method: 'GET', url, purpose, timeoutMs: timing.readMs }));
    },
    post: async (path, body, data) => {
      const url = `${endpoint.rest}${path}`;
      const sent = { method: 'POST', url, body: JSON.stringify(body) } as const;
      return readData(data, await attempt({ ...rest, ...sent, purpose: 'step', timeoutMs: timing.writeMs }));
    },
    quota: (resource) => quota.figures(resource),
  };
}

const rest = { resource: 'core' } as const;

function readData<Data>(data: z.ZodType<Data>, { json }: Reply): Data {
  const parsed = data.safeParse(json);
  if (!parsed.success) throw new GitHubError('broken', 'an answer of GitHub is not what was asked for');
  return parsed.data;
}

function postOf(endpoint: Endpoint, { text }: Operation<unknown>, variables: Variables) {
  const body = JSON.stringify({ query: text, variables });
  return { method: 'POST', url: endpoint.graphql, body, resource: 'graphql' } as const;
}

/** One request; a second one only where the token was refused and there is a newer one, because then nothing was done. */
async function attemptCall(call: Call, quota: Quota, options: GitHubClientOptions): Promise<Reply> {
  quota.admit(call.resource, call.purpose);
  const { credential, userAgent } = options;
  const token = await credential.token();
  let reply = await sendRequest(call, token, userAgent);
  if (reply.status === 401) {
    const newer = await credential.renew(token);
    if (newer !== undefined) reply = await sendRequest(call, newer, userAgent);
  }
  quota.note(call.resource, reply.headers);
  if (isLimited(reply)) {
    const until = quota.limit(call.resource, reply.headers);
    const when = new Date(until).toISOString();
    throw new GitHubError(
      'limited',
      `GitHub refused because of its limits; nothing is asked until ${when}`,
      until,
    );
  }
  checkStatus(reply);
  quota.serve();
  return reply;
}

function checkStatus({ status, message }: Reply): void {
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

const errorSchema = z.object({
  type: z.string().optional(),
  message: z.string().default(''),
  path: z.array(z.union([z.string(), z.number()])).default([]),
});
const envelopeSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(errorSchema).default([]),
});

/** Limits come with 429, with a 403 that says so, and in GraphQL with 200. */
function isLimited({ status, headers, json, message }: Reply): boolean {
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

/** The good part of an answer, with what is wrong with the rest. Throws where there is no good part. */
function readAnswer<Data>(operation: Operation<Data>, { json }: Reply): Answer<Data> {
  const envelope = envelopeSchema.safeParse(json);
  if (!envelope.success) throw new GitHubError('broken', 'an answer of GitHub is not what was asked for');
  const { errors } = envelope.data;
  const first = errors[0];
  const parsed = operation.data.safeParse(envelope.data.data);
  if (parsed.success) {
    return {
      data: parsed.data,
      errors: errors.map(({ type, message, path }) => ({ type, message, path })),
    };
  }
  if (first === undefined) throw new GitHubError('broken', 'an answer of GitHub is not what was asked for');
  throw new GitHubError(kindOf(first), `GitHub answered: ${first.message}`);
}

/** Throws a `GitHubError` for the first of these: what is told in parts is not enough here. */
export function demandWhole(errors: readonly QueryError[]): void {
  const first = errors[0];
  if (first !== undefined) throw new GitHubError(kindOf(first), `GitHub answered: ${first.message}`);
}

/** A fault within the vendor comes without a type, and so does a query that is none. */
function kindOf({
  type,
  message,
}: {
  readonly type?: string | undefined;
  readonly message: string;
}): GitHubError['kind'] {
  if (type === 'NOT_FOUND') return 'missing';
  if (type === 'UNPROCESSABLE') return 'refused';
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES') return 'forbidden';
  if (/timed? ?out|too long/i.test(message)) return 'late';
  return /something went wrong/i.test(message) ? 'broken' : 'refused';
}

import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import type { TrackerQuota } from '../../core/tracker-quota.ts';
import { checkStatus, envelopeSchema, errorOf, isLimited } from './check-reply.ts';
import type { Credential } from './credential.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { GitHubError } from './github-error.ts';
import { askForPrice, pointsOfMutation, priceOf, type Tally } from './price.ts';
import { keepQuota, type Purpose, type Quota, type QuotaFigures, type Resource } from './quota.ts';
import { type Reply, sendRequest } from './send-request.ts';
import { type Silence, waitOnce } from './wait-once.ts';

/**
 * What every board at GitHub is read and written through: GraphQL for all but the permission of a person and the tokens of an App. One client for
 * one token, because the quota is the token's; boards of every kind share it. The parts that know nothing of how a board
 * shows its states, and that another kind of board builds on:
 *
 * - `github-client.ts` with `credential.ts`, `quota.ts`, `price.ts`, `send-request.ts`, `check-reply.ts`, `endpoint.ts`, `github-error.ts`
 * - `issue-fields.ts`: an issue's own fields as a query text, their schema, and their meaning
 * - `read-nodes.ts`: many by id, with found, gone and unknown told apart
 * - `list-pages.ts`: all pages or a failure
 * - `status-comment.ts`: the one status comment
 * - `harmless-text.ts`: texts that notify nobody and close nothing
 * - `pull-requests.ts` with `pull-request-queries.ts`, `pull-request-text.ts`, `merged-branches.ts`: what turns push
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
  /** What was sent and charged through this client, and what the quota of boards leaves. */
  readonly spent: () => TrackerQuota;
  /** The same client, with the same quota, that counts for itself what is sent and charged; with a credential of its own, if told. */
  share(credential?: Credential): GitHubClient;
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

/** The vendor itself gives up after 10 s, and says so; the protocol allows a write 5 s. */
const usualTiming = { readMs: 11_000, writeMs: 5_000, retryMs: 500 };

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
  return shareOf({ options, timing, endpoint, quota, silence: { until: 0 } });
}

interface Shared {
  readonly options: GitHubClientOptions;
  readonly timing: NonNullable<GitHubClientOptions['timing']>;
  readonly endpoint: Endpoint;
  readonly quota: Quota;
  readonly silence: Silence;
}

function shareOf(shared: Shared): GitHubClient {
  const { options, timing, endpoint, quota } = shared;
  const tally: Tally = { requests: 0, points: 0 };
  const attempt = (call: Call) => attemptCall(call, quota, options, tally);
  const read = waitOnce(timing.readMs, shared.silence, async (call: Call) => {
    try {
      return await attempt(call);
    } catch (error) {
      if (!(error instanceof GitHubError) || !['unreachable', 'late', 'broken'].includes(error.kind))
        throw error;
      await pause(timing.retryMs);
      return attempt(call);
    }
  });
  const graphqlCall = (
    operation: Operation<unknown>,
    variables: Variables,
    rest: Pick<Call, 'purpose' | 'timeoutMs'>,
  ) => ({ ...postOf(endpoint, operation, variables), ...rest });

  return {
    async query(operation, variables, purpose) {
      const priced = { ...operation, text: askForPrice(operation.text) };
      const reply = await read(graphqlCall(priced, variables, { purpose, timeoutMs: timing.readMs }));
      tally.points += priceOf(reply.json);
      return readAnswer(operation, reply);
    },
    async mutate(operation, variables) {
      const call = graphqlCall(operation, variables, { purpose: 'step', timeoutMs: timing.writeMs });
      const reply = await attempt(call);
      tally.points += pointsOfMutation;
      return readAnswer(operation, reply);
    },
    get: async (path, data, purpose) => {
      const url = `${endpoint.rest}${path}`;
      return readData(data, await read({ ...rest, method: 'GET', url, purpose, timeoutMs: timing.readMs }));
    },
    post: async (path, body, data) => {
      const url = `${endpoint.rest}${path}`;
      const sent = { method: 'POST', url, body: JSON.stringify(body) } as const;
      return readData(data, await attempt({ ...rest, ...sent, purpose: 'step', timeoutMs: timing.writeMs }));
    },
    quota: quota.figures,
    spent: () => ({
      ...tally,
      remaining: quota.figures('graphql')?.remaining,
      limitedUntil: quota.closedUntil('graphql', 'survey'),
    }),
    share: (credential = options.credential) => shareOf({ ...shared, options: { ...options, credential } }),
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
async function attemptCall(
  call: Call,
  quota: Quota,
  { credential, userAgent }: GitHubClientOptions,
  tally: Tally,
): Promise<Reply> {
  quota.admit(call.resource, call.purpose);
  const send = (token: string) => {
    tally.requests += 1;
    return sendRequest(call, token, userAgent);
  };
  const token = await credential.token();
  let reply = await send(token);
  if (reply.status === 401) {
    const newer = await credential.renew(token);
    if (newer !== undefined) reply = await send(newer);
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
  checkStatus(reply, call.url);
  quota.serve();
  return reply;
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
  throw errorOf(first);
}

/** Throws a `GitHubError` for the first of these: what is told in parts is not enough here. */
export function demandWhole(errors: readonly QueryError[]): void {
  const first = errors[0];
  if (first !== undefined) throw errorOf(first);
}

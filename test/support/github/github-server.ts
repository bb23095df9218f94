import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type DocumentNode, Kind, parse } from 'graphql';
import { answerGraphql } from './answer-graphql.ts';
import { answerMutations } from './answer-mutations.ts';
import { answerProjects } from './answer-projects.ts';
import { answerPulls } from './answer-pulls.ts';
import { answerQueries, Views } from './answer-queries.ts';
import { answerRest } from './answer-rest.ts';
import { type Account, GitHubState } from './github-state.ts';
import { type ServedCode, servedCode } from './served-code.ts';

/**
 * GitHub as far as it is used here: its GraphQL by the vendor's own schema, which refuses what that does not have, and some
 * REST. It holds state and history, counts requests and points, and can be told to fail.
 */
export interface GitHubServer {
  readonly endpoint: string;
  readonly token: string;
  /** Another token of the same account, for git and pull requests. */
  readonly gitToken: string;
  readonly state: GitHubState;
  /** Whom the token belongs to. */
  readonly viewer: Account;
  /** Every request that came, in order. */
  readonly log: ServedRequest[];
  readonly quota: { limit: number; remaining: number; resetAt: number };
  /** Ids of issues of which something comes in a form that it should not have. */
  readonly spoilt: Set<string>;
  /** The next request of this operation is not answered as it should be. */
  fail(operation: string, fault: Fault): void;
  /** Nothing is left of the quota until it is renewed. */
  useUpQuota(): void;
  /** From now on nobody is answered. */
  breakDown(): void;
  /** What happens once right after this root field was done, before the next one of the same request. */
  after(field: string, act: () => void): void;
  /** What happens once before the next request of this operation. */
  before(operation: string, act: () => void): void;
  readonly serveCode: ServedCode['serve'];
  close(): Promise<void>;
}

export interface ServedRequest {
  /** The name of the operation, or the path of a REST call. */
  readonly operation: string;
  readonly points: number;
  readonly nodes: number;
  readonly bytes: number;
  readonly token: string;
}

/** A status or a body instead of the answer; `lose` does what was asked, and drops the answer. */
export type Fault =
  | 'lose'
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json?: unknown };

export interface GitHubServerOptions {
  readonly viewer?: Account;
  readonly clock?: () => number;
}

export async function githubServer(options: GitHubServerOptions = {}): Promise<GitHubServer> {
  const state = new GitHubState(options.clock ?? Date.now);
  const viewer = options.viewer ?? { login: 'robot', kind: 'User' };
  state.accounts.set(viewer.login, viewer);
  const faults = queue<Fault>();
  const acts = queue<() => void>();
  const quota = { limit: 5_000, remaining: 5_000, resetAt: Date.now() + 3_600_000 };
  const log: ServedRequest[] = [];
  const token = 'ghp_testtokentesttokentesttoken';
  const gitToken = 'ghp_gittokengittokengittokengit';
  const code = servedCode(state, [token, gitToken]);
  let isDown = false;

  const actOn = (on: string) => acts.take(on)?.();
  const spoilt = new Set<string>();
  const views = new Views(state, () => viewer, spoilt);
  const root = rootOf(views, (field) => actOn(`after ${field}`));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isDown) return void response.destroy();
    if (code.take(request, response)) return;
    const body = await text(request);
    const asked = readRequest(request, body);
    actOn(`before ${asked.operation}`);
    const fault = faults.take(asked.operation);
    const by = request.headers.authorization?.replace(/^bearer /, '') ?? '';
    if (by !== token && by !== gitToken) return send(response, 401, { message: 'Bad credentials' });
    if (fault !== undefined && fault !== 'lose') {
      log.push({ operation: asked.operation, points: 0, nodes: 0, bytes: 0, token: by });
      return send(response, fault.status ?? 200, fault.json ?? {}, fault.headers);
    }
    const answer =
      asked.kind === 'rest' ? answerRest(state, asked.operation) : await answerGraphql(asked, root, quota);
    const bytes = Buffer.byteLength(JSON.stringify(answer.json));
    const { points, nodes } = answer;
    log.push({ operation: asked.operation, points, nodes, bytes, token: by });
    if (fault === 'lose') return void response.destroy();
    send(response, answer.status, answer.json, { ...quotaHeaders(quota), ...answer.headers });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => send(response, 500, { message: error.stack }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint: `${state.web}/api`,
    token,
    gitToken,
    state,
    viewer,
    log,
    quota,
    spoilt,
    fail: (operation, fault) => faults.put(operation, fault),
    useUpQuota: () => {
      quota.remaining = 0;
    },
    breakDown: () => {
      isDown = true;
    },
    after: (field, act) => acts.put(`after ${field}`, act),
    before: (operation, act) => acts.put(`before ${operation}`, act),
    serveCode: code.serve,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function rootOf(views: Views, after: (field: string) => void): Record<string, unknown> {
  return {
    ...answerQueries(views),
    ...answerMutations(views, after),
    ...answerProjects(views, after),
    ...answerPulls(views, after),
  };
}

/** Things that wait for their occasion, each for one. */
function queue<Thing>() {
  const waiting: { readonly on: string; readonly thing: Thing }[] = [];
  return {
    put: (on: string, thing: Thing) => void waiting.push({ on, thing }),
    take(on: string): Thing | undefined {
      const at = waiting.findIndex((one) => one.on === on);
      return at < 0 ? undefined : waiting.splice(at, 1)[0]!.thing;
    },
  };
}

type Asked =
  | { readonly kind: 'rest'; readonly operation: string }
  | {
      readonly kind: 'graphql';
      readonly operation: string;
      readonly document: DocumentNode;
      readonly variables: Readonly<Record<string, unknown>>;
    };

function readRequest({ url = '' }: IncomingMessage, body: string): Asked {
  if (url !== '/api/graphql') return { kind: 'rest', operation: url.replace(/^\/api\/v3/, '') };
  const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
  const document = parse(query);
  const named = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  return { kind: 'graphql', operation: named?.name?.value ?? '', document, variables: variables ?? {} };
}

function quotaHeaders({ limit, remaining, resetAt }: GitHubServer['quota']): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.floor(resetAt / 1_000)),
  };
}

function send(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(json));
}

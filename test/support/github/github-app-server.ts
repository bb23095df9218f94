import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { readBasic, serveGit } from '../git-server.ts';
import type { GitHubServer } from './github-server.ts';

/**
 * A GitHub App before a GitHub server: its own few endpoints, and everything else for whoever has a token of an
 * installation. It judges signatures, times and permissions as the vendor does.
 */
export interface GitHubAppServer {
  readonly endpoint: string;
  readonly appId: string;
  readonly privateKey: string;
  /** Installations by what they were made on, an `owner/repo` or an organisation; an id each. */
  readonly installed: Map<string, number>;
  /** What installations may do. */
  readonly granted: Record<string, 'read' | 'write'>;
  /** The tokens that were made, as long as they are taken. */
  readonly tokens: Map<string, MadeToken>;
  /** The tokens that git was served by. */
  readonly reachedGit: Set<string>;
  /** Every call of an App's own endpoint. */
  readonly calls: string[];
  /** How long a new token lasts. */
  lastsMs: number;
  /** The server's own clock. */
  now: () => number;
  close(): Promise<void>;
}

export interface MadeToken {
  readonly repositories: readonly string[] | undefined;
  readonly permissions: Readonly<Record<string, string>>;
}

export interface BehindApp {
  /** Boards. */
  readonly github?: GitHubServer;
  /** The bare repository that is served as `acme/web`. */
  readonly repository?: string;
}

export async function githubAppServer(behind: BehindApp = {}): Promise<GitHubAppServer> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const publicKey = createPublicKey(keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const http = createServer((request, response) => {
    serve(server, { behind, publicKey }, request, response).catch((error: Error) =>
      send(response, 500, { message: error.message }),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  if (behind.repository !== undefined)
    execFileSync('git', ['--git-dir', behind.repository, 'config', 'http.receivepack', 'true']);
  const server: GitHubAppServer = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}/api`,
    appId: '4242',
    // As the vendor makes it.
    privateKey: keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    installed: new Map(),
    granted: { contents: 'write', issues: 'write', pull_requests: 'write', metadata: 'read' },
    tokens: new Map(),
    reachedGit: new Set(),
    calls: [],
    lastsMs: 3_600_000,
    now: Date.now,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

interface Inside {
  readonly behind: BehindApp;
  readonly publicKey: KeyObject;
}

async function serve(
  server: GitHubAppServer,
  { behind, publicKey }: Inside,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request;
  if (behind.repository !== undefined && url.startsWith('/acme/web.git/'))
    return passToGit(server, behind.repository, request, response);
  const body = await text(request);
  const path = url.replace(/^\/api\/v3/, '');
  const [, scope] = /^\/(?:repos|orgs)\/(.+)\/installation$/.exec(path) ?? [];
  const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
  if (scope === undefined && id === undefined && path !== '/installation/token')
    return passOn(server, behind.github, request, body, response);
  server.calls.push(`${method} ${path}`);
  if (path === '/installation/token')
    return send(response, server.tokens.delete(bearerOf(request)) ? 204 : 401, {});
  const message = refuseJwt(server, publicKey, bearerOf(request));
  if (message !== undefined) return send(response, 401, { message });
  if (scope === undefined) return makeToken(server, Number(id), JSON.parse(body) as Asked, response);
  const found = server.installed.get(scope);
  if (found === undefined) send(response, 404, { message: 'Not Found' });
  else send(response, 200, { id: found });
}

/** Undefined where the caller is the App; else why it is not. */
function refuseJwt(server: GitHubAppServer, publicKey: KeyObject, jwt: string): string | undefined {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  if (!verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url')))
    return 'A JSON web token could not be decoded';
  const { iat, exp, iss } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, number>;
  const at = server.now() / 1_000;
  if (String(iss) !== server.appId) return 'Integration not found';
  if (iat === undefined || iat > at) return "'Issued at' claim ('iat') must be an Integer";
  return exp === undefined || exp <= at || exp > at + 600 ? "'Expiration time' claim" : undefined;
}

function makeToken(
  server: GitHubAppServer,
  id: number,
  { repositories, permissions }: Asked,
  response: ServerResponse,
): void {
  const places = [...server.installed].filter(([, one]) => one === id).map(([place]) => place);
  if (places.length === 0) {
    send(response, 404, { message: 'Not Found' });
    return;
  }
  const isSeen = (name: string) => places.some((place) => place.endsWith(`/${name}`));
  const isGranted = ([name, level]: readonly [string, string]) =>
    server.granted[name] === level || server.granted[name] === 'write';
  if (!(repositories ?? []).every(isSeen) || !Object.entries(permissions ?? {}).every(isGranted)) {
    send(response, 422, { message: 'The permissions requested are not granted' });
    return;
  }
  const token = `ghs_${server.appId}_made-token-${server.calls.length}`;
  server.tokens.set(token, { repositories, permissions: permissions ?? server.granted });
  const expires_at = new Date(server.now() + server.lastsMs).toISOString();
  send(response, 201, { token, expires_at });
}

/** Git, for whoever has a token that may write there. */
function passToGit(
  server: GitHubAppServer,
  repository: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [, token = ''] = /^x-access-token:(.*)$/.exec(readBasic(request.headers.authorization) ?? '') ?? [];
  const { permissions, repositories } = server.tokens.get(token) ?? {};
  if (permissions?.contents !== 'write' || !(repositories ?? ['web']).includes('web')) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
    return;
  }
  server.reachedGit.add(token);
  const path = (request.url ?? '').replace('/acme/web.git', `/${basename(repository)}`);
  serveGit(dirname(repository), path, request, response);
}

/** The board, for whoever has a token of an installation. */
async function passOn(
  server: GitHubAppServer,
  github: GitHubServer | undefined,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  if (github === undefined || !server.tokens.has(bearerOf(request)))
    return send(response, 401, { message: 'Bad credentials' });
  const { method = 'GET', url = '' } = request;
  const answer = await fetch(new URL(url, github.endpoint), {
    method,
    headers: { authorization: `bearer ${github.token}`, 'content-type': 'application/json' },
    body: method === 'GET' ? null : body,
  });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
}

function bearerOf({ headers }: IncomingMessage): string {
  return (headers.authorization ?? '').slice('bearer '.length);
}

interface Asked {
  readonly repositories?: readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
}

function send(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(status === 204 ? undefined : JSON.stringify(json));
}

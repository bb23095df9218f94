import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

/** A code host over HTTP: git's own server for the repositories of a folder, behind tokens that can be revoked. */
export interface GitServer {
  /** Where repositories are served; without a slash at its end. */
  readonly url: string;
  /** Where a DELETE with a token as bearer ends it. */
  readonly revokeUrl: string;
  /** The passwords that are taken now. */
  readonly taken: Set<string>;
  /** Every request: its line, and who asked, as `username:password`. */
  readonly asked: {
    readonly line: string;
    readonly who: string | undefined;
    readonly headers: IncomingHttpHeaders;
  }[];
  /** The bearers of every DELETE. */
  readonly revoked: string[];
  /** Whether a DELETE is answered. */
  answersRevocation: boolean;
  close(): void;
}

export async function startGitServer(repository: string): Promise<GitServer> {
  const root = dirname(repository);
  execFileSync('git', ['--git-dir', repository, 'config', 'http.receivepack', 'true']);
  const http = createServer((request, response) => {
    const who = readBasic(request.headers.authorization);
    server.asked.push({ line: `${request.method} ${request.url}`, who, headers: request.headers });
    if (request.method === 'DELETE') return revoke(request, response);
    if (who === undefined || !server.taken.has(who.slice(who.indexOf(':') + 1)))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end();
    serveGit(root, request.url ?? '/', request, response);
  });

  function revoke({ headers }: IncomingMessage, response: ServerResponse): void {
    const bearer = headers.authorization?.replace(/^Bearer /, '') ?? '';
    server.revoked.push(bearer);
    if (!server.answersRevocation) return;
    response.writeHead(server.taken.delete(bearer) ? 204 : 401).end();
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: GitServer = {
    url,
    revokeUrl: `${url}/installation/token`,
    taken: new Set(),
    asked: [],
    revoked: [],
    answersRevocation: true,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
  return server;
}

/** `username:password` of a request that names them. */
export function readBasic(header: string | undefined): string | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(header ?? '') ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

const execPath = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();

/** Git's own program speaks CGI: headers, an empty line, the body. */
export function serveGit(
  root: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(path, 'http://localhost');
  const backend = spawn(join(execPath, 'git-http-backend'), {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: 'turn',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number(headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(all.subarray(end + 4));
  });
}

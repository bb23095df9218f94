import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJson, type HttpAnswer, type HttpRequest, readRequest } from './http-request.ts';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface Route {
  readonly prefix: string;
  readonly method: string;
  readonly handle: (request: HttpRequest) => Promise<HttpAnswer>;
}

/**
 * Serves on loopback only. What goes wrong inside is answered 500 and told to `onProblem`; nothing of it goes out. Throws
 * when the port is taken.
 */
export async function httpServer(
  port: number,
  routes: readonly Route[],
  onProblem: (message: string) => void,
): Promise<HttpServer> {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(request).catch(() => undefined);
    if (read === undefined) return void response.destroy();
    try {
      send(response, read === 'too-large' ? tooLarge : await route(routes, read));
    } catch (error) {
      onProblem(`${request.method} ${pathOf(request.url)}: ${messageOf(error)}`);
      send(response, answerJson(500, { error: 'it failed; the host has said why' }));
    }
  }
  const server = createServer((request, response) => void serve(request, response));
  server.requestTimeout = 30_000;
  server.headersTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(describeListenError(error, port)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // A turn that is just asking gets its answer; after a second nobody is waited for.
        setTimeout(() => server.closeAllConnections(), 1_000).unref();
      }),
  };
}

const tooLarge = answerJson(413, { error: 'the body is larger than 1 MB' });

async function route(routes: readonly Route[], request: HttpRequest): Promise<HttpAnswer> {
  const found = routes.find(({ prefix }) => request.rawPath.startsWith(prefix));
  if (found === undefined) return answerJson(404, { error: 'there is nothing here' });
  if (found.method !== request.method)
    return answerJson(405, { error: `only ${found.method} is answered here` });
  return found.handle(request);
}

function send(response: ServerResponse, { statusCode, headers = {}, body }: HttpAnswer): void {
  // After a refusal of a large body the rest of it is not waited for.
  const closing = statusCode === 413 ? { connection: 'close' } : {};
  for (const [name, value] of Object.entries({ ...headers, ...closing }))
    response.setHeader(name, String(value));
  response.writeHead(statusCode).end(body);
}

/** Turn ids and operations stand in paths, nothing secret. */
function pathOf(url: string | undefined): string {
  return (url ?? '/').split('?')[0]!.slice(0, 200);
}

function describeListenError({ code, message }: NodeJS.ErrnoException, port: number): Error {
  const why = code === 'EADDRINUSE' ? 'it is in use by another program' : message;
  return new Error(
    `Port ${port} on 127.0.0.1 cannot be listened on: ${why}. Choose another one with --port, or none.`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers as it is told, one answer for one request; the last answer is repeated. */
export interface ScriptedServer {
  readonly endpoint: string;
  readonly requests: ReceivedRequest[];
  answer(...answers: readonly ScriptedAnswer[]): void;
  close(): Promise<void>;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type ScriptedAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
    }
  /** Takes the request and says nothing, closes the connection, or breaks off within the body. */
  | 'silence'
  | 'hang-up'
  | 'break-off';

export async function scriptedServer(): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  let script: ScriptedAnswer[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers, body });
    const next = script.length > 1 ? script.shift()! : script[0];
    give(response, next ?? { status: 404 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/api`,
    requests,
    answer: (...answers) => {
      script = [...answers];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function give(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer === 'silence') return;
  if (answer === 'hang-up') {
    response.destroy();
    return;
  }
  if (answer === 'break-off') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"data":', () => response.destroy());
    return;
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
}

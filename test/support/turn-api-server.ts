import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type GitTokenAnswer,
  gitTokenRequestSchema,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  heartbeatRequestSchema,
  type KeepWorkAnswer,
  keepWorkRequestSchema,
  type ResultAnswer,
  resultRequestSchema,
  type StartAnswer,
  type StartRequest,
  startRequestSchema,
  type TurnResult,
} from '../../lib/core/turn-protocol.ts';

/** A turn API that says what a test tells it to say, over real HTTP, and remembers what it was told. */
export interface TurnApiServer {
  /** The path of the file that names its address, as a host writes it. */
  readonly hostFile: string;
  readonly heard: {
    readonly start: StartRequest[];
    readonly heartbeat: HeartbeatRequest[];
    readonly result: TurnResult[];
    /** The authorization of every call, in order. */
    readonly bearers: string[];
  };
  /** What is answered from now on; a function that throws answers with status 503. */
  readonly says: {
    start: () => StartAnswer;
    heartbeat: (heard: HeartbeatRequest) => HeartbeatAnswer;
    gitToken: () => GitTokenAnswer;
    keepWork: (bytes: number) => KeepWorkAnswer;
    result: () => ResultAnswer;
  };
  /** Goes away as a killed host does; its file stays and is wrong. */
  goAway(): Promise<void>;
  /** Comes back as a restarted host does: at another port. */
  comeBack(): Promise<void>;
}

export async function startTurnApiServer(dir: string, start: () => StartAnswer): Promise<TurnApiServer> {
  const hostFile = join(dir, 'host.json');
  const heard: TurnApiServer['heard'] = { start: [], heartbeat: [], result: [], bearers: [] };
  const says: TurnApiServer['says'] = {
    start,
    heartbeat: () => ({ answer: 'go' }),
    gitToken: () => ({ answer: 'go' }),
    keepWork: () => ({ answer: 'go' }),
    result: () => ({ answer: 'go' }),
  };
  let server: Server | undefined;

  function answer(path: string, body: unknown): unknown {
    if (path.endsWith('/start')) {
      heard.start.push(startRequestSchema.parse(body));
      return says.start();
    }
    if (path.endsWith('/heartbeat')) {
      const request = heartbeatRequestSchema.parse(body);
      heard.heartbeat.push(request);
      return says.heartbeat(request);
    }
    if (path.endsWith('/git-token')) {
      gitTokenRequestSchema.parse(body);
      return says.gitToken();
    }
    if (path.endsWith('/keep-work')) return says.keepWork(keepWorkRequestSchema.parse(body).bytes);
    const { result } = resultRequestSchema.parse(body);
    const said = says.result();
    if (said.answer === 'go') heard.result.push(result);
    return said;
  }

  async function comeBack(): Promise<void> {
    server = createServer(async (request, response) => {
      heard.bearers.push(`${request.url} ${request.headers.authorization}`);
      try {
        const said = answer(request.url ?? '', await readJson(request));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
      } catch (error) {
        response.writeHead(503).end((error as Error).message);
      }
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const file = { url: `http://127.0.0.1:${port}`, token: 'of no concern to a turn', pid: process.pid };
    await rm(hostFile, { force: true });
    await writeFile(hostFile, JSON.stringify(file), { mode: 0o600 });
  }

  async function goAway(): Promise<void> {
    const leaving = server;
    server = undefined;
    leaving?.closeAllConnections();
    await new Promise<void>((resolve) =>
      leaving === undefined ? resolve() : leaving.close(() => resolve()),
    );
  }

  await comeBack();
  return { hostFile, heard, says, goAway, comeBack };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

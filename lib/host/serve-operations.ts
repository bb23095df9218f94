import * as z from 'zod';
import type { Operations } from '../controller/operations.ts';
import { answerJson, type HttpRequest } from './http-request.ts';
import type { Route } from './http-server.ts';
import { programVersion } from './program-version.ts';
import { isSameText } from './same-text.ts';

/** Where the operations are, and what each takes; the host answers `{ "answer": … }` or `{ "error": sentence }`. */
export const operationsPath = '/operations/';

export interface OperationsServer {
  /** The bearer; webhooks may be tunnelled to the same port, so being on this machine is not enough. */
  readonly token: string;
  readonly operations: Operations;
  /** The operations over other workflow files. */
  readonly operationsWith: (workflowFiles: readonly string[]) => Promise<Pick<Operations, 'plan'>>;
}

const requests = {
  ping: z.strictObject({}),
  status: z.strictObject({}),
  plan: z.strictObject({ workflows: z.array(z.string()).optional() }),
  explain: z.strictObject({ key: z.string(), board: z.string().optional() }),
  history: z.strictObject({ key: z.string().optional() }),
  tick: z.strictObject({}),
  pause: z.strictObject({ board: z.string().optional() }),
  resume: z.strictObject({ board: z.string().optional() }),
} as const;

export type OperationRequests = {
  readonly [Name in keyof typeof requests]: z.input<(typeof requests)[Name]>;
};

/** What people may ask of the running host, for the command line on the same machine. */
export function serveOperations(server: OperationsServer): Route {
  const calls = operationCalls(server);
  return {
    prefix: operationsPath,
    method: 'POST',
    handle: async (request) => {
      const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!isSameText(bearer, server.token))
        return answerJson(401, { error: 'the bearer in host.json is needed' });
      const name = request.rawPath.slice(operationsPath.length);
      const call = Object.hasOwn(calls, name) ? calls[name as keyof typeof calls] : undefined;
      if (call === undefined)
        return answerJson(404, { error: `there is no operation "${name.slice(0, 100)}"` });
      try {
        return answerJson(200, { answer: await call(parseBody(request)) });
      } catch (error) {
        const isWrong = error instanceof z.ZodError || error instanceof SyntaxError;
        return answerJson(isWrong ? 400 : 500, { error: describe(error) });
      }
    },
  };
}

function operationCalls({ operations, operationsWith }: OperationsServer) {
  return {
    ping: async (body: unknown) => {
      requests.ping.parse(body);
      return { version: programVersion };
    },
    status: (body: unknown) => {
      requests.status.parse(body);
      return operations.status();
    },
    plan: async (body: unknown) => {
      const { workflows } = requests.plan.parse(body);
      return (workflows === undefined ? operations : await operationsWith(workflows)).plan();
    },
    explain: (body: unknown) => {
      const { key, board } = requests.explain.parse(body);
      return operations.explain(key, board);
    },
    history: (body: unknown) => operations.history(requests.history.parse(body).key),
    tick: (body: unknown) => {
      requests.tick.parse(body);
      return operations.tick();
    },
    pause: (body: unknown) => operations.pause(requests.pause.parse(body).board),
    resume: (body: unknown) => operations.resume(requests.resume.parse(body).board),
  } satisfies Record<keyof typeof requests, (body: unknown) => Promise<unknown>>;
}

function parseBody({ body }: HttpRequest): unknown {
  const text = Buffer.from(body, 'base64').toString('utf8');
  return text === '' ? {} : JSON.parse(text);
}

function describe(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

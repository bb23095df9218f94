import * as z from 'zod';
import type { Operations } from '../controller/operations.ts';
import type { HostFile } from './host-file.ts';
import { type OperationRequests, operationsPath } from './serve-operations.ts';

/** A tick may take its whole budget, twice. */
const patienceMs = 300_000;

export type RemoteHost = Pick<HostFile, 'url' | 'token'>;

/**
 * The operations of a running host, asked over loopback. `planWith` are the absolute paths of workflow files to plan with
 * instead of those that are served. What the host refuses is thrown as its own sentence.
 */
export function remoteOperations(host: RemoteHost, planWith?: readonly string[]): Operations {
  const ask = <Answer>(name: keyof OperationRequests, body: object) =>
    // Both sides are the same program of the same version, which whoever connects has checked.
    askHost(host, name, body, patienceMs) as Promise<Answer>;
  return {
    status: () => ask('status', {}),
    plan: () => ask('plan', planWith === undefined ? {} : { workflows: planWith }),
    explain: (key, board) => ask('explain', { key, board }),
    history: (key) => ask('history', { key }),
    tick: () => ask('tick', {}),
    pause: (board) => ask('pause', { board }),
    resume: (board) => ask('resume', { board }),
  };
}

/** The version of the program that answers there; undefined when none does. */
export async function pingHost(host: RemoteHost): Promise<string | undefined> {
  try {
    return z.object({ version: z.string() }).parse(await askHost(host, 'ping', {}, 10_000)).version;
  } catch {
    return undefined;
  }
}

const answerSchema = z.union([z.object({ answer: z.unknown() }), z.object({ error: z.string() })]);

async function askHost(host: RemoteHost, name: string, body: object, timeoutMs: number): Promise<unknown> {
  const response = await fetch(`${host.url}${operationsPath}${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${host.token}` },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(
      `The running host at ${host.url} does not answer (${causeOf(error)}). Ask again, or restart it.`,
    );
  });
  const answered = answerSchema.parse(await response.json());
  if ('error' in answered) throw new Error(answered.error);
  return answered.answer;
}

function causeOf(error: unknown): string {
  const { code, name } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? name;
}

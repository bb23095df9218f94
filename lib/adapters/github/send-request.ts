import * as z from 'zod';
import { describeSilence, isTimeout, whereToLook } from './describe-silence.ts';
import { GitHubError } from './github-error.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when the body is no JSON. */
  readonly json: unknown;
  /** What the vendor says of a refusal, in one short line. */
  readonly message: string;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly timeoutMs: number;
}

/**
 * Sends one request and reads its whole answer within the time. A read is led on once within the same server, as the vendor
 * asks for by the name that a repository had before; any other redirect is not followed, because it would lead a token, or a
 * write, to another place. Throws an `unreachable` or `broken` error where no whole answer came.
 */
export async function sendRequest(request: Request, token: string, userAgent: string): Promise<Reply> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const headers = {
    authorization: `bearer ${checkToken(token)}`,
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-github-api-version': '2022-11-28',
  };
  const { method, url, body = null } = request;
  const ask = (at: string) => fetch(at, { method, headers, body, signal, redirect: 'manual' });
  let response: Response;
  try {
    response = await ask(url);
    const next = method === 'GET' ? findNext(response, url) : undefined;
    if (next !== undefined) {
      await response.body?.cancel();
      response = await ask(next);
    }
  } catch (error) {
    throw new GitHubError(
      isTimeout(error) ? 'late' : 'unreachable',
      `GitHub did not answer: ${describeSilence(error, url, request.timeoutMs)}`,
    );
  }
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new GitHubError(
      isTimeout(error) ? 'late' : 'broken',
      `an answer of GitHub was cut off: ${describeSilence(error, url, request.timeoutMs)}`,
    );
  }
  const json = parseJson(text);
  if (json === undefined && response.ok && response.status !== 204)
    throw new GitHubError(
      'broken',
      `${new URL(url).host} answered, but not as GitHub does; ${whereToLook(url)}`,
    );
  return { status: response.status, headers: response.headers, json, message: messageOf(json) };
}

/** Where a redirect leads, if that is at the same server. */
function findNext({ status, headers }: Response, url: string): string | undefined {
  const location = headers.get('location');
  if (![301, 302, 307, 308].includes(status) || location === null || !URL.canParse(location, url))
    return undefined;
  const next = new URL(location, url);
  return next.origin === new URL(url).origin ? next.href : undefined;
}

/** A header that cannot be sent would be quoted by the error about it. */
function checkToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new GitHubError(
    'unauthorized',
    'the token for GitHub is empty or holds characters that no token has',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refusalSchema = z.object({ message: z.string() });

function messageOf(json: unknown): string {
  const { data } = refusalSchema.safeParse(json);
  return data === undefined ? '' : data.message.replace(/\s+/g, ' ').slice(0, 200);
}

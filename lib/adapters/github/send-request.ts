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
 * Sends one request and reads its whole answer within the time. Redirects are not followed: they would lead a token, or a
 * read of an issue, to another place. Throws an `unreachable` or `broken` error where no whole answer came.
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
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
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

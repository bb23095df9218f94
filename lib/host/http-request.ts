import type { IncomingMessage } from 'node:http';

/** A request in the form in which API Gateway hands it to the handlers. */
export interface HttpRequest {
  readonly method: string;
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: true;
}

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly body?: string | undefined;
}

const mostBytes = 1024 * 1024;

/** Reads a request, or answers `too-large` without reading on. Throws when the caller hangs up. */
export async function readRequest(request: IncomingMessage): Promise<HttpRequest | 'too-large'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return 'too-large';
    chunks.push(chunk);
  }
  return {
    method: request.method ?? 'GET',
    rawPath: new URL(request.url ?? '/', 'http://127.0.0.1').pathname,
    headers: headersOf(request),
    body: Buffer.concat(chunks).toString('base64'),
    isBase64Encoded: true,
  };
}

export function answerJson(statusCode: number, body: unknown): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

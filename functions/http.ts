import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** What the handlers read of an HTTP request, in the form in which API Gateway hands it over. */
export type HttpEvent = Pick<APIGatewayProxyEventV2, 'headers' | 'body' | 'isBase64Encoded'>;

/** The raw bytes of the body, as they were signed. */
export function bodyOf({ body, isBase64Encoded }: HttpEvent): Uint8Array {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}

/** Who asks, by what only it knows; undefined when it does not say. */
export function bearerOf(event: HttpEvent): string | undefined {
  return /^Bearer (\S+)$/i.exec(headersOf(event).authorization ?? '')?.[1];
}

/** Headers with lower-cased names. */
export function headersOf({ headers }: HttpEvent): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value ?? '']),
  );
}

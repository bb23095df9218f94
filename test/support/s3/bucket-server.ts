import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BucketServer {
  readonly endpoint: string;
  /** What lies in the bucket, by its key. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Every answer, in order. */
  readonly statuses: readonly number[];
  /** The next requests are answered with these, and keep nothing. */
  fail(...statuses: readonly number[]): void;
  stop(): Promise<void>;
}

/** The access with which addresses are signed that this server takes. */
export const bucketAccess = { accessKeyId: 'test', secretAccessKey: 'test' };

/**
 * A store of objects that takes what an address signed beforehand allows and nothing else: one key, one method, the headers
 * that were signed, for as long as it said. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export async function startBucketServer(): Promise<BucketServer> {
  const objects = new Map<string, Buffer>();
  const statuses: number[] = [];
  const failing: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname } = new URL(request.url ?? '/', 'http://bucket');
    const status = failing.shift() ?? (isSigned(request) && request.method === 'PUT' ? 200 : 403);
    if (status === 200) objects.set(pathname.replace(/^\/[^/]+\//, ''), Buffer.concat(chunks));
    statuses.push(status);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    statuses,
    fail: (...next) => void failing.push(...next),
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isSigned({ url = '/', method = '', headers }: IncomingMessage): boolean {
  const { pathname, searchParams } = new URL(url, 'http://bucket');
  const said = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const signedAt = Date.parse(said('Date').replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  const isInTime = Date.now() < signedAt + Number(said('Expires')) * 1_000;
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const signed = said('SignedHeaders').split(';');
  const canonical = [
    method,
    pathname,
    query.join('&'),
    ...signed.map((name) => `${name}:${headers[name] ?? ''}`),
    '',
    signed.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const [accessKeyId, ...scope] = said('Credential').split('/');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', said('Date'), scope.join('/'), digest].join('\n');
  const first: string | Buffer = `AWS4${bucketAccess.secretAccessKey}`;
  const key = scope.reduce<string | Buffer>((under, part) => sign(under, part), first);
  const isTrue = sign(key, text).toString('hex') === said('Signature');
  return isTrue && isInTime && accessKeyId === bucketAccess.accessKeyId;
}

function sign(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

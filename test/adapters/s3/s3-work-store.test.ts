import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { s3Client, s3WorkStore } from '../../../lib/adapters/s3/s3-work-store.ts';
import type { WorkPlace } from '../../../lib/controller/ports.ts';
import type { TurnId } from '../../../lib/core/issue.ts';
import { type BucketServer, bucketAccess, startBucketServer } from '../../support/s3/bucket-server.ts';

const turnId = '1-abc' as TurnId;
let server: BucketServer;
beforeEach(async () => {
  server = await startBucketServer();
  // As a function is told it.
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', bucketAccess.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucketAccess.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

async function offer(bytes: number): Promise<WorkPlace> {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', server.endpoint);
  const place = await s3WorkStore({ client: s3Client(), bucket: 'kept' }).offer(turnId, bytes);
  if (place === 'none') throw new Error('no place was offered');
  return place;
}

const put = async (url: string, body: string, method = 'PUT') =>
  (await fetch(url, { method, ...(method === 'PUT' && { body }) })).status;

describe('the place for the bundle of a turn', () => {
  test('takes what was told of, under the name of the turn', async () => {
    const { uploadUrl, address } = await offer(5);
    expect(address).toBe('s3://kept/turns/1-abc.bundle');
    expect(await put(uploadUrl, 'bytes')).toBe(200);
    expect(server.objects.get('turns/1-abc.bundle')?.toString()).toBe('bytes');
  });

  test('is the same one when it is asked for again', async () => {
    await put((await offer(5)).uploadUrl, 'first');
    await put((await offer(6)).uploadUrl, 'second');
    expect([...server.objects.keys()]).toEqual(['turns/1-abc.bundle']);
  });

  test.each([
    ['more than was told of', (url: string) => put(url, 'much more')],
    ['less than was told of', (url: string) => put(url, 'b')],
    ['the bundle of another turn', (url: string) => put(url.replace('1-abc', '1-abd'), 'bytes')],
    ['to be read', (url: string) => put(url, '', 'GET')],
    ['to be deleted', (url: string) => put(url, '', 'DELETE')],
  ])('does not take %s', async (_, use) => {
    const { uploadUrl } = await offer(5);
    expect(await use(uploadUrl)).toBe(403);
    expect(server.objects.size).toBe(0);
  });

  test('is there for a quarter of an hour', async () => {
    const { uploadUrl } = await offer(5);
    expect(new URL(uploadUrl).searchParams.get('X-Amz-Expires')).toBe('900');
  });

  test('is reached over an encrypted connection, where nobody says otherwise', async () => {
    const place = await s3WorkStore({ client: s3Client(), bucket: 'kept' }).offer(turnId, 5);
    expect(place).toMatchObject({
      uploadUrl: expect.stringMatching(
        /^https:\/\/kept\.s3\.eu-west-1\.amazonaws\.com\/turns\/1-abc\.bundle\?/,
      ),
    });
  });
});

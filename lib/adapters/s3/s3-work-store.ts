import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { WorkStore } from '../../controller/ports.ts';
import { workPrefix } from './work-prefix.ts';

export interface S3WorkStoreOptions {
  readonly client: S3Client;
  readonly bucket: string;
}

/** Long enough for a large bundle over a slow line, and for its second try. */
const validSeconds = 15 * 60;

/**
 * A bucket with one object for each turn that needed it. The place is an address that was signed here and now: nobody is
 * asked, and whoever has it can put one object of exactly the size that was signed, with no right to read, list or delete.
 */
export function s3WorkStore({ client, bucket }: S3WorkStoreOptions): WorkStore {
  return {
    offer: async (turnId, bytes) => {
      const key = `${workPrefix}${turnId}.bundle`;
      const put = new PutObjectCommand({ Bucket: bucket, Key: key, ContentLength: bytes });
      const uploadUrl = await getSignedUrl(client, put, { expiresIn: validSeconds });
      return { uploadUrl, address: `s3://${bucket}/${key}` };
    },
  };
}

/** Otherwise an address would demand a checksum of a body that is not here. */
export const s3Settings = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

/** Region and credentials come from the environment. */
export function s3Client(): S3Client {
  return new S3Client(s3Settings);
}

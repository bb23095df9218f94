import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Where the database is; nothing of it is needed on AWS, where region and credentials come from the environment. */
export interface DynamodbPlace {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Speaks over this local socket instead of the network. */
  readonly socketPath?: string | undefined;
}

/**
 * A client that gives up early: a call is answered within 2 seconds or repeated once with the same bytes, so that a tick
 * always keeps time to find out what became of it.
 */
export function dynamodbClient(place: DynamodbPlace = {}): DynamoDBClient {
  const { endpoint, region, credentials, socketPath } = place;
  return new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: callTimeoutMs,
      requestTimeout: callTimeoutMs,
      // Without it the time is only warned of.
      throwOnRequestTimeout: true,
      ...(socketPath === undefined ? {} : { httpAgent: { socketPath } }),
    },
  });
}

const callTimeoutMs = 2_000;

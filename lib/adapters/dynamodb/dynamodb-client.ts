import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Where the database is; nothing of it is needed on AWS, where region and credentials come from the environment. */
export interface DynamodbPlace {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whose credentials and region to take, of those that this machine's user has configured. */
  readonly profile?: string | undefined;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Speaks over this local socket instead of the network. */
  readonly socketPath?: string | undefined;
  /** How long a call may take, in milliseconds. @default 2000 */
  readonly timeoutMs?: number | undefined;
}

/**
 * A client that gives up early: a call is answered in time or repeated once with the same bytes, so that a tick always keeps
 * time to find out what became of it.
 */
export function dynamodbClient(place: DynamodbPlace = {}): DynamoDBClient {
  const { endpoint, region, profile, credentials, socketPath, timeoutMs = 2_000 } = place;
  return new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      // Without it the time is only warned of.
      throwOnRequestTimeout: true,
      ...(socketPath === undefined ? {} : { httpAgent: { socketPath } }),
    },
  });
}

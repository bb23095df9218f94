import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';

/** A log that somebody may still be writing. */
export interface LogStream {
  /**
   * What was written since the last call, oldest first, a page at a time. Nothing where nothing was written yet, which
   * cannot be told from a log that was deleted. Throws when the service does not answer, or refuses to.
   */
  readNew(): AsyncIterable<readonly string[]>;
}

export interface LogStreamOptions {
  readonly client: CloudWatchLogsClient;
  readonly group: string;
  readonly stream: string;
  /** Lines a page; the service has at most 10,000 and 1 MB. */
  readonly pageSize?: number;
}

/** Reads one stream of a log group from its beginning, and reads on where it stopped. */
export function logStream({ client, group, stream, pageSize = 1_000 }: LogStreamOptions): LogStream {
  let nextToken: string | undefined;

  async function readPage() {
    try {
      return await client.send(
        new GetLogEventsCommand({
          logGroupName: group,
          logStreamName: stream,
          startFromHead: true,
          limit: pageSize,
          nextToken,
        }),
      );
    } catch (error) {
      if ((error as Error).name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }

  return {
    async *readNew() {
      for (;;) {
        const page = await readPage();
        const lines = (page?.events ?? []).map(({ message }) => message ?? '');
        if (lines.length > 0) yield lines;
        // A page may be empty before the end; only at the end is the token the one that was sent.
        if (page?.nextForwardToken === undefined || page.nextForwardToken === nextToken) return;
        nextToken = page.nextForwardToken;
      }
    },
  };
}

/** Where the service is, and as who it is asked; by default as the environment says. */
export function cloudwatchLogsClient(place: { readonly region?: string; readonly profile?: string }) {
  return new CloudWatchLogsClient({ ...place, maxAttempts: 3 });
}

import { type JsonService, startJsonService } from './json-service.ts';

export interface LogServer extends JsonService {
  /** The lines of each stream, by `group stream`. */
  readonly streams: Map<string, string[]>;
}

/**
 * Log streams over HTTP, page by page. As the service documents it: a page may be empty before the end, which only the
 * token that was sent says, and a stream that was never written is an error.
 */
export async function startLogs(): Promise<LogServer> {
  const streams = new Map<string, string[]>();
  const service = await startJsonService({
    GetLogEvents: ({ logGroupName, logStreamName, limit, nextToken, startFromHead }) => {
      const lines = streams.get(`${logGroupName} ${logStreamName}`);
      if (lines === undefined) throw new Error('ResourceNotFoundException');
      if (startFromHead !== true) throw new Error('InvalidParameterException');
      const [, from, isEmptySeen] = /^f\/(\d+)(e?)$/.exec(String(nextToken ?? 'f/0')) ?? [];
      const start = Number(from);
      // The first page of what was read before is empty once, as a search that is still under way.
      const isEmpty = start > 0 && isEmptySeen === '' && start < lines.length;
      const end = isEmpty ? start : Math.min(lines.length, start + Number(limit));
      return {
        events: lines.slice(start, end).map((message) => ({ message, timestamp: 1, ingestionTime: 1 })),
        nextForwardToken: isEmpty ? `f/${start}e` : end === start ? nextToken : `f/${end}`,
        nextBackwardToken: 'b/0',
      };
    },
  });
  return { ...service, streams };
}

import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Clock, TickTrigger } from '../../controller/ports.ts';

export interface EventbridgeTriggerOptions {
  readonly client: EventBridgeClient;
  /** Name or ARN of the bus. */
  readonly bus: string;
  readonly source: string;
  readonly detailType: string;
  readonly clock: Clock;
  /** A request serves every hint that comes within this time after it: at most as long as a requested tick waits before it begins. */
  readonly gapMs: number;
}

/**
 * Asks for an early tick by an event, which says nothing but that. Hints of a burst share one request: the tick that was
 * asked for has not begun, and what is counted by then it sees.
 */
export function eventbridgeTrigger(options: EventbridgeTriggerOptions): TickTrigger {
  const { clock, gapMs } = options;
  let latest: { readonly at: number; readonly sent: Promise<void> } | undefined;
  return {
    requestTick: async () => {
      const now = clock.now();
      if (latest === undefined || now - latest.at >= gapMs) {
        const request = { at: now, sent: send(options) };
        latest = request;
        request.sent.catch(() => {
          // Nobody was asked, so the next hint has to ask.
          if (latest === request) latest = undefined;
        });
      }
      await latest.sent;
    },
  };
}

/** A client that gives up early; region and credentials come from the environment. */
export function eventbridgeClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
}

async function send({ client, bus, source, detailType }: EventbridgeTriggerOptions): Promise<void> {
  const entry = { EventBusName: bus, Source: source, DetailType: detailType, Detail: '{}' };
  const { FailedEntryCount = 0, Entries = [] } = await client.send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  if (FailedEntryCount === 0) return;
  const { ErrorCode, ErrorMessage } = Entries[0] ?? {};
  throw new Error(
    `the early tick could not be asked for: ${ErrorCode ?? 'unknown'} ${ErrorMessage ?? ''}`.trim(),
  );
}

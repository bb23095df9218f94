/**
 * Verifies a tracker's delivery and asks for an early tick. Triggered by `POST /webhooks/<source>`. Nothing of the payload
 * is believed or used: a duplicate, a replay and a delivery that is hours late are each at most one more look at the board,
 * and a lost one waits for the schedule. Authentic deliveries are answered 202 whatever they say, others 401, never 5xx.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Ports } from '../lib/controller/ports.ts';
import { receiveHint } from '../lib/controller/receive-hint.ts';
import { bodyOf, type HttpEvent, headersOf } from './http.ts';

export const webhookHandler =
  (ports: Ports) =>
  async (
    event: HttpEvent & Pick<APIGatewayProxyEventV2, 'rawPath'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const name = /^\/webhooks\/([a-z-]+)$/.exec(event.rawPath)?.[1];
    const source =
      name !== undefined && Object.hasOwn(ports.webhooks, name) ? ports.webhooks[name] : undefined;
    if (source === undefined) return { statusCode: 404 };
    const authentic = await source.isAuthentic(headersOf(event), bodyOf(event)).catch(() => false);
    if (!authentic) return { statusCode: 401 };
    await receiveHint(ports, 'webhook');
    return { statusCode: 202 };
  };

/**
 * Verifies a tracker's delivery and asks for an early tick. Triggered by `POST /webhooks/<source>`. Nothing of the payload
 * is believed or used: a duplicate, a replay and a delivery that is hours late are each at most one more look at the board,
 * and a lost one waits for the schedule. Authentic deliveries are answered 202 whatever they say, others 401. Nothing that
 * comes in is answered 5xx: only where our own secret cannot be read it is 503, so that the sender shows or repeats it.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Delivery, Ports } from '../lib/controller/ports.ts';
import { type HintPorts, receiveHint } from '../lib/controller/receive-hint.ts';
import { bodyOf, type HttpEvent, headersOf } from './http.ts';

export const webhookHandler =
  (ports: HintPorts & Pick<Ports, 'webhooks'>) =>
  async (
    event: HttpEvent & Pick<APIGatewayProxyEventV2, 'rawPath'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const name = /^\/webhooks\/([a-z-]+)$/.exec(event.rawPath)?.[1];
    const source =
      name !== undefined && Object.hasOwn(ports.webhooks, name) ? ports.webhooks[name] : undefined;
    if (source === undefined) return { statusCode: 404 };
    const delivery = await source.judge(headersOf(event), bodyOf(event)).catch(() => 'forged' as const);
    if (delivery === 'hint') await receiveHint(ports, 'webhook');
    return { statusCode: statusCodes[delivery] };
  };

const statusCodes: Readonly<Record<Delivery, number>> = {
  hint: 202,
  irrelevant: 202,
  forged: 401,
  unjudged: 503,
};

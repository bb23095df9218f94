import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { turnApiHandler } from '../../functions/turn-api.ts';
import { webhookHandler } from '../../functions/webhook.ts';
import type { Ports } from '../controller/ports.ts';
import type { Route } from './http-server.ts';
import { type OperationsServer, serveOperations } from './serve-operations.ts';

/** What the loopback server answers: the handlers that run on AWS, called with the events they get there. */
export function hostRoutes(ports: Ports, operations: OperationsServer): readonly Route[] {
  const webhook = webhookHandler(ports);
  const turnApi = turnApiHandler(ports);
  return [
    { prefix: '/webhooks/', method: 'POST', handle: async (request) => toAnswer(await webhook(request)) },
    { prefix: '/turns/', method: 'POST', handle: async (request) => toAnswer(await turnApi(request)) },
    serveOperations(operations),
  ];
}

function toAnswer({ statusCode = 200, headers, body }: APIGatewayProxyStructuredResultV2) {
  return { statusCode, headers, body };
}

/**
 * The turn program, for a container that has Node and git and nothing of ours yet. Triggered by
 * `GET /turns/<turnId>/program` with the turn's ticket as bearer; asking again is harmless, and uses no ticket up. The
 * container compares the program's hash with the one that its task definition names before it runs it.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Seal } from '../lib/controller/ports.ts';
import { isTurnId } from '../lib/core/names.ts';
import { bearerOf, type HttpEvent } from './http.ts';

export const turnProgramHandler =
  ({ seal, program }: { readonly seal: Seal; readonly program: () => string }) =>
  async (
    event: HttpEvent & Pick<APIGatewayProxyEventV2, 'rawPath'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const turnId = /^\/turns\/([A-Za-z0-9-]+)\/program$/.exec(event.rawPath)?.[1];
    if (turnId === undefined || !isTurnId(turnId)) return { statusCode: 404 };
    const isTicket = seal.digest(bearerOf(event) ?? '') === seal.digest(seal.ticket(turnId));
    if (!isTicket) return { statusCode: 401 };
    return { statusCode: 200, headers: { 'content-type': 'text/javascript' }, body: program() };
  };

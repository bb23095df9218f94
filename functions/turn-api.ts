/**
 * What a running turn may ask: start, heartbeat, git-token, keep-work, result. Triggered by `POST /turns/<turnId>/<call>`. Every call checks that
 * the lease is this turn's; a repeated one gets the same answer, a late one of a revoked turn gets *stop*. When the ledger
 * does not answer the call fails with 503, and the turn asks again. Anybody may call: what is too large is refused unread.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod';
import type { Ports } from '../lib/controller/ports.ts';
import { serveGitToken } from '../lib/controller/serve-git-token.ts';
import { serveKeepWork } from '../lib/controller/serve-keep-work.ts';
import { serveHeartbeat, serveResult, serveStart } from '../lib/controller/serve-turn.ts';
import type { Served } from '../lib/controller/turn-caller.ts';
import type { TurnId } from '../lib/core/issue.ts';
import { isTurnId } from '../lib/core/names.ts';
import {
  gitTokenRequestSchema,
  heartbeatRequestSchema,
  keepWorkRequestSchema,
  limits,
  resultRequestSchema,
  startRequestSchema,
} from '../lib/core/turn-protocol.ts';
import { bearerOf, bodyOf, type HttpEvent } from './http.ts';

type Call = (ports: Ports, turnId: TurnId, bearer: string, body: unknown) => Promise<Served<object>>;

const calls: Readonly<Record<string, Call>> = {
  start: (ports, turnId, ticket, body) => serveStart(ports, turnId, ticket, startRequestSchema.parse(body)),
  heartbeat: (ports, turnId, key, body) =>
    serveHeartbeat(ports, turnId, key, heartbeatRequestSchema.parse(body)),
  'git-token': (ports, turnId, key, body) =>
    serveGitToken(ports, turnId, key, gitTokenRequestSchema.parse(body)),
  'keep-work': (ports, turnId, key, body) =>
    serveKeepWork(ports, turnId, key, keepWorkRequestSchema.parse(body)),
  result: (ports, turnId, key, body) => serveResult(ports, turnId, key, resultRequestSchema.parse(body)),
};

export const turnApiHandler =
  (ports: Ports) =>
  async (
    event: HttpEvent & Pick<APIGatewayProxyEventV2, 'rawPath'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const [, turnId, name] = /^\/turns\/([A-Za-z0-9-]+)\/([a-z-]+)$/.exec(event.rawPath) ?? [];
    const call = name !== undefined && Object.hasOwn(calls, name) ? calls[name] : undefined;
    if (call === undefined || turnId === undefined || !isTurnId(turnId))
      return answer(404, { error: 'no such call' });
    const bearer = bearerOf(event);
    if (bearer === undefined) return answer(401, { error: 'a bearer is missing' });
    const body = bodyOf(event);
    if (body.byteLength > limits.body)
      return answer(413, { error: `the body is larger than ${limits.body} bytes` });
    try {
      const served = await call(ports, turnId, bearer, JSON.parse(new TextDecoder().decode(body)));
      if (served === 'unauthorised') return answer(401, { error: 'the bearer is not for this turn' });
      return served === 'unavailable'
        ? answer(503, { error: 'not known now; ask again' })
        : answer(200, served);
    } catch (error) {
      if (error instanceof z.ZodError)
        return answer(400, { error: z.prettifyError(error).slice(0, limits.text) });
      if (error instanceof SyntaxError) return answer(400, { error: 'the body is not JSON' });
      ports.reporter.report({
        time: ports.clock.now(),
        fact: 'refused',
        actor: 'turn',
        turnId,
        reason: 'call-failed',
        problem: `${name}: ${error instanceof Error ? error.message : 'unknown'}`,
      });
      return answer(503, { error: 'not known now; ask again' });
    }
  };

function answer(statusCode: number, body: object): APIGatewayProxyStructuredResultV2 {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy, { type MiddlewareObj, type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import { plainError } from './plain-error.ts';

/** One structured line per fact; each also names the invocation that wrote it. */
export const logger = new Logger({ serviceName: 'evenkeel' });

/**
 * The edge of a function: log lines carry the invocation's context, and a failure is told before the platform gets it, by
 * what it says and not by what it carries. Everything that `act` began has ended when it answers.
 */
export function lambdaHandler<Event, Answer>(
  act: (event: Event, context: Context) => Promise<Answer>,
  ...more: readonly MiddlewareObj[]
): MiddyfiedHandler<Event, Answer> {
  return middy<Event, Answer>()
    .use([injectLambdaContext(logger, { resetKeys: true }), ...more])
    .onError((request) => {
      const error = plainError(request.error);
      request.error = error;
      logger.error('the invocation failed', error);
    })
    .handler(act);
}

/** Makes something when it is first needed and keeps it for later invocations; what failed is tried again. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

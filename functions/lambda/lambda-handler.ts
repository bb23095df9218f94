import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy, { type MiddlewareObj, type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';

/** One structured line per fact; each also names the invocation that wrote it. */
export const logger = new Logger({ serviceName: 'evenkeel' });

/**
 * The edge of a function: log lines carry the invocation's context, and a failure is told before the platform gets it.
 * Everything that `act` began has ended when it answers.
 */
export function lambdaHandler<Event, Answer>(
  act: (event: Event, context: Context) => Promise<Answer>,
  ...more: readonly MiddlewareObj[]
): MiddyfiedHandler<Event, Answer> {
  return middy<Event, Answer>()
    .use([injectLambdaContext(logger, { resetKeys: true }), ...more])
    .onError(({ error }) => logger.error('the invocation failed', error ?? 'without an error'))
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

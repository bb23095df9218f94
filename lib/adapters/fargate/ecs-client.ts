import { ECSClient } from '@aws-sdk/client-ecs';

/**
 * A client that gives up early, so that a tick keeps time for everything else. Region, credentials and, in tests, the
 * endpoint come from the environment, where nothing else is said. `attempts` counts the first try.
 */
export function ecsClient({
  attempts,
  ...place
}: {
  readonly attempts: number;
  readonly region?: string;
  readonly profile?: string;
}): ECSClient {
  return new ECSClient({
    ...place,
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: callTimeoutMs,
      requestTimeout: callTimeoutMs,
      // Without it the time is only warned of.
      throwOnRequestTimeout: true,
    },
  });
}

const callTimeoutMs = 5_000;

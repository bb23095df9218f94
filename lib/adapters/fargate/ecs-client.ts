import { ECSClient } from '@aws-sdk/client-ecs';

/**
 * A client that gives up early, so that a tick keeps time for everything else. Region, credentials and, in tests, the
 * endpoint come from the environment. `attempts` counts the first try.
 */
export function ecsClient({ attempts }: { readonly attempts: number }): ECSClient {
  return new ECSClient({
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

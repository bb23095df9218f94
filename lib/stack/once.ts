import { Duration } from 'aws-cdk-lib';

/**
 * A tick that did not happen is made up for by the next one; a tick that is repeated a minute late is only load. For the
 * rule as well as for the function, since both repeat by themselves.
 */
export const once = { retryAttempts: 0, maxEventAge: Duration.seconds(60) } as const;

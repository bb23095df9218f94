import { CloudWatchClient, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { Instant } from '../../core/issue.ts';

export interface AlarmState {
  readonly name: string;
  /** `unknown`: it has seen too little to say. */
  readonly state: 'ok' | 'raised' | 'unknown';
  /** Undefined where the service does not say. */
  readonly since: Instant | undefined;
}

/**
 * How each of these alarms stands; one that does not exist is left out. At most 100 names, which is what the service takes.
 * Throws when it does not answer, or refuses to.
 */
export async function readAlarmStates(
  client: CloudWatchClient,
  names: readonly string[],
): Promise<readonly AlarmState[]> {
  const { MetricAlarms = [] } = await client.send(
    new DescribeAlarmsCommand({ AlarmNames: [...names], AlarmTypes: ['MetricAlarm'], MaxRecords: 100 }),
  );
  return MetricAlarms.map(stateOf);
}

/** Where the service is, and as who it is asked; by default as the environment says. */
export function cloudwatchClient(place: { readonly region?: string; readonly profile?: string }) {
  return new CloudWatchClient({ ...place, maxAttempts: 3 });
}

function stateOf({ AlarmName = '', StateValue, StateUpdatedTimestamp }: MetricAlarm): AlarmState {
  const states = { OK: 'ok', ALARM: 'raised', INSUFFICIENT_DATA: 'unknown' } as const;
  return {
    name: AlarmName,
    state: states[StateValue ?? 'INSUFFICIENT_DATA'],
    since: StateUpdatedTimestamp?.getTime(),
  };
}

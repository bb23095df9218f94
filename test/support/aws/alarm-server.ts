import { type JsonService, startJsonService } from './json-service.ts';

export interface AlarmServer extends JsonService {
  readonly states: Map<
    string,
    { readonly value: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'; readonly since: number }
  >;
}

/** How alarms stand, over HTTP; of those that are asked for by name, each that there is. */
export async function startAlarms(): Promise<AlarmServer> {
  const states: AlarmServer['states'] = new Map();
  const service = await startJsonService({
    DescribeAlarms: ({ AlarmNames }) => ({
      MetricAlarms: [...states]
        .filter(([name]) => (AlarmNames as readonly string[]).includes(name))
        .map(([AlarmName, { value, since }]) => ({
          AlarmName,
          StateValue: value,
          StateUpdatedTimestamp: since / 1_000,
        })),
    }),
  });
  return { ...service, states };
}

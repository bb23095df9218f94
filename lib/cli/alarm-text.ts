import type { AlarmState } from '../adapters/cloudwatch/alarm-states.ts';
import type { Instant } from '../core/issue.ts';
import { harmlessLine } from './harmless-text.ts';
import { roughDuration } from './time-text.ts';

/** The alarms that are raised, a line each. */
export function describeAlarms(alarms: readonly AlarmState[], now: Instant): readonly string[] {
  return alarms
    .filter(({ state }) => state === 'raised')
    .map(({ name, since }) => {
      const ago = since === undefined ? '' : `, for ${roughDuration(now - since)}`;
      return `! The alarm ${harmlessLine(name)} is raised${ago}: docs/operating.md says what to do.`;
    });
}

/** The alarms as JSON: times in ISO 8601, and null where how they stand is not known now. */
export function reportAlarms(alarms: readonly AlarmState[] | undefined) {
  if (alarms === undefined) return null;
  return alarms.map((alarm) => ({
    ...alarm,
    since: alarm.since === undefined ? null : new Date(alarm.since).toISOString(),
  }));
}

import type { MeasureName } from '../../functions/environment.ts';

/**
 * The alarms of a deployment. Each has a section in docs/operating.md under its title: what it means, where to look, what
 * to do.
 */
export interface AlarmRule {
  readonly id: string;
  /** The heading of its section. */
  readonly title: string;
  /** One sentence: what is the matter, and what follows from it. */
  readonly says: string;
  /** What ticks measure, or the failures of their function, which cost nothing. */
  readonly metric: MeasureName | 'failures';
  readonly statistic: 'Maximum' | 'Sum';
  /** Breaching is at least this, or for `missing: 'breaching'` less than this. */
  readonly threshold: number;
  /** So many of the last minutes. */
  readonly minutes: readonly [breaching: number, of: number];
  readonly missing: 'breaching' | 'notBreaching';
}

export const alarmRules: readonly AlarmRule[] = [
  {
    id: 'contract-invalid',
    title: 'Contract invalid',
    says: 'A workflow file and its board do not agree: nothing starts on that board, running turns go on and are settled.',
    metric: 'ContractInvalid',
    statistic: 'Maximum',
    threshold: 1,
    minutes: [1, 1],
    missing: 'notBreaching',
  },
  {
    id: 'no-completed-tick',
    title: 'No completed tick',
    says: 'For five minutes no tick did everything that it had to: perhaps none runs, and then nothing starts, stops or is settled.',
    metric: 'TicksCompleted',
    statistic: 'Sum',
    threshold: 1,
    minutes: [5, 5],
    missing: 'breaching',
  },
  {
    id: 'tick-failing',
    title: 'Tick failing',
    says: 'Ticks fail at their end, after they did what they could: some issue, board or service is left out again and again.',
    metric: 'failures',
    statistic: 'Sum',
    threshold: 1,
    minutes: [3, 5],
    missing: 'notBreaching',
  },
  {
    id: 'stuck-lease',
    title: 'Stuck lease',
    says: 'A turn was told to stop, or has ended, and its lease is not let go: its issue waits and its slot is not free.',
    metric: 'StuckLeases',
    statistic: 'Maximum',
    threshold: 1,
    minutes: [3, 3],
    missing: 'notBreaching',
  },
  {
    id: 'parked-issues',
    title: 'Parked issues',
    says: 'Issues are held until a person moves them.',
    metric: 'ParkedIssues',
    statistic: 'Maximum',
    threshold: 1,
    minutes: [1, 1],
    missing: 'notBreaching',
  },
  {
    id: 'write-limit-hit',
    title: 'Write limit hit',
    says: 'A tick wanted to move more cards than one tick may: the rest waits for later ticks, and a rule may be running away.',
    metric: 'WriteLimitHits',
    statistic: 'Sum',
    threshold: 1,
    minutes: [1, 1],
    missing: 'notBreaching',
  },
  {
    id: 'quota-low',
    title: 'Quota low',
    says: "Little is left of a tracker's quota: reads are skipped until it is renewed, so that results can still be written.",
    metric: 'QuotaLow',
    statistic: 'Maximum',
    threshold: 1,
    minutes: [3, 5],
    missing: 'notBreaching',
  },
  {
    id: 'launch-breaker-open',
    title: 'Launch breaker open',
    says: 'Launches fail for reasons that no issue has: new turns wait, for longer each time, and no try is used up.',
    metric: 'BreakersOpen',
    statistic: 'Maximum',
    threshold: 1,
    minutes: [1, 1],
    missing: 'notBreaching',
  },
];

/** What an alarm says to the person whom it wakes. */
export function describeAlarm({ title, says }: AlarmRule): string {
  return `${says} What to do: docs/operating.md, "${title}".`;
}

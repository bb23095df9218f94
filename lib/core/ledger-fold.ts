import type { StateName } from './issue.ts';
import { type Counters, type Lease, noCounters } from './lease.ts';
import type { LedgerUpdate } from './lease-write.ts';
import type { FailureClass, SettlementRecord } from './settle.ts';

/** Classes that say something about the agent's tries on this issue; trouble of the platform uses up nothing. */
const countedClasses: readonly (FailureClass | undefined)[] = [
  undefined,
  'agent',
  'verification',
  'no-progress',
  'delivery',
  'policy',
];

/**
 * What a turn's history leaves on its issue. Folded from the record that was put, never from a second decision, so that
 * folding it again after a crash gives the same item.
 */
export function foldSettlement(lease: Lease, record: SettlementRecord): LedgerUpdate {
  if (record.failureClass === 'cancelled') return { ...withSpend(resetLedger(record.state), lease, record) };
  const counted = countedClasses.includes(record.failureClass) && record.outcome !== 'released';
  const update: LedgerUpdate = {
    set: {
      counters: countFailure(lease.counters, record),
      turns: lease.turns + (counted ? 1 : 0),
      ...(record.state === undefined ? {} : { seenState: record.state }),
      ...(record.nextAt === undefined
        ? {}
        : { nextAt: record.nextAt, retryClass: record.failureClass ?? 'recheck' }),
      ...(record.parked === undefined ? {} : { parked: record.parked }),
      ...(record.result?.feedback === undefined ? {} : { feedback: record.result.feedback }),
    },
    remove: [
      ...(record.nextAt === undefined ? (['nextAt', 'retryClass'] as const) : []),
      ...(record.parked === undefined ? (['parked'] as const) : []),
      ...(record.result?.feedback === undefined ? (['feedback'] as const) : []),
    ],
  };
  return withSpend(update, lease, record);
}

/** A person's move: counters, park and retry start anew. What was spent before it no longer counts against the issue. */
export function resetLedger(state: StateName | undefined): LedgerUpdate {
  return {
    set: {
      counters: noCounters,
      turns: 0,
      spendUsd: 0,
      spendTokens: 0,
      unknownUsageTurns: 0,
      ...(state === undefined ? {} : { seenState: state }),
    },
    remove: ['nextAt', 'retryClass', 'parked', 'feedback', 'goneSince', 'finishedSince'],
  };
}

function countFailure(counters: Counters, { failureClass, outcome }: SettlementRecord): Counters {
  switch (failureClass) {
    case 'agent':
    case 'verification':
    case 'delivery':
    case 'policy':
      return { ...counters, infrastructure: 0, [failureClass]: counters[failureClass] + 1 };
    case 'no-progress':
      return { ...counters, infrastructure: 0, agent: 0, noProgress: counters.noProgress + 1 };
    // What merely gets looked at again was the platform's own trouble.
    case 'infrastructure':
      return outcome === 'recheck' ? counters : { ...counters, infrastructure: counters.infrastructure + 1 };
    case undefined:
      return outcome === 'released' ? counters : noCounters;
    default:
      return counters;
  }
}

function withSpend(update: LedgerUpdate, lease: Lease, record: SettlementRecord): LedgerUpdate {
  const ran = record.startedAt !== undefined;
  const usage = record.result?.usage;
  const usd = usage?.usd ?? 0;
  const day = new Date(record.endedAt).toISOString().slice(0, 10);
  const before = {
    spendUsd: lease.spendUsd,
    spendTokens: lease.spendTokens,
    unknownUsageTurns: lease.unknownUsageTurns,
    ...update.set,
  };
  return {
    ...update,
    set: {
      ...update.set,
      spendUsd: before.spendUsd + usd,
      spendTokens: before.spendTokens + (usage?.tokens ?? 0),
      unknownUsageTurns: before.unknownUsageTurns + (ran && usage === undefined ? 1 : 0),
      spendDay: { day, usd: (lease.spendDay?.day === day ? lease.spendDay.usd : 0) + usd },
    },
  };
}

import type { TickReport } from '../../lib/controller/reconcile.ts';
import type { Reason } from '../../lib/core/decision.ts';
import type { MeasureName } from '../environment.ts';

/**
 * What a tick measures. A tick that was not due measures nothing; one that could not look, because the ledger is lost or
 * new, is no completed one.
 */
export function measureTick(
  report: TickReport,
  alarms: readonly (string | undefined)[],
): Readonly<Partial<Record<MeasureName, number>>> {
  if (report.kind !== 'done') return {};
  const { boards, summary } = report;
  const boardsThatWaitFor = (wanted: Reason) =>
    boards.filter(({ decisions }) => decisions.some(({ reason }) => reason === wanted)).length;
  return {
    // Absence is what alarms, so that a tick which never came to its end counts like one that failed.
    ...(summary.complete ? { TicksCompleted: 1 } : {}),
    // A board that is not read for the sake of a quota has broken nothing.
    ContractInvalid: boards.filter(({ valid, limitedUntil }) => !valid && limitedUntil === undefined).length,
    RunningTurns: summary.liveLeases,
    ParkedIssues: summary.waits.filter((reason) => reason === ('parked' satisfies Reason)).length,
    StuckLeases: summary.stuckLeases,
    WriteLimitHits: alarms.includes('write-limit') ? 1 : 0,
    QuotaLow: boards.filter(
      ({ decisions, limitedUntil }) =>
        limitedUntil !== undefined || decisions.some(({ reason }) => reason === ('quota' satisfies Reason)),
    ).length,
    BreakersOpen: boardsThatWaitFor('breaker-open'),
  };
}

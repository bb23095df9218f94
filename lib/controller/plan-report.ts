import type { Decision } from '../core/decision.ts';
import type { BoardReport } from './board-report.ts';
import type { PlannedDecision, PlanReport, TickOutcome } from './operations.ts';
import type { TickReport } from './reconcile.ts';

/** What was decided, in the form that people and scripts read. */
export function reportPlan(boards: readonly BoardReport[]): PlanReport {
  return {
    boards: boards.map(({ board, valid, problems, decisions }) => ({
      board,
      contract: { valid, problems },
      decisions: decisions.map(reportDecision),
    })),
  };
}

export function reportDecision({
  key,
  action,
  reason,
  detail,
  until,
  toResume,
}: Pick<Decision, 'key' | 'action' | 'reason' | 'detail' | 'until' | 'toResume'>): PlannedDecision {
  return {
    key,
    action,
    reason,
    detail,
    ...(until === undefined ? {} : { until: toTime(until) }),
    ...(toResume === undefined ? {} : { toResume }),
  };
}

export function reportTick(report: TickReport): TickOutcome {
  if (report.kind !== 'done') return report;
  const { epoch, summary } = report;
  return {
    kind: 'done',
    epoch,
    complete: summary.complete,
    problems: summary.problems,
    boards: reportPlan(report.boards).boards,
  };
}

/** ISO 8601 in UTC. */
export function toTime(instant: number): string {
  return new Date(instant).toISOString();
}

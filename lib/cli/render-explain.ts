import type { ExplainReport, PlannedDecision } from '../controller/operations.ts';
import type { Instant } from '../core/issue.ts';
import type { Colors } from './cli-context.ts';
import { harmlessLine } from './harmless-text.ts';
import { describeTurnEnd } from './render-history.ts';
import { describeSpend } from './spend-text.ts';
import { formatTable } from './text-table.ts';
import { dayAndTime, roughDuration } from './time-text.ts';
import { colorOfAction } from './tones.ts';

/** Everything that is known of one issue, the answer first. */
export function renderExplain(report: ExplainReport, colors: Colors, now: Instant): string {
  const { key, board, title, state } = report;
  const where = board === null ? '' : ` on ${board}`;
  const place = state === null ? `is in no state that is known now${where}` : `is in "${state}"${where}`;
  const head = `${colors.bold(harmlessLine(key))} ${harmlessLine(`${place}${title === null ? '' : `: ${title}`}`)}`;
  const rows = [
    ...report.decisions.flatMap((decision) => rowsOfDecision(decision, now)),
    ...rowsOfPark(report),
    ...(report.decisions.length === 0 && report.parked === null
      ? [['now', 'nothing is due: it is in no active state, and nothing of it is running']]
      : []),
    ...(report.phase === 'idle' || report.phase === 'none' ? [] : [['phase', report.phase]]),
    ['turns', describeTurns(report)],
    ['spent', describeSpend(report.spentUsd, report.turnsWithUnknownUsage)],
    ...(report.lastTurn === null ? [] : [['last turn', describeTurnEnd(report.lastTurn)]]),
  ].map((row) => row.map(harmlessLine));
  const table = formatTable(rows, (cell, column, row) => {
    if (column === 0) return colors.dim(cell);
    const decision = rows[row]![0] === 'now' ? report.decisions[0] : undefined;
    return decision === undefined ? cell : colorOfAction(decision.action, colors)(cell);
  });
  return [head, ...table.map((line) => `  ${line}`)].join('\n');
}

function rowsOfDecision(
  { action, reason, detail, until, toResume }: PlannedDecision,
  now: Instant,
): readonly (readonly string[])[] {
  const what = action === reason ? action : `${action} (${reason})`;
  return [
    ['now', `${what}: ${detail}`],
    ...(until === undefined
      ? []
      : [['until', `${dayAndTime(until)}, in ${roughDuration(Date.parse(until) - now)}`]]),
    ...(toResume === undefined ? [] : [['to resume', toResume]]),
  ];
}

function rowsOfPark({ parked, decisions }: ExplainReport): readonly (readonly string[])[] {
  if (parked === null) return [];
  const isTold = decisions.some(({ reason }) => reason === 'parked');
  return [
    ['parked', `since ${dayAndTime(parked.since)} (${parked.reason}): ${parked.detail}`],
    ...(isTold ? [] : [['to resume', parked.toResume]]),
  ];
}

function describeTurns({ turns, counters }: ExplainReport): string {
  const failures = Object.entries(counters)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  const counted = failures.length === 0 ? 'no failures' : `failures: ${failures.join(', ')}`;
  return `${turns} since a person last moved it; ${counted}`;
}

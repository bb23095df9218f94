import type { StatusReport } from '../controller/operations.ts';
import type { Instant } from '../core/issue.ts';
import type { Colors } from './cli-context.ts';
import type { WriteCommand } from './commands-for.ts';
import { harmlessLine } from './harmless-text.ts';
import { describeReview } from './review-text.ts';
import { describeSpend } from './spend-text.ts';
import { formatTable } from './text-table.ts';
import { dayAndTime, roughDuration } from './time-text.ts';
import { colorOf, type Tone } from './tones.ts';
import type { Source } from './with-operations.ts';

export interface StatusView {
  readonly source: Source;
  readonly colors: Colors;
  readonly now: Instant;
  readonly command: WriteCommand;
}

/** The status for people: the counts, then each issue that runs, waits or is parked, with what it waits for. */
export function renderStatus(report: StatusReport, { source, colors, now, command }: StatusView): string {
  return [
    describeSource(report, { source, colors, now, command }),
    ...describePause(report, colors, command),
    ...describeProblems(report, colors),
    describeCounts(report, colors),
    ...section('Running', 'go', runningRows(report, now), colors),
    ...section('Retrying', 'wait', retryingRows(report, now), colors),
    ...section('Waiting', 'wait', waitingRows(report, now), colors),
    ...section('Parked', 'bad', parkedRows(report), colors),
  ].join('\n');
}

function describeSource(
  { lastTick, running }: StatusReport,
  { source, colors, now, command }: StatusView,
): string {
  const who = {
    host: 'The host is running',
    store: colors.yellow('No host is running'),
    stack: 'The deployment is in AWS',
    empty: colors.yellow(
      running.length === 0
        ? 'Nothing has run here yet: the data folder has no ledger'
        : `The ledger of the data folder is gone; the next \`${command('start')}\` adopts what still runs`,
    ),
  }[source];
  if (lastTick === null) return `${who}; no tick has ended yet.`;
  const ago = roughDuration(now - Date.parse(lastTick.finishedAt));
  const trouble = lastTick.problems.map((problem) => colors.red(`\n  ! ${harmlessLine(problem)}`)).join('');
  return `${who}; the last tick ended ${ago} ago${lastTick.complete ? '' : ', incomplete'}.${describeCost(lastTick)}${trouble}`;
}

function describeCost({ cost }: NonNullable<StatusReport['lastTick']>): string {
  if (cost === undefined) return '';
  const left =
    cost.remaining === undefined ? '' : `; ${plural(cost.remaining, 'point')} of the quota are left`;
  return ` It cost ${plural(cost.requests, 'request')} and ${plural(cost.points, 'point')}${left}.`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function describePause(
  { paused, pausedBoards }: StatusReport,
  colors: Colors,
  command: WriteCommand,
): readonly string[] {
  if (pausedBoards.length === 0) return [];
  const which = paused ? 'Paused' : `Paused: ${pausedBoards.map(harmlessLine).join(', ')}`;
  return [
    colors.yellow(`${which}. Nothing starts there; what runs goes on. \`${command('resume')}\` ends it.`),
  ];
}

function describeProblems({ problems }: StatusReport, colors: Colors): readonly string[] {
  return problems.map(({ board, path, message }) =>
    colors.red(harmlessLine(`! ${board}: ${path === '' ? '' : `${path}: `}${message}`)),
  );
}

function describeCounts(
  { running, retrying, waiting, parked, inReview, parkedInReview, spent }: StatusReport,
  colors: Colors,
): string {
  return colors.bold(
    [
      `${running.length} running`,
      `${waiting.length} waiting`,
      `${retrying.length} retrying`,
      `${parked.length} parked`,
      describeReview(inReview, parkedInReview),
      `today ${describeSpend(spent.usdToday, spent.turnsWithUnknownUsage)}`,
    ].join(' · '),
  );
}

function section(
  title: string,
  tone: Tone,
  rows: readonly (readonly string[])[],
  colors: Colors,
): readonly string[] {
  if (rows.length === 0) return [];
  const table = formatTable(rows.map((row) => row.map(harmlessLine)));
  return ['', colorOf(tone, colors)(title), ...table.map((line) => `  ${line}`)];
}

function runningRows({ running }: StatusReport, now: Instant): readonly (readonly string[])[] {
  return running.map(({ board, key, attempt, phase, state, startedAt, lastProgressAt }) => [
    board,
    key,
    `attempt ${attempt}`,
    phase,
    state === null ? '-' : `in "${state}"`,
    startedAt === null ? 'not begun' : `for ${roughDuration(now - Date.parse(startedAt))}`,
    lastProgressAt === null ? '' : `last sign of work ${roughDuration(now - Date.parse(lastProgressAt))} ago`,
  ]);
}

function retryingRows({ retrying }: StatusReport, now: Instant): readonly (readonly string[])[] {
  return retrying.map((retry) => [
    retry.board,
    retry.key,
    `${retry.failures} failed (${retry.class})`,
    `again in ${roughDuration(Date.parse(retry.dueAt) - now)}`,
  ]);
}

function waitingRows({ waiting }: StatusReport, now: Instant): readonly (readonly string[])[] {
  return waiting.map(({ board, key, reason, until, toResume }) => [
    board,
    key,
    reason,
    [
      until === null ? '' : `in ${roughDuration(Date.parse(until) - now)}`,
      toResume === null ? '' : `to resume: ${toResume}`,
    ]
      .filter((part) => part !== '')
      .join('; '),
  ]);
}

function parkedRows({ parked }: StatusReport): readonly (readonly string[])[] {
  return parked.map(({ board, key, reason, since, toResume }) => [
    board,
    key,
    reason,
    `since ${dayAndTime(since)}`,
    `to resume: ${toResume}`,
  ]);
}

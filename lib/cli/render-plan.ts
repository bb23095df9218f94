import type { PlannedDecision, PlanReport } from '../controller/operations.ts';
import { isUnread } from '../core/contract.ts';
import type { Instant } from '../core/issue.ts';
import type { Colors } from './cli-context.ts';
import { harmlessLine } from './harmless-text.ts';
import { formatTable } from './text-table.ts';
import { roughDuration } from './time-text.ts';
import { colorOfAction } from './tones.ts';
import { describeWait } from './waiting-text.ts';

/** A plan for people: board by board, what is wrong with the contract first, then every issue with the reason. */
export function renderPlan({ boards }: PlanReport, colors: Colors, now: Instant): string {
  return boards.map((board) => renderBoard(board, colors, now).join('\n')).join('\n\n');
}

function renderBoard(board: PlanReport['boards'][number], colors: Colors, now: Instant): readonly string[] {
  const { contract, decisions } = board;
  const name = colors.bold(`Board ${harmlessLine(board.board)}`);
  const isWell = contract.valid && contract.problems.length === 0;
  const head = isWell
    ? [name]
    : [
        `${name}  ${colors.red(isUnread(contract.problems) ? 'it could not be read: nothing starts' : 'the contract does not hold: nothing starts')}`,
      ];
  const problems = formatTable(
    contract.problems.map(({ rule, path, message }) => ['  !', rule, path, message].map(harmlessLine)),
    (cell, column) => (column < 2 ? colors.red(cell) : cell),
  ).map((line) => `  ${line}`);
  if (decisions.length === 0) {
    return [...head, ...problems, ...(isWell ? ['  No issue is in an active state.'] : [])];
  }
  const header = ['KEY', 'ACTION', 'REASON', 'DETAIL'];
  const rows = decisions.map(({ key, action, reason, ...rest }) =>
    [key, action, reason, describeDecision(rest, now)].map(harmlessLine),
  );
  const table = formatTable([header, ...rows], (cell, column, row) => {
    if (row === 0) return colors.dim(cell);
    return column === 1 ? colorOfAction(decisions[row - 1]!.action, colors)(cell) : cell;
  });
  return [...head, ...problems, ...table.map((line) => `  ${line}`)];
}

/** The detail, with what ends the wait where that is known. */
function describeDecision(
  { detail, until, toResume }: Pick<PlannedDecision, 'detail' | 'until' | 'toResume'>,
  now: Instant,
): string {
  const due = until === undefined ? '' : ` (for ${roughDuration(Date.parse(until) - now)} more)`;
  return describeWait(detail, due, toResume);
}

import { isAbsolute, join, relative } from 'node:path';
import type { Host, HostedBoard } from '../host/host.ts';
import type { Colors } from './cli-context.ts';
import { harmlessLine } from './harmless-text.ts';
import type { StartedWith } from './narrator.ts';
import { formatTable } from './text-table.ts';
import { roughDuration } from './time-text.ts';

/** Where everything is, how to move a card, and what is not kept apart on this machine. */
export function renderHeader(
  { boards, url }: Pick<Host, 'boards' | 'url'>,
  { dataDir, intervalMs, example }: StartedWith,
  cwd: string,
  colors: Colors,
): string {
  const show = (path: string) => showPath(path, cwd);
  const what = example ? 'the example board' : boards.length === 1 ? '1 board' : `${boards.length} boards`;
  const rows = [
    ...boards.flatMap((board) => [
      ['board', board.kind === 'local' ? show(board.place) : `${board.kind} ${board.place}`],
      ['repository', show(board.repository)],
      ['workflow', show(board.workflow)],
    ]),
    ['data', show(dataDir)],
    ['address', url],
  ].map((row) => row.map(harmlessLine));
  const table = formatTable(rows, (cell, column) => (column === 0 ? colors.dim(cell) : cell));
  return [
    `${colors.bold('evenkeel')} keeps agents level with ${what}, at least every ${roughDuration(intervalMs)}. Ctrl-C ends it.`,
    '',
    ...table.map((line) => `  ${line}`),
    '',
    ...boards.flatMap((board) => describeMoves(board, show)).map((line) => `  ${line}`),
    '',
    colors.yellow(`  Warning: ${isolationWarning}`),
    '',
  ].join('\n');
}

/** What one machine does not keep apart. */
export const isolationWarning =
  'agents run as your own user on this machine and are not isolated. They can read and change whatever you can.';

/** How a person tells this board what to do. */
function describeMoves(
  { kind, place, activeStates, handoffState }: HostedBoard,
  show: (path: string) => string,
): readonly string[] {
  const card = kind === 'local' ? `edit \`state:\` in ${show(join(place, 'KEY.md'))}` : `move it on ${place}`;
  const active = activeStates.map((state) => `"${state}"`).join(' or ');
  const review = handoffState === undefined ? '' : ` Finished work waits for you in "${handoffState}".`;
  return [
    `To move a card, ${harmlessLine(card)}.`,
    harmlessLine(`An agent works on what is in ${active}; moving a card out stops it.${review}`),
  ];
}

/** Relative where that is shorter and says the same. The address of a repository is no path, and is shown as it is. */
function showPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
}

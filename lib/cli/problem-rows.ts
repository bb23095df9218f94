import type { Problem } from '../core/contract.ts';
import { harmlessLine } from './harmless-text.ts';
import { formatTable } from './text-table.ts';

/** One line for each problem: its rule, the field, and what follows from it. */
export function renderProblems(
  problems: readonly Problem[],
  color: (text: string) => string,
): readonly string[] {
  const rows = formatTable(
    problems.map(({ rule, path, message }) => [rule, path, message].map(harmlessLine)),
    (cell, column) => (column === 0 ? color(cell) : cell),
  );
  return rows.map((row) => `  ${row}`);
}

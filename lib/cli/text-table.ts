/**
 * Rows as aligned columns, two spaces apart; the last column is as long as it is. Cells are plain text: `paint` colours
 * them after they were measured.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number, row: number) => string = (cell) => cell,
): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row, at) =>
    row
      .map((cell, column) => {
        const padding = column === row.length - 1 ? '' : ' '.repeat(widths[column]! - widthOf(cell));
        return paint(cell, column, at) + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}

function widthOf(text: string): number {
  return [...text].length;
}

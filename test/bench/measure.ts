/** Milliseconds that each run of `act` takes: the median of `runs`, after one that warms up. */
export async function medianMs(runs: number, act: () => unknown): Promise<number> {
  await act();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Milliseconds of processor time of each run, garbage collection included: the median of `runs`, after one that warms up. */
export function medianCpuMs(runs: number, act: () => unknown): number {
  act();
  const times = Array.from({ length: runs }, () => {
    const start = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return median(times);
}

/** Milliseconds of processor time that one run takes in this process, on all of its threads. */
export async function cpuMs(act: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints rows below a heading, columns aligned; numbers to the right. */
export function printTable(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = columns.map((column, n) =>
    Math.max(column.length, ...rows.map((row) => (row[n] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join('  ');
  console.log(`\n${heading}\n`);
  console.log(line(columns));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(row));
}

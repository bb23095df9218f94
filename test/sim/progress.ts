/** What a search has done so far. */
export interface Progress {
  readonly runs: number;
  readonly virtualMs: number;
  readonly turns: number;
  readonly kills: number;
  readonly failures: readonly unknown[];
}

/** One live line on a terminal, a line now and then elsewhere. */
export function progressBar(count: number, unit: string): (soFar: Progress) => void {
  const began = performance.now();
  const isTerminal = process.stderr.isTTY;
  let shownAt = 0;
  return (soFar) => {
    const seconds = (performance.now() - began) / 1_000;
    if (!isTerminal && seconds - shownAt < 15 && soFar.runs < count) return;
    shownAt = seconds;
    const done = Math.round(Math.min(1, soFar.runs / count) * 24);
    const line = `[${'#'.repeat(done)}${'.'.repeat(24 - done)}] ${describe(soFar, seconds, unit)}`;
    process.stderr.write(isTerminal ? `\r${line}   ` : `${line}\n`);
  };
}

function describe(
  { runs, virtualMs, turns, kills, failures }: Progress,
  seconds: number,
  unit: string,
): string {
  const hours = Math.round(virtualMs / 3_600_000);
  const speed = (runs / seconds).toFixed(1);
  return `${runs} ${unit}, ${speed}/s, ${hours} virtual hours, ${turns} turns, ${kills} kills, ${failures.length} failed`;
}

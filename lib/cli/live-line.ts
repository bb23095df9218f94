import { colorsOf, type Terminal, writeText } from './cli-context.ts';

/** One line that stays at the bottom of a terminal and is kept up to date, below lines that scroll. */
export interface LiveLine {
  /** Writes lines above it and brings it up to date. */
  above(lines: readonly string[]): void;
  /** Takes it away. */
  close(): void;
}

/**
 * Keeps `text()` at the bottom, and brings it up to date every second. Where cursor movement is not wanted there is no such
 * line, and only the others are written.
 */
export function liveLine(terminal: Terminal, text: () => string | undefined): LiveLine {
  const { stream, isRich } = terminal;
  const write = (lines: readonly string[]) => {
    for (const line of lines) writeText(terminal, line);
  };
  if (!isRich) return { above: write, close: () => undefined };
  const colors = colorsOf(terminal);
  const show = () => {
    const now = text();
    stream.write(eraseLine + (now === undefined ? '' : colors.dim(clip(now, widthOf(terminal)))));
  };
  const timer = setInterval(show, 1_000).unref();
  return {
    above(lines) {
      if (lines.length > 0) stream.write(eraseLine);
      write(lines);
      show();
    },
    close() {
      clearInterval(timer);
      stream.write(eraseLine);
    },
  };
}

const eraseLine = '\r\u001b[2K';

/** A terminal that does not tell its size says 0. */
function widthOf({ stream }: Terminal): number {
  return (stream as { readonly columns?: number }).columns || 80;
}

/** One column stays free: a full line would wrap, and then two would have to be erased. */
function clip(text: string, width: number): string {
  return text.length < width ? text : `${text.slice(0, width - 2)}…`;
}

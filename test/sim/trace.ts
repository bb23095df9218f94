import { createHash } from 'node:crypto';
import type { PortCall } from './models/watch-ports.ts';

/** Everything that happened in a world, as lines. Two runs of one seed write the same. */
export interface Trace {
  write(line: object): void;
  /** Told of every call to a tracker, the ledger and the runner, where that is wanted. */
  readonly called?: ((call: PortCall) => void) | undefined;
  /** SHA-256 over all lines, hex. */
  hash(): string;
  /** The lines, where they are kept. */
  lines(): readonly string[];
}

export function makeTrace({ keep = false }: { readonly keep?: boolean } = {}): Trace {
  const hash = createHash('sha256');
  const kept: string[] = [];
  return {
    write(line) {
      const text = JSON.stringify(sorted(line));
      hash.update(`${text}\n`);
      if (keep) kept.push(text);
    },
    hash: () => hash.copy().digest('hex'),
    lines: () => kept,
  };
}

/** The order in which fields were set is nobody's business. */
function sorted(line: object): object {
  return Object.fromEntries(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { existsSync, readFileSync } from 'node:fs';
import type { Fact } from '../../../lib/core/trace.ts';
import { parseTraceLine } from '../../../lib/core/trace-line.ts';
import { eventually } from '../../support/eventually.ts';

/** What a trace tells while it grows. */
export interface TraceWatch {
  facts(): readonly Fact[];
  /** Waits for the first fact of a kind about an issue that `holds`. */
  fact(kind: Fact['fact'], key: string, holds?: (fact: Fact) => boolean): Promise<Fact>;
  /** Waits until this many more ticks have ended. */
  ticks(count: number): Promise<void>;
}

const patienceMs = 40_000;

export function watchTrace(path: string): TraceWatch {
  const facts = () => readFacts(path);
  return {
    facts,
    async fact(kind, key, holds = () => true) {
      const find = () => facts().find((fact) => fact.fact === kind && fact.key === key && holds(fact));
      return (await eventually(find, (fact) => fact !== undefined, patienceMs))!;
    },
    async ticks(count) {
      const ended = () => facts().filter(({ fact }) => fact === 'tick-ended').length;
      const before = ended();
      await eventually(ended, (now) => now >= before + count, patienceMs);
    },
  };
}

function readFacts(path: string): readonly Fact[] {
  return readLines(path).flatMap((line) => {
    const parsed = parseTraceLine(line);
    return 'fact' in parsed ? [parsed.fact] : [];
  });
}

/** The lines of a file that are not blank; none while there is no such file. */
export function readLines(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

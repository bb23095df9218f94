import { createReadStream } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type TraceReport, traceChecker } from '../core/trace-check.ts';
import { parseTraceLine } from '../core/trace-line.ts';
import { type Colors, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';

interface CheckedTrace extends TraceReport {
  readonly lines: number;
  /** Lines that are no facts: what they tell cannot be checked. */
  readonly unreadable: readonly { readonly line: number; readonly problem: string }[];
}

/** `check-trace FILE`: whether a trace keeps the promises that it can show. */
export function addCheckTrace(cli: Cli): void {
  addCommand(cli, {
    name: 'check-trace',
    summary: 'check a trace against the promises it can show',
    description:
      'Reads trace lines, those of `start --log-format json` or DIR/trace.jsonl, and checks them against the promises that they can show: at most one live turn per issue, no terminal state overwritten, no write without a fresh read, no cap exceeded, and the others. It fails when one is broken, or when a line is no trace line.',
    examples: ['evenkeel check-trace .evenkeel/trace.jsonl', 'cat *.log | evenkeel check-trace - --json'],
  })
    .argument('<file>', 'the file; - is standard input')
    .action(run(cli, (file: string, options) => check(cli, file, options)));
}

async function check({ context }: Cli, file: string, { json }: { readonly json?: boolean }): Promise<0 | 1> {
  const path = resolve(context.cwd, file);
  const name = file === '-' ? 'standard input' : relative(context.cwd, path) || path;
  const trace = await readTrace(file === '-' ? process.stdin : createReadStream(path), name);
  writeText(context.stdout, json ? formatJson(trace) : renderTrace(trace, name, colorsOf(context.stdout)));
  return isClean(trace) ? 0 : 1;
}

async function readTrace(input: Readable, name: string): Promise<CheckedTrace> {
  const checker = traceChecker();
  const unreadable: { line: number; problem: string }[] = [];
  let lines = 0;
  try {
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    failed.catch(() => undefined);
    const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
    for (;;) {
      const { value: text, done } = await Promise.race([reader.next(), failed]);
      if (done === true) break;
      lines += 1;
      if (text.trim() === '') continue;
      const parsed = parseTraceLine(text);
      if ('fact' in parsed) checker.observe(parsed.fact);
      else unreadable.push({ line: lines, problem: parsed.problem });
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${name} cannot be read (${code ?? message}). Name a file of trace lines.`);
  }
  return { ...checker.report(), lines, unreadable };
}

function isClean({ violations, unreadable, counts }: CheckedTrace): boolean {
  return violations.length === 0 && unreadable.length === 0 && Object.keys(counts).length > 0;
}

const shownAtMost = 20;

function renderTrace(trace: CheckedTrace, name: string, colors: Colors): string {
  const { violations, unreadable, counts, live, openWrites } = trace;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const kinds = Object.entries(counts).map(([fact, count]) => `${fact} ${count}`);
  const verdict = isClean(trace)
    ? colors.green('no promise is broken')
    : colors.red(
        total === 0
          ? 'there is no trace in it'
          : `${violations.length} violations, ${unreadable.length} unreadable lines`,
      );
  return [
    `${harmlessLine(name)}: ${total} facts, ${verdict}`,
    ...limit(violations, ({ rule, time, issue, turnId, message }) => {
      const about = [issue, turnId].filter((part) => part !== undefined).join(' ');
      return `  ${colors.red(rule)}  ${new Date(time).toISOString()}  ${harmlessLine(`${about}: ${message}`)}`;
    }),
    ...limit(unreadable, ({ line, problem }) => `  line ${line}: ${harmlessLine(problem)}`),
    ...(kinds.length === 0 ? [] : [colors.dim(`  ${kinds.join(', ')}`)]),
    ...(live.length + openWrites.length === 0
      ? []
      : [colors.dim(`  where it ends: ${live.length} turns at work, ${openWrites.length} writes open`)]),
  ].join('\n');
}

function limit<Item>(items: readonly Item[], render: (item: Item) => string): readonly string[] {
  const more = items.length - shownAtMost;
  return [
    ...items.slice(0, shownAtMost).map(render),
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
  ];
}

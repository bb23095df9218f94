import { LineCounter, parseDocument } from 'yaml';
import type { Problem } from './contract.ts';

/** A file's front matter as plain data, and the text below it. */
export interface FrontMatter {
  readonly values: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The line of the file on which the body begins, from 1. */
  readonly bodyLine: number;
}

/**
 * Splits a file into YAML front matter between two lines of `---` and the text below it. Every fault of the YAML is
 * reported with its line: a key that stands twice, an unknown tag, an alias that expands without end. `source` is how
 * the file is called in messages.
 */
export function readFrontMatter(
  text: string,
  source: string,
): FrontMatter | { readonly problems: readonly Problem[] } {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (!isFence(lines[0]!) || end < 0) return { problems: [reportMissing(source)] };
  const parsed = parseYaml(lines.slice(1, end).map(endLine).join(''), source);
  if ('problems' in parsed) return parsed;
  return { ...parsed, body: lines.slice(end + 1).join('\n'), bodyLine: end + 2 };
}

/** Also the last line is ended, so that the YAML reader takes a carriage return before it for what it is. */
function endLine(line: string): string {
  return `${line}\n`;
}

function isFence(line: string): boolean {
  return line.trimEnd() === '---';
}

function reportMissing(source: string): Problem {
  return {
    rule: 'front-matter',
    path: '',
    message: `${source} has no front matter: begin it with a line of "---", then YAML, then a second line of "---"`,
  };
}

function parseYaml(
  yaml: string,
  source: string,
): Pick<FrontMatter, 'values'> | { readonly problems: readonly Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  });
  const problems = [...document.errors, ...document.warnings].map((fault) => ({
    rule: 'yaml',
    path: '',
    message: `${source}:${lines.linePos(fault.pos[0]).line + 1}: ${fault.message}`,
  }));
  if (problems.length > 0) return { problems };
  return toMap(() => document.toJS() as unknown, source);
}

function toMap(
  read: () => unknown,
  source: string,
): Pick<FrontMatter, 'values'> | { readonly problems: readonly Problem[] } {
  try {
    const values = read();
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) {
      return { values: values as Readonly<Record<string, unknown>> };
    }
    const message = `the front matter of ${source} is no map: write "key: value" lines between the two lines of "---"`;
    return { problems: [{ rule: 'front-matter', path: '', message }] };
  } catch (error) {
    // The library refuses aliases that expand without end, and aliases of nothing, only while it builds the data.
    return { problems: [{ rule: 'yaml', path: '', message: `${source}: ${(error as Error).message}` }] };
  }
}

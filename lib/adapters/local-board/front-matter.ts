import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
} from 'yaml';

export interface FrontMatter {
  /** The fields in the file's order; the same name may stand twice. */
  readonly fields: readonly Field[];
  readonly body: string;
  /** Where the YAML begins in the text; the ranges of the fields' nodes count from there. */
  readonly start: number;
}

export interface Field {
  readonly name: string;
  readonly node: ParsedNode | null;
  /** Plain data: text (whatever YAML takes it for), lists of it, or undefined where nothing stands. */
  readonly value: unknown;
}

/** Stands for whatever is neither a text nor a list of texts. */
const notText = {};

/** Two lines of `---` around the YAML, in whatever line ends, also after a byte order mark and at the end of the file. */
const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?$)/;

/** Far more than people write, and little enough that no nesting in it can keep the parser busy. */
const largestFrontMatter = 32 * 1024;

/** Splits an issue's file. The problem, if there is one, quotes nothing of the file. */
export function readFrontMatter(text: string): FrontMatter | { readonly problem: string } {
  if (text.trim() === '') return { problem: 'it is empty; it may be just being written' };
  const start = opening.exec(text)?.[0].length;
  if (start === undefined)
    return {
      problem: 'it does not begin with front matter: a line of "---", `title:` and `state:`, and "---" again',
    };
  const end = closing.exec(text.slice(start));
  if (end === null) return { problem: 'its front matter is not closed: put a line of "---" below it' };
  if (end.index > largestFrontMatter) return { problem: 'its front matter is larger than 32 KiB' };
  const yaml = text.slice(start, start + end.index);
  const body = text.slice(start + end.index + end[0].length);
  const fields = parseFields(yaml);
  return 'problem' in fields ? fields : { fields: fields.fields, body, start };
}

function parseFields(yaml: string): Pick<FrontMatter, 'fields'> | { readonly problem: string } {
  const lines = new LineCounter();
  const document = parseYaml(yaml, lines);
  if (document === undefined) return { problem: 'its front matter is nested too deeply' };
  const error = document.errors[0];
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line + 1;
    const fault = error.code.toLowerCase().replaceAll('_', ' ');
    return { problem: `its front matter is not valid YAML (line ${line}: ${fault})` };
  }
  if (!isMap(document.contents)) return { problem: 'its front matter has no "name: value" lines' };
  const fields = document.contents.items.map(({ key, value }) => ({
    name: String(readText(document, key)),
    node: value as ParsedNode | null,
    value: readPlain(document, value),
  }));
  return { fields };
}

function parseYaml(yaml: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    // A key that stands twice is looked for later, since two states are more than a mistake in the YAML.
    return parseDocument(yaml, { lineCounter, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/**
 * Without a schema's ideas of numbers, dates and truth: a title of `2026` or `yes` is what stands there. Nothing deeper
 * than a list of texts is read, so that no nesting and no alias can make a small file large.
 */
function readPlain(document: Document.Parsed, node: unknown): unknown {
  return isSeq(node) ? node.items.map((item) => readText(document, item)) : readText(document, node);
}

function readText(document: Document.Parsed, node: unknown): unknown {
  const found = isAlias(node) ? node.resolve(document) : node;
  if (!isScalar(found)) return found === null ? undefined : notText;
  if (found.value === null) return undefined;
  return typeof found.value === 'string' ? found.value : (found.source ?? String(found.value));
}

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

/** Two lines of `---` around the YAML, in whatever line ends, also after a byte order mark and at the end of the file. */
const opening = /^\uFEFF?---[ \t]*\r?\n/;
const closing = /(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?$)/;

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
  const yaml = text.slice(start, start + end.index);
  const body = text.slice(start + end.index + end[0].length);
  const fields = parseFields(yaml);
  return 'problem' in fields ? fields : { fields: fields.fields, body, start };
}

function parseFields(yaml: string): Pick<FrontMatter, 'fields'> | { readonly problem: string } {
  const lines = new LineCounter();
  // A key that stands twice is looked for later, since two states are more than a mistake in the YAML.
  const document = parseDocument(yaml, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const error = document.errors[0];
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line + 1;
    return { problem: `its front matter is not valid YAML (line ${line}: ${describeCode(error.code)})` };
  }
  if (!isMap(document.contents)) return { problem: 'its front matter has no "name: value" lines' };
  const fields = document.contents.items.map(({ key, value }) => ({
    name: String(readPlain(document, key) ?? ''),
    node: value as ParsedNode | null,
    value: readPlain(document, value),
  }));
  return { fields };
}

/** Without a schema's ideas of numbers, dates and truth: a title of `2026` or `yes` is what stands there. */
function readPlain(document: Document.Parsed, node: unknown): unknown {
  if (isAlias(node)) return readPlain(document, node.resolve(document));
  if (isSeq(node)) return node.items.map((item) => readPlain(document, item));
  if (!isScalar(node)) return node === null ? undefined : {};
  if (node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function describeCode(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ');
}

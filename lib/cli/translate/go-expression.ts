/** An expression of Go's text/template, as far as workflow files use them. */
export type GoExpression =
  | { readonly kind: 'path'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly GoExpression[] };

/** Undefined for what is not understood. A piped value is the last argument of the call behind it. */
export function parseGoExpression(text: string): GoExpression | undefined {
  const words = text.match(/"(?:[^"\\]|\\.)*"|`[^`]*`|[()|]|[^\s()|"`]+/g) ?? [];
  const reader = { words, at: 0 };
  const found = readPipeline(reader);
  return reader.at === words.length ? found : undefined;
}

interface Reader {
  readonly words: readonly string[];
  at: number;
}

function readPipeline(reader: Reader): GoExpression | undefined {
  let value = readCommand(reader, undefined);
  while (value !== undefined && reader.words[reader.at] === '|') {
    reader.at += 1;
    value = readCommand(reader, value);
  }
  return value;
}

function readCommand(reader: Reader, piped: GoExpression | undefined): GoExpression | undefined {
  const first = reader.words[reader.at];
  if (first !== undefined && /^[A-Za-z]\w*$/.test(first) && !/^(true|false|nil)$/.test(first)) {
    reader.at += 1;
    const of = readOperands(reader);
    return of && { kind: 'call', name: first, of: piped === undefined ? of : [...of, piped] };
  }
  const operands = readOperands(reader);
  return piped === undefined && operands?.length === 1 ? operands[0] : undefined;
}

function readOperands(reader: Reader): readonly GoExpression[] | undefined {
  const found: GoExpression[] = [];
  for (;;) {
    const word = reader.words[reader.at];
    if (word === undefined || word === '|' || word === ')') return found;
    reader.at += 1;
    const operand = word === '(' ? readGroup(reader) : readWord(word);
    if (operand === undefined) return undefined;
    found.push(operand);
  }
}

function readGroup(reader: Reader): GoExpression | undefined {
  const inner = readPipeline(reader);
  if (reader.words[reader.at] !== ')') return undefined;
  reader.at += 1;
  return inner;
}

function readWord(word: string): GoExpression | undefined {
  if (/^[.$][\w.]*$/.test(word)) return { kind: 'path', text: word };
  if (/^-?\d+(\.\d+)?$|^(true|false|nil)$/.test(word)) return { kind: 'literal', text: word };
  const [quote] = word;
  if (quote !== '"' && quote !== '`') return undefined;
  const text = word.slice(1, -1);
  // Liquid knows no escapes: a text with both quotes in it, or an escape, cannot be written there.
  if (text.includes('\\') && quote === '"') return undefined;
  if (!text.includes('"')) return { kind: 'literal', text: `"${text}"` };
  return text.includes("'") ? undefined : { kind: 'literal', text: `'${text}'` };
}
